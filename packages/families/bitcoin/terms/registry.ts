/**
 * Lists the chains of the family in each environment, and what can be swapped on them. Main networks allow about 50 to 100,000 US dollars
 * a swap. The chain's own documentation or several public code bases name the `publicRpcs`. Their operators are not trusted: hence the
 * quorum. The comment above an address names its sources, which agree. Explorers without a source are unchecked.
 */
import type { Chain, SmallDeposits } from '@tandem/protocol/chain.ts'
import { localCurrencies, mainnetCurrencies, testnetCurrencies } from '@tandem/protocol/registry/currencies.ts'
import type { Environment, FamilyRows } from '@tandem/protocol/registry/environment.ts'
import { coinsOf, currency } from '@tandem/protocol/registry/listing.ts'

const HOUR = 3600n
const coin = coinsOf('bitcoin:htlc')

/**
 * The mean block time is 600 s. Over the 100 and more blocks of a source timelock the pace is at least 0.66 times the mean (hash rate
 * that grows between two retargets); over the 50 and fewer of a destination timelock it is at most 2.5 times.
 *
 * The destination timelock must be neither too short nor too long:
 * - Too short: the reveal rule counts the blocks left at the FASTEST pace, and they must cover the claim and the fee-spike margin. 18 blocks have 16
 *   left after two confirmations: 6,336 s, less two margins of 2,400 s, leaves 1,536 s to show the secret. (12 blocks have 10 left: 3,960 s, less than
 *   the two margins. The secret could never be shown, and no swap to Bitcoin would complete.)
 * - Too long: the solver counts the same blocks at the SLOWEST pace, with nine margins on top if the source is Bitcoin-like too. That
 *   leaves 8,424 s of the source timelock.
 *
 * The three margins of an action, 7,200 s together, are twelve mean block times: the odds that fewer than two blocks are mined
 * in them are below 1 in 10,000.
 */
const bitcoinClock = {
  margins: { claimSeconds: 2400n, reorgSeconds: 2400n, feeSpikeSeconds: 2400n },
  fundingWindowSeconds: 6n * HOUR,
  heightsMaySkip: false,
  needsHtlcContract: false,
  htlcSchemas: ['bitcoin:htlc'],
  tokenSchemas: [],
} as const satisfies Partial<Chain>

/** The tolerance exists because wallets and exchanges subtract their fee from the amount, or round it. */
function partialDeposits(small: SmallDeposits) {
  return { kind: 'partial', toleranceBips: 300, small } as const
}

const bitcoinLike = {
  ...bitcoinClock,
  family: 'bitcoin',
  blockMs: 600_000n,
  // To undo two blocks a miner forgoes two block rewards, which are worth more than the largest swap; the reorg margin is four blocks.
  requiredConfirmations: 2,
  finalityBlocks: 12,
  // The value is that of two rewards of 3.125 BTC, at some 50,000 dollars.
  unfinalUsd: 300_000n,
  clock: { unit: 'blocks', expiry: 'relative', fastestMs: 396_000n, slowestMs: 1_500_000n, slackSeconds: 0n },
  timelocks: { source: 144n, destination: 18n },
  // The time is that of nine blocks: one block in 8,000 takes longer.
  haltSeconds: 5400n,
  pollMs: 10_000,
  feeBumpSeconds: 900n,
  // A refund is 133 vB. `hopelessBelow` is its fee at 1 sat/vB, `smallBelow` at 100, each plus the dust limit of 294. A rate of 100 does
  // not last for 30 days.
  deposits: partialDeposits({ hopelessBelow: 427n, smallBelow: 13_594n, writeOffAfterUnits: 4320n }),
} as const satisfies Partial<Chain>

/** Litecoin has the same wall-clock times as Bitcoin, with four blocks for each Bitcoin block. */
const litecoinLike = {
  ...bitcoinClock,
  family: 'bitcoin',
  blockMs: 150_000n,
  // A reward is worth less here than on Bitcoin, so it takes more of them to make a reorg too expensive; the reorg margin is sixteen blocks.
  requiredConfirmations: 6,
  finalityBlocks: 48,
  // The value is that of six rewards of 6.25 LTC, and of what the same miners earn on Dogecoin meanwhile: some 5,000 dollars a block.
  unfinalUsd: 30_000n,
  clock: { unit: 'blocks', expiry: 'relative', fastestMs: 99_000n, slowestMs: 375_000n, slackSeconds: 0n },
  timelocks: { source: 576n, destination: 72n },
  haltSeconds: 2700n,
  pollMs: 5000,
  feeBumpSeconds: 300n,
  // The amounts are those of Bitcoin, with the dust limit of 2,940.
  deposits: partialDeposits({ hopelessBelow: 3073n, smallBelow: 16_240n, writeOffAfterUnits: 17_280n }),
} as const satisfies Partial<Chain>

/**
 * To undo n blocks on purpose, a miner forgoes n rewards of 3.125 bitcoin: even one is worth more than the largest swap. What remains are accidental
 * forks, nearly always one block deep, in which a prepared double spend may win by chance. Below 0.01 bitcoin that chance is not worth
 * its fees to an attacker. From half a bitcoin on we also wait out an accidental fork of two blocks.
 */
const bitcoinTiers = [
  { from: 0n, confirmations: 1 },
  { from: 1_000_000n, confirmations: 2 },
  { from: 50_000_000n, confirmations: 3 },
] as const

/**
 * A reward is 6.25 litecoin: to undo two blocks costs a miner 12.5, to undo six about 37. For larger amounts the cost of half of all hash rate
 * counts: twelve blocks take half an hour.
 */
const litecoinTiers = [
  { from: 0n, confirmations: 2 },
  { from: 500_000_000n, confirmations: 6 },
  { from: 3_000_000_000n, confirmations: 12 },
] as const

