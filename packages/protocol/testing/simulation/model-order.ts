/** One order is between two model chains, whose registry data is true of how the simulation runs them. */

import { localChains } from '@tandem/families/registry.ts'
import type { Chain } from '../../chain.ts'
import type { HtlcTerms } from '../../htlc.ts'
import type { Leg, Order } from '../../order.ts'
import { hashSecret } from '../../secret.ts'

export const SECRET = '5e'.repeat(32)
export const START = 1_700_000_000n
/** The simulation advances by this much; all its durations are multiples of it. */
export const STEP_SECONDS = 5
export const FUNDING_SECONDS = 300
export const MAX_LAG_SECONDS = 10
/** A reorg below the required confirmations undoes this many blocks. */
export const REORG_DEPTH = 1

export type ModelKind = 'blocks' | 'seconds' | 'absolute'

/** The family does not matter, because the simulation uses no family data. */
const baseChain = localChains.find((chain) => chain.deposits.kind === 'exact')
if (baseChain === undefined) throw new Error('the local registry has no chain that is funded once')

const modelDefaults = {
  ...baseChain,
  reference: 'model',
  displayName: 'Model',
  icon: { text: 'M', color: '#000000' },
  nativeAsset: 'model:coin',
  blockMs: 10_000n,
  explorerUrl: '',
  heightsMaySkip: false,
  requiredConfirmations: REORG_DEPTH + 1,
  finalityBlocks: 6,
  fundingWindowSeconds: BigInt(FUNDING_SECONDS),
  haltSeconds: 3600n,
  pollMs: 1000,
  feeBumpSeconds: 10n,
  htlcSchemas: [],
  tokenSchemas: [],
} as const satisfies Partial<Chain>

const modelSeconds = {
  ...modelDefaults,
  id: 'model_seconds',
  clock: { unit: 'seconds', expiry: 'relative', fastestMs: 1000n, slowestMs: 1000n, slackSeconds: 10n },
  margins: { claimSeconds: 50n, reorgSeconds: 20n, feeSpikeSeconds: 30n },
  timelocks: { source: 1200n, destination: 150n },
} as const satisfies Chain

/** The claim margin covers a lag, a missed poll, a step and two blocks. The reorg margin covers two more blocks, the fee margin the longest of `delays`. */
export const modelChains: Readonly<Record<ModelKind, Chain>> = {
  blocks: {
    ...modelDefaults,
    id: 'model_blocks',
    deposits: { kind: 'partial', toleranceBips: 300, small: { hopelessBelow: 0n, smallBelow: 0n, writeOffAfterUnits: 0n } },
    needsHtlcContract: false,
    clock: { unit: 'blocks', expiry: 'relative', fastestMs: 10_000n, slowestMs: 20_000n, slackSeconds: 0n },
    margins: { claimSeconds: 70n, reorgSeconds: 40n, feeSpikeSeconds: 40n },
    timelocks: { source: 120n, destination: 25n },
  },
  seconds: modelSeconds,
  absolute: { ...modelSeconds, id: 'model_absolute', clock: { ...modelSeconds.clock, expiry: 'absolute' } },
}

export const blockSeconds: Readonly<Record<ModelKind, { readonly min: number; readonly max: number }>> = {
  blocks: { min: 10, max: 20 },
  seconds: { min: 5, max: 10 },
  absolute: { min: 5, max: 10 },
}

export const AMOUNT = 100n

/** An account HTLC is funded once; on UTXO chains every output is a separate deposit. */
export function depositId(chain: Chain, output: string): string {
  return chain.clock.unit === 'seconds' ? 'swap' : output
}

export function createModelOrder(kinds: Readonly<Record<Leg, ModelKind>>): Order {
  const swap = (leg: Leg, userAddress: string | null) => {
    const chain = modelChains[kinds[leg]]
    const terms: HtlcTerms = {
      asset: 'model:coin',
      initiator: leg === 'source' ? 'user' : 'solver',
      redeemer: leg === 'source' ? 'solver' : 'user',
      amount: AMOUNT,
      secretHash: hashSecret(SECRET),
      timelock: chain.timelocks[leg],
    }
    return {
      chain: chain.id,
      swapId: 'swap',
      terms,
      userAddress,
      orderKey: null,
      payer: null,
      clientKey: false,
      agreedAmount: terms.amount,
      depositAddress: null,
      gas: null,
      maxFee: null,
      requiredConfirmations: chain.requiredConfirmations,
    }
  }
  return {
    id: 'order',
    solverId: 'solver',
    createdAt: START,
    deadline: START + BigInt(FUNDING_SECONDS),
    priceExpiresAt: START + BigInt(FUNDING_SECONDS),
    source: swap('source', 'user'),
    destination: swap('destination', 'user'),
  }
}
