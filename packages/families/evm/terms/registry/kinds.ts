/** Defines the data that EVM chains of one kind share: fee model, finality tag, block times. It also defines the form of their assets. */
import type { Chain } from '@tandem/protocol/chain.ts'
import { coinsOf, tokensOf } from '@tandem/protocol/registry/listing.ts'
import { secondsClock } from '@tandem/protocol/registry/seconds-clock.ts'
import type { EvmData, FeeModel } from '../chain-data.ts'

export const coin = coinsOf('evm:htlc')
export const token = tokensOf('evm:htlc_erc20', 'evm:erc20')

const GWEI = 10n ** 9n

/**
 * A swap by a key takes 300,000 gas at most, and our keys sign no fee above that of twice as much gas. The caps per gas limit it to some hundred US
 * dollars, whatever the coin of the chain is worth: far above any fee seen, and below the cost of an unfulfilled obligation.
 */
const etherFees = { gasPrice: 'eip1559', dataFee: 'none', maxPerGas: 1000n * GWEI } as const satisfies FeeModel

/** On Arbitrum Nitro the gas estimate includes the cost of publishing on Ethereum. */
const arbitrumFees = { ...etherFees, dataFee: 'in-gas' } as const satisfies FeeModel
/** OP Stack charges for publishing on Ethereum beside the gas. */
const opStackFees = { ...etherFees, dataFee: 'op-stack' } as const satisfies FeeModel
/** The base fee of BNB Smart Chain is zero: legacy and EIP-1559 transactions cost the same. */
const bnbFees = { ...etherFees, gasPrice: 'legacy' } as const satisfies FeeModel
/** The gas coin is Bitcoin with 18 decimals. */
export const bitcoinGasFees = { ...etherFees, maxPerGas: 30n * GWEI } as const satisfies FeeModel
/** Citrea charges the change of state beside the gas, by `l1FeeRate` of the block (its documentation of fees). */
const citreaFees = { ...bitcoinGasFees, dataFee: 'citrea' } as const satisfies FeeModel
const hypeFees = { ...etherFees, maxPerGas: 50_000n * GWEI } as const satisfies FeeModel
/** Monad charges for the gas limit, used or not; its base fee is 100 gwei and more. */
const monadFees = { ...etherFees, maxPerGas: 10_000_000n * GWEI } as const satisfies FeeModel

export function charging(fees: FeeModel): EvmData {
  return { fees, hidesUnmined: false }
}

const evmFamily = {
  ...secondsClock,
  family: 'evm',
  familyData: charging(etherFees),
  htlcSchemas: ['evm:htlc', 'evm:htlc_erc20'],
  tokenSchemas: ['evm:erc20'],
} as const satisfies Partial<Chain>

/**
 * Ethereum's own consensus: six blocks make a reorg improbable, three epochs impossible without slashing a third of all stake.
 * The tag `safe` may be only a slot or two behind the tip (fast confirmation rule), so it is weaker than a depth.
 */
export const ethereumLike = {
  ...evmFamily,
  blockMs: 12_000n,
  // A missed slot takes 12 s too; ten in a row are next to impossible.
  blockBoundsMs: { fastest: 12_000n, slowest: 120_000n },
  finalityTag: 'finalized',
  requiredConfirmations: 6,
  finalityBlocks: 96,
  // A proposer of seven slots in a row can undo six blocks without being slashed, but needs a large share of all stake.
  unfinalUsd: 500_000n,
  pollMs: 4000,
  feeBumpSeconds: 60n,
} as const satisfies Partial<Chain>

/**
 * The chain is a rollup, or has fast finality: confirmations guard against a node that showed a block too early, not against miners.
 * `finalityTag` is set only where the chain documents its meaning: a tag that never moves would keep every order open.
 */
export const fastEvm = {
  ...evmFamily,
  finalityBlocks: 240,
  // No miner could undo it, but a fault of its sequencer or validators could: the limit is the amount that a solver can afford to lose at once.
  unfinalUsd: 250_000n,
  pollMs: 1000,
  feeBumpSeconds: 20n,
} as const satisfies Partial<Chain>

/** Nitro's v2.0.10 tags the newest block whose batch is in a block that Ethereum finalised. Without transactions there are no blocks. */
export const arbitrumLike = {
  ...fastEvm,
  familyData: charging(arbitrumFees),
  blockMs: 250n,
  blockBoundsMs: { fastest: 100n, slowest: 60_000n },
  requiredConfirmations: 20,
  finalityTag: 'finalized',
} as const satisfies Partial<Chain>

/** By OP Stack's documentation, the tag is the newest block derived from a block that Ethereum finalised. */
export const opStackLike = {
  ...fastEvm,
  familyData: charging(opStackFees),
  blockMs: 2000n,
  blockBoundsMs: { fastest: 2000n, slowest: 60_000n },
  requiredConfirmations: 5,
  finalityTag: 'finalized',
} as const satisfies Partial<Chain>

/** By BNB Chain's documentation, fast finality (BEP-126) finalises a block two blocks later, and the tag follows. */
export const bnbLike = {
  ...fastEvm,
  familyData: charging(bnbFees),
  // BNB Chain's announcement of its Fermi upgrade (BEP-619) has this number; viem has the 750 from before.
  blockMs: 450n,
  blockBoundsMs: { fastest: 400n, slowest: 30_000n },
  requiredConfirmations: 12,
  finalityTag: 'finalized',
} as const satisfies Partial<Chain>

/** As far as is known, Citrea's nodes accept block tags only in log filters. */
export const citreaLike = {
  ...fastEvm,
  familyData: charging(citreaFees),
  // This is an estimate, the one of Hyperlane's registry.
  blockMs: 2000n,
  blockBoundsMs: { fastest: 500n, slowest: 60_000n },
  requiredConfirmations: 5,
} as const satisfies Partial<Chain>

/** By Monad's documentation, a block is `finalized` two blocks later, and nodes do not show unmined transactions. */
export const monadLike = {
  ...fastEvm,
  familyData: { ...charging(monadFees), hidesUnmined: true },
  blockMs: 400n,
  blockBoundsMs: { fastest: 300n, slowest: 30_000n },
  requiredConfirmations: 5,
  finalityTag: 'finalized',
} as const satisfies Partial<Chain>

/** HyperBFT has no reorgs: confirmations guard only against a node that shows a block too early. */
export const hyperEvmLike = {
  ...fastEvm,
  familyData: charging(hypeFees),
  // By Hyperliquid's documentation, these are the fast ones of its two kinds of blocks.
  blockMs: 1000n,
  blockBoundsMs: { fastest: 500n, slowest: 60_000n },
  requiredConfirmations: 5,
  finalityBlocks: 20,
} as const satisfies Partial<Chain>
