/** Sends strangers' transactions that name the program or an order, and counts the calls of polls over open orders. */
import { type Address, createNoopSigner, type Instruction } from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { ActiveSwap } from '@tandem/chain-kit/port/watched-swaps.ts'
import { createWatchedSwaps } from '@tandem/party/engine/watched-swaps.ts'
import type { HtlcEvent, HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, type Hex32, hashSecret } from '@tandem/protocol/secret.ts'
import { initiateSol, redeemSol } from '../contract/client/instructions.ts'
import { orderTermsOf, swapIdOf } from '../terms/htlc.ts'
import type { TestProvider } from './nodes/provider.fixture.ts'
import type { SolanaFixture } from './solana.fixture.ts'

export const ASSET = 'solana_localnet:sol'

export type Swap = { readonly terms: HtlcTerms; readonly secret: Hex32; readonly order: Address }

export interface FloodFixture {
  newSwap(): Swap
  initiate(swap: Swap): Promise<string>
  redeem(swap: Swap): string
  /** The transactions name the program and these accounts, call another program, and cost 5,000 lamports each. */
  flood(count: number, ...more: readonly Address[]): void
  poll(swaps: readonly Swap[]): Promise<{ readonly calls: number; readonly events: readonly HtlcEvent[] }>
}

let sent = 1n

export async function openFlood(fixture: SolanaFixture, provider: TestProvider, client: ChainClient): Promise<FloodFixture> {
  const recorded: HtlcEvent[] = []
  let next = (await client.tip()).height + 1n

  return {
    newSwap() {
      const secret = createSecret()
      const [initiator, redeemer] = [fixture.user.address, fixture.solver.address]
      const terms = { asset: ASSET, initiator, redeemer, amount: 10_000_000n, timelock: 400n, secretHash: hashSecret(secret) } as const
      return { terms, secret, order: swapIdOf(fixture.contracts.of(ASSET), terms) as Address }
    },
    async initiate({ terms }) {
      const { user, program, contracts } = fixture
      const initiateBefore = (await client.tip()).time + 60n
      const order = { ...orderTermsOf(contracts.of(ASSET), terms), mint: null }
      return fixture.send([initiateSol(program, order, { funder: user.address, rentPayer: user.address, initiateBefore })], user)
    },
    redeem: ({ order, secret }) =>
      fixture.send([redeemSol(fixture.program, order, fixture.solver.address, Uint8Array.from(Buffer.from(secret, 'hex')))], fixture.user),
    flood(count, ...more) {
      const { address } = fixture.user
      for (let i = 0; i < count; i += 1) {
        sent += 1n
        const transfer = getTransferSolInstruction({ source: createNoopSigner(address), destination: address, amount: sent })
        const accounts = [...transfer.accounts, ...[fixture.program, ...more].map((one) => ({ address: one, role: 0 as const }))]
        fixture.send([{ ...transfer, accounts } as Instruction], fixture.user)
      }
    },
    async poll(swaps) {
      const watched = swaps.map(
        ({ terms, order }): ActiveSwap => ({
          swapId: order,
          terms,
          deposits: recorded.some(({ kind, swapId }) => kind === 'initiated' && swapId === order) ? [order] : [],
        }),
      )
      const end = await client.tip()
      provider.asked.length = 0
      const read = await client.branchEvents?.(createWatchedSwaps(watched), next, end, [])
      const calls = provider.asked.length
      const known = new Set(recorded.map(({ tx, index }) => `${tx} ${index}`))
      const events = (read?.events ?? []).filter(({ tx, index }) => !known.has(`${tx} ${index}`))
      recorded.push(...events)
      next = end.height + 1n
      return { calls, events }
    },
  }
}
