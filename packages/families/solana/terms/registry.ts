/**
 * Lists the chains of the family in each environment, and their assets. Limits on main networks are about 50 to 100,000 US dollars a swap.
 * The comment above an address names its sources, which agree. Explorers without a source are unchecked.
 */
import type { Chain } from '@tandem/protocol/chain.ts'
import { type AddableFamily, withoutDetails } from '@tandem/protocol/registry/addable.ts'
import { localCurrencies, mainnetCurrencies, testnetCurrencies } from '@tandem/protocol/registry/currencies.ts'
import type { Environment, FamilyRows } from '@tandem/protocol/registry/environment.ts'
import { coinsOf, currency, tokensOf } from '@tandem/protocol/registry/listing.ts'
import { localChain } from '@tandem/protocol/registry/seconds-clock.ts'

const HOUR = 3600n
const coin = coinsOf('solana:htlc')
const token = tokensOf('solana:htlc_spltoken', 'solana:spltoken')
/** The issuer confirms no address for that test network. An operator may name a token of its own in its deployments. */
const UNCONFIRMED = null

/** Slots of 400 ms take 0.9 to 1.5 times as long. A block is final when 31 more are voted on: nodes call it `finalized`. */
const solanaFamily = {
  family: 'solana',
  blockMs: 400n,
  heightsMaySkip: true,
  deposits: { kind: 'exact' },
  needsHtlcContract: true,
  settledHtlcKeepsRent: true,
  requiredConfirmations: 32,
  finalityBlocks: 64,
  // The limit is the same as on Tron.
  unfinalUsd: 500_000n,
  finalityTag: 'finalized',
  clock: { unit: 'slots', expiry: 'relative', fastestMs: 360n, slowestMs: 600n, slackSeconds: 0n },
  margins: { claimSeconds: 300n, reorgSeconds: 60n, feeSpikeSeconds: 300n },
  timelocks: { source: 216_000n, destination: 18_000n },
  fundingWindowSeconds: HOUR,
  haltSeconds: 120n,
  pollMs: 1000,
  feeBumpSeconds: 20n,
  htlcSchemas: ['solana:htlc', 'solana:htlc_spltoken'],
  tokenSchemas: ['solana:spltoken'],
} as const satisfies Partial<Chain>

const mainnet: Environment = {
  chains: [
    {
      ...solanaFamily,
      id: 'solana',
      reference: 'solana:mainnet',
      displayName: 'Solana',
      icon: { text: 'SOL', color: '#7b3fe4' },
      nativeAsset: 'solana:sol',
      explorerUrl: 'https://explorer.solana.com',
    },
  ],
  assets: [
    // The sources are Drift's spot markets, with 8 decimals, and DefiLlama's adapters.
    token('solana', mainnetCurrencies.cbbtc, 'cbbtcf3aa214zXHbiAZQwf4122FBYbraNdFqgw4iMij'),
    coin('solana', currency('Solana', 'SOL', 9, [300_000_000n, 600_000_000_000n])),
    // The sources are Circle's repository `skills` (use-usdc) and Uniswap's default token list.
    token('solana', mainnetCurrencies.usdc, 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'),
  ],
}

const testnet: Environment = {
  chains: [
    {
      ...solanaFamily,
      id: 'solana_testnet',
      // Clients in the field know this name as chain 103, which is the devnet cluster; Circle's test USDC is there too.
      reference: 'solana:devnet',
      displayName: 'Solana Devnet',
      icon: { text: 'SOL', color: '#7b3fe4' },
      nativeAsset: 'solana_testnet:sol',
      explorerUrl: 'https://explorer.solana.com/?cluster=devnet',
      explorerTxUrl: 'https://explorer.solana.com/tx/{tx}?cluster=devnet',
    },
  ],
  assets: [
    token('solana_testnet', testnetCurrencies.cbbtc, UNCONFIRMED),
    coin('solana_testnet', currency('Solana', 'SOL', 9, [10_000_000n, 10_000_000_000n])),
    // The source is Circle's repository `skills` (use-usdc), for Devnet.
    token('solana_testnet', testnetCurrencies.usdc, '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU'),
  ],
}

const solanaDefaults = {
  ...solanaFamily,
  ...localChain,
  usualReorgBlocks: 3,
  // At least 350 of 450 slots wait for the clock or for blocks on demand, which are no more than the slots by the clock. That takes 70 s.
  clock: { unit: 'slots', expiry: 'relative', fastestMs: 150n, slowestMs: 400n, slackSeconds: 10n },
  timelocks: { source: 8000n, destination: 450n },
} as const satisfies Partial<Chain>

const local: Environment = {
  chains: [
    {
      ...solanaDefaults,
      id: 'solana_localnet',
      // The reference has the genesis hash of the local chain.
      reference: 'solana:Bgk8syxnq4jbmHxhiazStka9AwY5Vyip62epmTZRKpbG',
      displayName: 'Solana Localnet',
      icon: { text: 'SOL', color: '#7b3fe4' },
      nativeAsset: 'solana_localnet:sol',
      explorerUrl: '',
    },
  ],
  assets: [
    coin('solana_localnet', currency('Solana', 'SOL', 9, [10_000_000n, 100_000_000_000n])),
    token('solana_localnet', localCurrencies.usdc, null),
    token('solana_localnet', localCurrencies.cbbtc, null),
  ],
}

export const rows: FamilyRows = { local, testnet, mainnet }

const publicKinds = { solana: solanaFamily }

export const addable: AddableFamily = {
  kinds: { mainnet: publicKinds, testnet: publicKinds, local: { local: solanaDefaults } },
  reference: { pattern: /^solana:[1-9A-HJ-NP-Za-km-z]{32,44}$/, example: '"solana:<genesis hash>"' },
  familyData: withoutDetails,
  coin: { decimals: 9, asset: (chain, currency) => coin(chain.id, currency) },
  token: {
    pattern: /^[1-9A-HJ-NP-Za-km-z]{32,44}$/,
    form: 'the address of a mint in base58',
    // A mint has its decimals in one byte, and its supply in 64 bits.
    maxDecimals: 18,
    isAccount: false,
    asset: (chain, currency, address) => token(chain.id, currency, address),
  },
}
