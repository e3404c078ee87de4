/**
 * Data shared by all chains of one family: schemas, clocks, timelocks and margins.
 * Every ordered pair of chains passes `assertTimelocksSafe`, and every chain leaves time for the reveal rule as a destination:
 * `environments.test.ts` goes through all of them.
 * `blockMs` of Sui and the XRP Ledger are estimates.
 */
import type { Chain, SmallDeposits } from '../chain.ts'
import { hyperEvmLike } from './evm-families.ts'
import { secondsClock } from './seconds-clock.ts'

const HOUR = 3600n

/**
 * Mean block time 600 s. Over the 100 and more blocks of a source timelock the pace is at least 0.66 times the mean (hash rate
 * that grows between two retargets); over the 50 and fewer of a destination timelock it is at most 2.5 times.
 *
 * The destination timelock must be neither too short nor too long:
 * - Too short: the reveal rule counts the blocks left at the FASTEST pace, and they must cover the claim and the fee-spike margin. 18 blocks have 16
 *   left after two confirmations: 6,336 s, less two margins of 2,400 s, leaves 1,536 s to show the secret. (12 blocks have 10 left: 3,960 s, less than
 *   the two margins. The secret could never be shown, and no swap to Bitcoin would complete.)
 * - Too long: the solver counts the same blocks at the SLOWEST pace, with nine margins on top if the source is Bitcoin-like too. Of the source
 *   timelock that leaves 8,424 s.
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

export const bitcoinLike = {
  ...bitcoinClock,
  family: 'bitcoin',
  blockMs: 600_000n,
  // To undo two blocks a miner forgoes two block rewards, which are worth more than the largest swap; the reorg margin is four blocks.
  requiredConfirmations: 2,
  finalityBlocks: 12,
  // Two rewards of 3.125 BTC, at some 50,000 dollars.
  unfinalUsd: 300_000n,
  clock: { unit: 'blocks', expiry: 'relative', fastestMs: 396_000n, slowestMs: 1_500_000n, slackSeconds: 0n },
  timelocks: { source: 144n, destination: 18n },
  // Nine block times: one block in 8,000 takes longer.
  haltSeconds: 5400n,
  pollMs: 10_000,
  feeBumpSeconds: 900n,
  // A refund is 133 vB. `hopelessBelow`: at 1 sat/vB plus the dust limit of 294. `smallBelow`: at 100 sat/vB plus the dust limit; such rates do not last for 30 days.
  deposits: partialDeposits({ hopelessBelow: 427n, smallBelow: 13_594n, writeOffAfterUnits: 4320n }),
} as const satisfies Partial<Chain>

/** As Bitcoin in wall-clock time, with four blocks for each Bitcoin block. */
export const litecoinLike = {
  ...bitcoinClock,
  family: 'bitcoin',
  blockMs: 150_000n,
  // A reward is worth less here than on Bitcoin, so it takes more of them to make a reorg too expensive; the reorg margin is sixteen blocks.
  requiredConfirmations: 6,
  finalityBlocks: 48,
  // Six rewards of 6.25 LTC, and what the same miners earn on Dogecoin meanwhile: some 5,000 dollars a block.
  unfinalUsd: 30_000n,
  clock: { unit: 'blocks', expiry: 'relative', fastestMs: 99_000n, slowestMs: 375_000n, slackSeconds: 0n },
  timelocks: { source: 576n, destination: 72n },
  haltSeconds: 2700n,
  pollMs: 5000,
  feeBumpSeconds: 300n,
  // As on Bitcoin, except for the dust limit of 2,940.
  deposits: partialDeposits({ hopelessBelow: 3073n, smallBelow: 16_240n, writeOffAfterUnits: 17_280n }),
} as const satisfies Partial<Chain>

/** A block is solid when 19 of 27 representatives have built on it: the tag `finalized` of its Ethereum-like JSON-RPC. */
export const tronFamily = {
  ...secondsClock,
  family: 'tron',
  blockMs: 3000n,
  blockBoundsMs: { fastest: 3000n, slowest: 60_000n },
  requiredConfirmations: 20,
  finalityBlocks: 40,
  // No miner could undo it, but a fault of its operators or validators could: what a solver can stand to lose at once.
  unfinalUsd: 250_000n,
  finalityTag: 'finalized',
  pollMs: 2000,
  feeBumpSeconds: 30n,
  htlcSchemas: ['tron:htlc_erc20'],
  tokenSchemas: ['tron:erc20'],
} as const satisfies Partial<Chain>

