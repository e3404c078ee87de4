/**
 * Lists the chains of the family in each environment, and what can be swapped on them. Main networks allow about 50 to 100,000 US dollars
 * a swap. The chain's own documentation or several public code bases name the `publicRpcs`. Their operators are not trusted: hence the
 * quorum. The comment above an address names its sources, which agree. Explorers without a source are unchecked.
 */
import type { Chain } from '@tandem/protocol/chain.ts'
import { type AddableFamily, withoutDetails } from '@tandem/protocol/registry/addable.ts'
import type { Environment, FamilyRows } from '@tandem/protocol/registry/environment.ts'
import { coinsOf, currency } from '@tandem/protocol/registry/listing.ts'
import { localChain } from '@tandem/protocol/registry/seconds-clock.ts'

const HOUR = 3600n
const coin = coinsOf('xrpl:escrow')

/**
 * A validated ledger is final. Escrows name the close time of a ledger at which they expire.
 *
 * No escrow ends early, so both durations are as short as `registry.test.ts` allows. The timelock counts from the deadline: all of it is left for who pays
 * at the last moment, and the funding window comes on top for who pays at once.
 */
const xrplFamily = {
  family: 'xrpl',
  blockMs: 4000n,
  heightsMaySkip: false,
  deposits: { kind: 'exact' },
  needsHtlcContract: false,
  hasNoEarlyRefund: true,
  requiredConfirmations: 1,
  finalityBlocks: 16,
  clock: { unit: 'seconds', expiry: 'absolute', fastestMs: 1000n, slowestMs: 1000n, slackSeconds: 300n },
  margins: { claimSeconds: 300n, reorgSeconds: 0n, feeSpikeSeconds: 300n },
  timelocks: { source: 22n * HOUR, destination: 2n * HOUR },
  fundingWindowSeconds: HOUR / 2n,
  haltSeconds: 120n,
  pollMs: 2000,
  feeBumpSeconds: 20n,
  htlcSchemas: ['xrpl:escrow'],
  tokenSchemas: [],
} as const satisfies Partial<Chain>

const mainnet: Environment = {
  chains: [
    {
      ...xrplFamily,
      id: 'xrpl',
      reference: 'xrpl:mainnet',
      displayName: 'XRP Ledger',
      icon: { text: 'XRP', color: '#23292f' },
      nativeAsset: 'xrpl:xrp',
      explorerUrl: 'https://livenet.xrpl.org',
      explorerTxUrl: 'https://livenet.xrpl.org/transactions/{tx}',
      // Blocks are final at once, and a fault of the validators could still undo them: what a solver can stand to lose at once.
      unfinalUsd: 250_000n,
    },
  ],
  assets: [coin('xrpl', currency('XRP', 'XRP', 6, [20_000_000n, 40_000_000_000n]))],
}

const testnet: Environment = {
  chains: [
    {
      ...xrplFamily,
      id: 'xrpl_testnet',
      reference: 'xrpl:testnet',
      displayName: 'XRP Ledger Testnet',
      icon: { text: 'XRP', color: '#23292f' },
      nativeAsset: 'xrpl_testnet:xrp',
      explorerUrl: 'https://testnet.xrpl.org',
      explorerTxUrl: 'https://testnet.xrpl.org/transactions/{tx}',
    },
  ],
  assets: [coin('xrpl_testnet', currency('XRP', 'XRP', 6, [1_000_000n, 1_000_000_000n]))],
}

const xrplDefaults = {
  ...xrplFamily,
  ...localChain,
  blockMs: 1000n,
  blockBoundsMs: { fastest: 1n, slowest: 10_000n },
  // Close times are rounded by 5 s. Ledgers on demand let the clock run ahead, by 60 s at most; then ledgers without transactions wait for it.
  // So 1200 s of it take at least 1135 s.
  clock: { ...xrplFamily.clock, fastestMs: 940n, slackSeconds: 75n },
  timelocks: { source: 1200n, destination: 180n },
} as const satisfies Partial<Chain>

const local: Environment = {
  chains: [
    {
      ...xrplDefaults,
      id: 'xrpl_localnet',
      // This is the network's id. Up to 1024 transactions do not name it.
      reference: 'xrpl:1000',
      displayName: 'XRP Ledger Localnet',
      icon: { text: 'XRP', color: '#23292f' },
      nativeAsset: 'xrpl_localnet:xrp',
      explorerUrl: '',
    },
  ],
  assets: [coin('xrpl_localnet', currency('XRP', 'XRP', 6, [1_000_000n, 10_000_000_000n]))],
}

export const rows: FamilyRows = { local, testnet, mainnet }

const publicKinds = { xrpl: xrplFamily }

export const addable: AddableFamily = {
  kinds: { mainnet: publicKinds, testnet: publicKinds, local: { local: xrplDefaults } },
  reference: { pattern: /^xrpl:[1-9][0-9]{0,8}$/, example: '"xrpl:<network id>"' },
  familyData: withoutDetails,
  coin: { decimals: 6, asset: (chain, currency) => coin(chain.id, currency) },
  token: null,
}
