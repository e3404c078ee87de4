/** Runs the conformance suite on the XRPL family, on the local chain. */
import type { ConformanceFixture } from '@tandem/chain-kit/testing/conformance.fixture.ts'
import { describeConformance } from '@tandem/chain-kit/testing/conformance.ts'
import { classicAddressToXAddress } from 'xrpl'
import { XRP } from '../local/xrpl.fixture.ts'
import { conditionOf } from '../terms/htlc.ts'
import { xrpl } from './index.ts'
import { openTestProviders } from './nodes/provider.fixture.ts'
import { escrowOf, xrplWays } from './strangers.fixture.ts'
import { createFamilyFixture } from './xrpl.fixture.ts'

const abilities = ['cancel', 'checkRecipient', 'inspectProviders', 'legCost', 'newBlocks', 'transfer'] as const

describeConformance('xrpl', { family: xrpl, abilities }, open)

/** The suite sets deadlines a minute after the newest ledger. */
const FUNDING_SECONDS = 60
/** The flag is `asfDepositAuth`. */
const DEPOSIT_AUTH = 9

async function open(): Promise<ConformanceFixture> {
  const fixture = await createFamilyFixture()
  const { devnet, user, solver } = fixture
  const { chain: local } = devnet
  const [client, secondClient] = [fixture.connect(), fixture.connect()]
  const { address } = user
  const tagged = classicAddressToXAddress(address, 7, true)
  const stranger = fixture.openParty(1000n * XRP)

  return {
    client,
    secondClient,
    asset: fixture.asset.id,
    amount: 25n * XRP,
    feeAllowance: XRP / 2n,
    depositReserve: XRP / 5n,
    redeemsAfterExpiry: false,
    timelock: 600n,
    termsAreUsedOnce: false,
    user: user.key,
    solver: solver.key,
    addresses: {
      good: [
        { text: address, canonical: address },
        { text: classicAddressToXAddress(address, false, true), canonical: address },
        { text: tagged, canonical: tagged },
        { text: classicAddressToXAddress(address, 0, true), canonical: classicAddressToXAddress(address, 0, true) },
      ],
      wrongChecksum: [swapEnd(address), swapEnd(tagged)],
      wrongNetwork: [
        classicAddressToXAddress(address, 7, false),
        'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
        'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
        `0x${'12'.repeat(20)}`,
      ],
      wrongLength: [address.slice(0, -1), `${address}r`, tagged.slice(0, -1), 'r'],
    },
    async fund(funding) {
      user.send(escrowOf(funding))
    },
    async underfund(terms, funding) {
      user.send({ ...escrowOf(funding), Amount: (terms.amount - 1n).toString() })
    },
    async lookAlike(terms, funding) {
      const escrow = escrowOf(funding)
      const { CancelAfter } = escrow
      user.send({ ...escrow, FinishAfter: CancelAfter - 100 })
      user.send({ ...escrow, DestinationTag: 1 })
      user.send({ ...escrow, Destination: stranger.address })
      user.send({ ...escrow, Condition: conditionOf('12'.repeat(32)) })
      stranger.send({ ...escrow, Account: stranger.address })
      user.send({ TransactionType: 'Payment', Destination: escrow.Destination, Amount: terms.amount.toString() })
    },
    strangers: {
      open: async () => xrplWays(fixture),
      sdk: { url: devnet.url.replace(/^ws/, 'http'), deployment: { htlc: null, token: null } },
    },
    async unpayableRedeemer() {
      const closed = fixture.openParty(100n * XRP)
      closed.send({ TransactionType: 'AccountSet', SetFlag: DEPOSIT_AUTH })
      local.mine()
      return closed.address
    },
    incapableRecipient: async () => fixture.openParty(0n).address,
    async mine(blocks) {
      local.mine(blocks)
    },
    async reorg(depth, { drop }) {
      local.faults.reorg(depth, { transactions: drop ? 'drop' : 'return', ledgers: depth + 1, remine: false })
    },
    async expire({ timelock }) {
      local.passSeconds(Number(timelock) + FUNDING_SECONDS)
    },
    providers: () => openTestProviders({ chain: local, connect: (ws, options) => fixture.connect({ endpoints: { ws }, ...options }) }),
    replacesUnmined: false,
    async close() {
      await Promise.all([client.close(), secondClient.close()])
      await fixture.close()
    },
  }
}

function swapEnd(text: string): string {
  return `${text.slice(0, -1)}${text.endsWith('r') ? 'p' : 'r'}`
}