const BLOCK_STORMS =
  'After twenty minutes without a block this network lets anyone mine one at the least difficulty, so hundreds may follow each other in ' +
  'minutes. A timelock in blocks then has no predictable duration: a source may expire before its destination. Use it for coins without value only.'

const mainnet: Environment = {
  chains: [
    {
      ...bitcoinLike,
      id: 'bitcoin',
      reference: 'bitcoin:mainnet',
      displayName: 'Bitcoin',
      icon: { text: 'BTC', color: '#f7931a' },
      nativeAsset: 'bitcoin:btc',
      explorerUrl: 'https://mempool.space',
    },
    {
      ...litecoinLike,
      id: 'litecoin',
      reference: 'litecoin:mainnet',
      displayName: 'Litecoin',
      icon: { text: 'LTC', color: '#345d9d' },
      nativeAsset: 'litecoin:ltc',
      explorerUrl: 'https://litecoinspace.org',
    },
  ],
  assets: [
    coin('bitcoin', mainnetCurrencies.btc, bitcoinTiers),
    // The maximum is a quarter of the others: a reorg is cheaper here.
    coin('litecoin', currency('Litecoin', 'LTC', 8, [50_000_000n, 25_000_000_000n]), litecoinTiers),
  ],
}

const testnet: Environment = {
  chains: [
    {
      ...bitcoinLike,
      id: 'alpen_signet',
      // This is a separate signet (BIP325). We do not know its block 1, which tells it apart: its asset is inactive until the operator names that block.
      reference: 'bitcoin:signet-alpen',
      displayName: 'Alpen Signet',
      icon: { text: 'aBTC', color: '#a8581c' },
      nativeAsset: 'alpen_signet:btc',
      explorerUrl: '',
      clockException: 'The signers of a signet make blocks when they like, and those of this one have published no pace.',
    },
    {
      ...bitcoinLike,
      id: 'bitcoin_testnet',
      reference: 'bitcoin:testnet4',
      displayName: 'Bitcoin Testnet4',
      icon: { text: 'tBTC', color: '#5fa04e' },
      nativeAsset: 'bitcoin_testnet:btc',
      explorerUrl: 'https://mempool.space/testnet4',
      // Blocks of the lowest difficulty compete, and are replaced several at a time.
      usualReorgBlocks: 6,
      finalityBlocks: 144,
      haltSeconds: 7200n,
      clockException: BLOCK_STORMS,
    },
    {
      ...litecoinLike,
      id: 'litecoin_testnet',
      reference: 'litecoin:testnet',
      displayName: 'Litecoin Testnet',
      icon: { text: 'tLTC', color: '#345d9d' },
      nativeAsset: 'litecoin_testnet:ltc',
      explorerUrl: 'https://litecoinspace.org/testnet',
      finalityBlocks: 240,
      haltSeconds: 7200n,
      clockException: BLOCK_STORMS,
    },
  ],
  assets: [
    coin('alpen_signet', testnetCurrencies.btc),
    coin('bitcoin_testnet', testnetCurrencies.btc),
    coin('litecoin_testnet', currency('Litecoin', 'LTC', 8, [1_000_000n, 10_000_000_000n])),
  ],
}

const bitcoinDefaults = {
  family: 'bitcoin',
  explorerUrl: '',
  blockMs: 2000n,
  heightsMaySkip: false,
  requiredConfirmations: 1,
  usualReorgBlocks: 3,
  finalityBlocks: 6,
  clock: { unit: 'blocks', expiry: 'relative', fastestMs: 2_000n, slowestMs: 10_000n, slackSeconds: 0n },
  margins: { claimSeconds: 10n, reorgSeconds: 10n, feeSpikeSeconds: 10n },
  timelocks: { source: 200n, destination: 24n },
  fundingWindowSeconds: 6n * 3600n,
  haltSeconds: 600n,
  pollMs: 200,
  feeBumpSeconds: 90n,
  needsHtlcContract: false,
  htlcSchemas: ['bitcoin:htlc'],
  tokenSchemas: [],
} as const satisfies Partial<Chain>

const WRITE_OFF_AFTER_BLOCKS = 20n

const local: Environment = {
  chains: [
    {
      ...bitcoinDefaults,
      id: 'bitcoin_regtest',
      reference: 'bitcoin:regtest',
      displayName: 'Bitcoin Regtest',
      nativeAsset: 'bitcoin_regtest:btc',
      icon: { text: 'rBTC', color: '#f7931a' },
      deposits: { ...bitcoinLike.deposits, small: { ...bitcoinLike.deposits.small, writeOffAfterUnits: WRITE_OFF_AFTER_BLOCKS } },
    },
    {
      ...bitcoinDefaults,
      id: 'litecoin_regtest',
      reference: 'litecoin:regtest',
      displayName: 'Litecoin Regtest',
      nativeAsset: 'litecoin_regtest:ltc',
      icon: { text: 'rLTC', color: '#345d9d' },
      deposits: { ...litecoinLike.deposits, small: { ...litecoinLike.deposits.small, writeOffAfterUnits: WRITE_OFF_AFTER_BLOCKS } },
    },
  ],
  assets: [
    // Deposits from half a bitcoin or ten litecoin need a second confirmation.
    coin('bitcoin_regtest', localCurrencies.btc, [
      { from: 0n, confirmations: 1 },
      { from: 50_000_000n, confirmations: 2 },
    ]),
    coin('litecoin_regtest', currency('Litecoin', 'LTC', 8, [1_000_000n, 2_000_000_000n]), [
      { from: 0n, confirmations: 1 },
      { from: 1_000_000_000n, confirmations: 2 },
    ]),
  ],
}

export const rows: FamilyRows = { local, testnet, mainnet }