/** The HTLC of a HyperCore asset is on HyperEVM, so its clock is the one of HyperEVM. */
export const hypercoreFamily = {
  ...secondsClock,
  family: 'hypercore',
  evm: hyperEvmLike.evm,
  blockMs: hyperEvmLike.blockMs,
  blockBoundsMs: hyperEvmLike.blockBoundsMs,
  requiredConfirmations: hyperEvmLike.requiredConfirmations,
  finalityBlocks: hyperEvmLike.finalityBlocks,
  unfinalUsd: hyperEvmLike.unfinalUsd,
  pollMs: 1000,
  feeBumpSeconds: 20n,
  htlcSchemas: ['hypercore:htlc', 'hypercore:htlc_erc20'],
  tokenSchemas: ['hypercore:erc20'],
} as const satisfies Partial<Chain>

/**
 * Sequencers of one operator agree on each block (Tendermint): confirmations guard against a node that shows a block too early, not against miners. A fault
 * of the sequencers is undone by the operator: an hour of blocks on 2 September 2025 (Starknet's incident report), 18 minutes on 5 January 2026. Only a
 * block that is proved on Ethereum is final. That takes hours; nodes call it `l1_accepted`.
 */
export const starknetFamily = {
  ...secondsClock,
  family: 'starknet',
  starknet: {
    // OpenZeppelin's account 1.0.0: Starknet Foundry's book names it as declared on mainnet and Sepolia.
    accountClass: '0x05b4b537eaa2399e3aa99c4e2e0208ebd6c71bc1467938cd52c798c601e43564',
    // STRK. Starknet's documentation of tokens: the same on mainnet and Sepolia.
    feeToken: '0x04718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d',
    // Our most expensive transaction takes some ten million L2 gas, some hundred L1 data gas and no L1 gas: at these prices 100 STRK, a
    // thousand times the usual fee.
    maxPerGas: { l1Gas: 10n ** 17n, l1DataGas: 10n ** 16n, l2Gas: 10n ** 13n },
  },
  // From block 1,960,612 on 2 September 2025 to 5,187,263 on 5 January 2026; SNIP-40 proposes slots of 1.5 seconds.
  blockMs: 3300n,
  blockBoundsMs: { fastest: 1000n, slowest: 60_000n },
  requiredConfirmations: 5,
  finalityBlocks: 240,
  // Blocks were undone twice, and finality takes hours.
  unfinalUsd: 250_000n,
  finalityTag: 'finalized',
  pollMs: 2000,
  feeBumpSeconds: 30n,
  htlcSchemas: ['starknet:htlc', 'starknet:htlc_erc20'],
  tokenSchemas: ['starknet:erc20'],
} as const satisfies Partial<Chain>

/** Slots of 400 ms: 0.9 to 1.5 times. A block is final when 31 more are voted on: nodes call it `finalized`. */
export const solanaFamily = {
  family: 'solana',
  blockMs: 400n,
  heightsMaySkip: true,
  deposits: { kind: 'exact' },
  needsHtlcContract: true,
  settledHtlcKeepsRent: true,
  requiredConfirmations: 32,
  finalityBlocks: 64,
  // As on Tron.
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

/** Checkpoints are final when they are made; their clock is in milliseconds. */
export const suiFamily = {
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

/** A validated ledger is final. Escrows name the close time of a ledger at which they expire. */
export const xrplFamily = {
  family: 'xrpl',
  blockMs: 4000n,
  heightsMaySkip: false,
  deposits: { kind: 'exact' },
  needsHtlcContract: false,
  requiredConfirmations: 1,
  finalityBlocks: 16,
  clock: { unit: 'seconds', expiry: 'absolute', fastestMs: 1000n, slowestMs: 1000n, slackSeconds: 300n },
  margins: { claimSeconds: 300n, reorgSeconds: 0n, feeSpikeSeconds: 300n },
  timelocks: { source: 25n * HOUR, destination: 2n * HOUR },
  fundingWindowSeconds: HOUR,
  haltSeconds: 120n,
  pollMs: 2000,
  feeBumpSeconds: 20n,
  htlcSchemas: ['xrpl:escrow'],
  tokenSchemas: [],
} as const satisfies Partial<Chain>
