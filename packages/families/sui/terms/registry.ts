/** Lists the chains of the family in each environment, and their assets. */
import type { Chain } from '@tandem/protocol/chain.ts'
import { type AddableFamily, withoutDetails } from '@tandem/protocol/registry/addable.ts'
import { localCurrencies } from '@tandem/protocol/registry/currencies.ts'
import type { Environment, FamilyRows } from '@tandem/protocol/registry/environment.ts'
import { coinsOf, currency, tokensOf } from '@tandem/protocol/registry/listing.ts'
import { localChain } from '@tandem/protocol/registry/seconds-clock.ts'

const HOUR = 3600n
const coin = coinsOf('sui:htlc')
const token = tokensOf('sui:htlc', 'sui:coin')

/** Checkpoints are final when they are made; their clock is in milliseconds. */
const suiFamily = {
  family: 'sui',
  blockMs: 250n,
  heightsMaySkip: false,
  deposits: { kind: 'exact' },
  needsHtlcContract: true,
  requiredConfirmations: 1,
  finalityBlocks: 16,
  clock: { unit: 'milliseconds', expiry: 'relative', fastestMs: 1n, slowestMs: 1n, slackSeconds: 300n },
  margins: { claimSeconds: 300n, reorgSeconds: 0n, feeSpikeSeconds: 300n },
  timelocks: { source: 86_400_000n, destination: 7_200_000n },
  fundingWindowSeconds: HOUR,
  haltSeconds: 120n,
  pollMs: 1000,
  feeBumpSeconds: 20n,
  htlcSchemas: ['sui:htlc'],
  tokenSchemas: ['sui:coin'],
} as const satisfies Partial<Chain>

const mainnet: Environment = {
  chains: [
    {
      ...suiFamily,
      id: 'sui',
      reference: 'sui:mainnet',
      displayName: 'Sui',
      icon: { text: 'SUI', color: '#2f7fd6' },
      nativeAsset: 'sui:sui',
      explorerUrl: 'https://suiscan.xyz/mainnet',
      // Blocks are final at once, and a fault of the validators could still undo them: what a solver can stand to lose at once.
      unfinalUsd: 250_000n,
    },
  ],
  // Swaps are about 50 to 100,000 US dollars.
  assets: [coin('sui', currency('Sui', 'SUI', 9, [20n * 10n ** 9n, 40_000n * 10n ** 9n]))],
}

const testnet: Environment = {
  chains: [
    {
      ...suiFamily,
      id: 'sui_testnet',
      reference: 'sui:testnet',
      displayName: 'Sui Testnet',
      icon: { text: 'SUI', color: '#2f7fd6' },
      nativeAsset: 'sui_testnet:sui',
      explorerUrl: 'https://suiscan.xyz/testnet',
    },
  ],
  assets: [coin('sui_testnet', currency('Sui', 'SUI', 9, [100_000_000n, 100_000_000_000n]))],
}

const suiDefaults = {
  ...suiFamily,
  ...localChain,
  blockMs: 1000n,
  blockBoundsMs: { fastest: 1n, slowest: 1000n },
  clock: { ...suiFamily.clock, slackSeconds: 10n },
  timelocks: { source: 1_200_000n, destination: 180_000n },
} as const satisfies Partial<Chain>

const local: Environment = {
  chains: [
    {
      ...suiDefaults,
      id: 'sui_localnet',
      // The reference has the digest of the local chain's first checkpoint.
      reference: 'sui:A7HDShQ4tdWnj1Z53jDLTokRrav7Ri1GidLZwoC5wmvd',
      displayName: 'Sui Localnet',
      icon: { text: 'SUI', color: '#2f7fd6' },
      nativeAsset: 'sui_localnet:sui',
      explorerUrl: '',
    },
  ],
  assets: [
    coin('sui_localnet', currency('Sui', 'SUI', 9, [100_000_000n, 100_000_000_000n])),
    token('sui_localnet', localCurrencies.usdc, null),
  ],
}

export const rows: FamilyRows = { local, testnet, mainnet }

const publicKinds = { sui: suiFamily }

export const addable: AddableFamily = {
  kinds: { mainnet: publicKinds, testnet: publicKinds, local: { local: suiDefaults } },
  reference: { pattern: /^sui:[1-9A-HJ-NP-Za-km-z]{32,44}$/, example: '"sui:<digest of the first checkpoint>"' },
  familyData: withoutDetails,
  coin: { decimals: 9, asset: (chain, currency) => coin(chain.id, currency) },
  token: {
    pattern: /^0x[0-9a-fA-F]{1,64}::\w{1,64}::\w{1,64}$/,
    form: 'the type of a coin, 0x…::<module>::<NAME>',
    // A coin has its decimals in one byte, and amounts in 64 bits.
    maxDecimals: 18,
    isAccount: false,
    asset: (chain, currency, address) => token(chain.id, currency, address),
  },
}
