/** Strangers' transactions on a chain: how many calls a poll then takes, and whether the spend of an open order is still seen in it. */

import { createWatchedSwaps } from '@tandem/party/engine/watched-swaps.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { openFlood } from '@tandem/solana/server/flood.fixture.ts'
import { startTestProvider as startSolanaProvider } from '@tandem/solana/server/nodes/provider.fixture.ts'
import { createSolanaFixture } from '@tandem/solana/server/solana.fixture.ts'
import { createRegistryCall, initiateCall, redeemCall } from '@tandem/sui/contract/client/calls.ts'
import { startTestProvider as startSuiProvider } from '@tandem/sui/server/nodes/provider.fixture.ts'
import { createFamilyFixture as createSuiFixture } from '@tandem/sui/server/sui.fixture.ts'
import { orderTermsOf, swapIdOf } from '@tandem/sui/terms/htlc.ts'
import type { Bench, Size } from './bench.ts'

/** Strangers' transactions in the block of the poll; the first is the poll without them. */
const COUNTS: Readonly<Record<Size, readonly number[]>> = { full: [0, 40, 400, 2_000], smallest: [0, 40] }

type Row = { readonly strangers: number; readonly calls: number; readonly isSeen: boolean }

/** They name the program and call another one: 5,000 lamports each. */
async function floodSolana(counts: readonly number[]): Promise<readonly Row[]> {
  const fixture = await createSolanaFixture()
  const provider = await startSolanaProvider(fixture.local)
  const client = fixture.connect({ endpoints: { rpc: [provider.url] } })
  try {
    const rows: Row[] = []
    for (const strangers of counts) {
      // The newest slots are listed again: the flood before must be below them.
      fixture.local.mine(40)
      const { newSwap, initiate, redeem, flood, poll } = await openFlood(fixture, provider, client)
      const swap = newSwap()
      await initiate(swap)
      fixture.local.mine()
      await poll([swap])
      flood(strangers / 2)
      const tx = redeem(swap)
      flood(strangers / 2)
      fixture.local.mine()
      const { calls, events } = await poll([swap])
      rows.push({ strangers, calls, isSeen: events.some((event) => event.tx === tx && event.kind === 'redeemed') })
    }
    return rows
  } finally {
    await client.close()
    await provider.close()
    await fixture.close()
  }
}

/** They make registries of the module: each is a transaction with an event of our package. */
async function floodSui(counts: readonly number[]): Promise<readonly Row[]> {
  const fixture = await createSuiFixture()
  const { devnet, user, solver } = fixture
  const provider = await startSuiProvider(devnet.chain)
  const client = fixture.connect({ endpoints: { rpc: [provider.url] } })
  const asset = 'sui_localnet:sui'
  const htlc = fixture.deployedOf(asset)
  const { sender } = devnet.faucet
  const flood = async (count: number) => {
    for (let i = 0; i < count; i += 1) await sender.execute((tx) => createRegistryCall(tx, htlc.packageId, htlc.coinType))
  }
  /** Of the next checkpoint. */
  const poll = async (swapId: string, terms: HtlcTerms) => {
    devnet.chain.mine()
    const end = await client.tip()
    provider.asked.length = 0
    const read = await client.branchEvents?.(createWatchedSwaps([{ swapId, terms, deposits: [] }]), end.height, end, [])
    return read?.events ?? []
  }
  try {
    const rows: Row[] = []
    for (const strangers of counts) {
      const secret = createSecret()
      const terms = {
        asset,
        initiator: user.address,
        redeemer: solver.address,
        amount: 1_000n,
        timelock: 600_000n,
        secretHash: hashSecret(secret),
      } as const
      const swapId = swapIdOf(htlc, terms)
      await sender.execute((tx) => initiateCall(tx, htlc, orderTermsOf(terms), tx.splitCoins(tx.gas, [terms.amount])))
      await poll(swapId, terms)
      await flood(strangers / 2)
      await sender.execute((tx) => redeemCall(tx, htlc, swapId, secret))
      await flood(strangers / 2)
      const events = await poll(swapId, terms)
      rows.push({ strangers, calls: provider.asked.length, isSeen: events.some(({ kind }) => kind === 'redeemed') })
    }
    return rows
  } finally {
    await client.close()
    await provider.close()
    await fixture.close()
  }
}

type Flood = {
  readonly name: string
  readonly play: (counts: readonly number[]) => Promise<readonly Row[]>
  /** Calls of a poll at most. */
  readonly limit: (quietCalls: number, strangers: number) => number
}

/** Solana: beside the usual calls, eight transactions that are none of ours, the accounts of open orders, and the list of the one that changed. */
const SOLANA_MORE = 20
/** Sui: a few transactions are read one by one, more of them with their checkpoint. */
const SUI_MORE = 4

const floods: readonly Flood[] = [
  { name: 'Solana: they name the program', play: floodSolana, limit: (quiet) => quiet + SOLANA_MORE },
  { name: 'Sui: they call the package', play: floodSui, limit: (quiet) => quiet + SUI_MORE },
]

export const floodsBench: Bench = {
  name: 'floods',
  about: 'strangers’ transactions on a chain: calls of a poll, and whether an open order’s spend is still seen',
  conditions:
    'Counted at a simulated node, one provider. One open order; its redeem is in the middle of the strangers’ transactions, all in one block, which one poll reads. Counts do not depend on the machine. Ratio: calls with strangers / without.',
  async run({ size, onProgress }) {
    const rows: (readonly (string | number)[])[] = []
    let ok = true
    for (const { name, play, limit } of floods) {
      onProgress(name)
      const measured = await play(COUNTS[size])
      const quiet = measured[0]?.calls ?? 0
      for (const { strangers, calls, isSeen } of measured) {
        const most = limit(quiet, strangers)
        ok &&= isSeen && calls <= most
        rows.push([name, strangers, calls, most, (calls / quiet).toFixed(1), isSeen ? 'yes' : 'no'])
      }
    }
    return { ok, table: { columns: ['flood', 'strangers’ transactions', 'calls', 'limit', 'ratio', 'spend seen'], rows } }
  },
}
