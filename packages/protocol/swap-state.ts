/** A swap's state is derived from its events, without a clock and without I/O. A reorg is just fewer events. */
import type { ChainClock, SmallDeposits } from './chain.ts'
import { considerDeposits, type Initiation } from './considered.ts'
import { type Counting, pickCounted } from './counting.ts'
import type { BlockRef, HtlcEvent, HtlcTerms } from './htlc.ts'
import { type Hex32, isSecretFor } from './secret.ts'
import { clockAfter, expiryOf } from './timelock.ts'

export const phases = ['waiting', 'mismatched', 'seen', 'initiated', 'redeeming', 'redeemed', 'refunding', 'refunded'] as const
export type Phase = (typeof phases)[number]

export const phaseMeanings: Readonly<Record<Phase, string>> = {
  waiting: 'there is no deposit',
  mismatched: 'there are deposits, but they do not add up to the agreed amount',
  seen: 'the agreed amount is there, with fewer than the required confirmations',
  initiated: 'the agreed amount is there, with the required confirmations',
  redeeming: 'an unconfirmed redeem is seen',
  redeemed: 'a redeem is mined',
  refunding: 'an unconfirmed refund is seen, or a part of the deposits is refunded',
  refunded: 'every deposit is refunded, in a block',
}

export type Tip = Pick<BlockRef, 'height' | 'time' | 'ordinal'> & {
  /** The chain's finality tag covers blocks up to this height. Without a tag, depth alone decides. */
  readonly finalHeight?: bigint | null
}

export type Spend = {
  readonly kind: 'redeemed' | 'refunded'
  readonly tx: string
  readonly block: BlockRef | null
  readonly confirmations: bigint
  /** The block is deeper than any expected reorg. */
  readonly isFinal: boolean
  /** This is the amount of the event, or null if it is not known. */
  readonly paid: bigint | null
}

export type Deposit = {
  readonly id: string
  readonly amount: bigint
  readonly tx: string
  readonly block: BlockRef | null
  readonly confirmations: bigint
  /** After this many timelock units the initiator can refund it. Zero or less means now; null means that it has no block. */
  readonly unitsLeft: bigint | null
  readonly spend: Spend | null
  /** The deposit is not worth the fee of a refund, so that no party tries to refund it. */
  readonly writtenOff: boolean
}

export type SwapState = {
  readonly phase: Phase
  /** The considered deposits (`considered.ts`) are in the chain's order. These are all deposits, unless there are very many. */
  readonly deposits: readonly Deposit[]
  readonly ignoredDeposits: number
  /** These deposits make up the agreed amount, or are those of the fill. The list is empty if none do. A redeem takes only these. */
  readonly counted: readonly Deposit[]
  readonly isComplete: boolean
  readonly filledAmount: bigint
  /** The confirmations are those of the least confirmed deposit that counts. */
  readonly confirmations: bigint
  readonly secret: Hex32 | null
}

/** The derivation needs this besides terms and events. */
export type SwapView = {
  readonly tip: Tip
  readonly clock: ChainClock
  readonly heightsMaySkip: boolean
  readonly requiredConfirmations: number
  readonly finalityBlocks: number
  readonly counting: Counting
  readonly smallDeposits: SmallDeposits | null
  /** This many recorded deposits are not among the events, because they are not considered. An absent value means none. */
  readonly unreadDeposits?: number
}

export function deriveSwap(terms: HtlcTerms, events: readonly HtlcEvent[], view: SwapView): SwapState {
  const initiations = events.filter((event) => event.kind === 'initiated').sort(inChainOrder)
  const filled = view.counting.kind === 'agreed' ? view.counting.deposits : []
  const considered = considerDeposits(initiations, { amount: terms.amount, filled })
  const deposits = deriveDeposits(terms, considered, events, view)
  const counted = pickCounted(deposits, terms.amount, view)
  const isComplete = view.counting.kind !== 'agreed' || counted.length === view.counting.deposits.length
  const relevant = counted.length > 0 ? counted : deposits
  return {
    phase: derivePhase(deposits, counted, isComplete, view.requiredConfirmations),
    deposits,
    ignoredDeposits: initiations.length - considered.length + (view.unreadDeposits ?? 0),
    counted,
    isComplete,
    filledAmount: relevant.reduce((sum, d) => sum + d.amount, 0n),
    confirmations: relevant.reduce<bigint | null>((min, d) => (min === null || d.confirmations < min ? d.confirmations : min), null) ?? 0n,
    secret: secretOf(terms, events),
  }
}

/** Anything that is not the secret of these terms is ignored: its hash proves it. */
function secretOf({ secretHash }: HtlcTerms, events: readonly HtlcEvent[]): Hex32 | null {
  const shown = events.flatMap((event) => (event.kind === 'initiated' || event.secret === null ? [] : [event.secret]))
  return shown.find((secret) => isSecretFor(secret, secretHash)) ?? null
}

function derivePhase(deposits: readonly Deposit[], counted: readonly Deposit[], isComplete: boolean, requiredConfirmations: number): Phase {
  if (deposits.length === 0) return 'waiting'
  const relevant = counted.length > 0 ? counted : deposits
  const spends = relevant.flatMap((d) => (d.spend === null ? [] : [d.spend]))
  const redeems = spends.filter((s) => s.kind === 'redeemed')
  if (redeems.length > 0) return redeems.some((s) => s.block !== null) ? 'redeemed' : 'redeeming'
  if (spends.length === relevant.length) return spends.every((s) => s.block !== null) ? 'refunded' : 'refunding'
  if (counted.length === 0) return 'mismatched'
  if (spends.length > 0) return 'refunding'
  return isComplete && counted.every((d) => d.confirmations >= BigInt(requiredConfirmations)) ? 'initiated' : 'seen'
}

function deriveDeposits(terms: HtlcTerms, considered: readonly Initiation[], events: readonly HtlcEvent[], view: SwapView): Deposit[] {
  const { tip, clock } = view
  const spends = new Map<string, Spend>()
  for (const event of events.filter(({ kind }) => kind !== 'initiated').sort(inChainOrder)) {
    if (event.kind === 'initiated') continue
    const known = spends.get(event.deposit)
    // Among competing spends a mined one wins. Of two unconfirmed ones the redeem wins, because its secret is public.
    if (known !== undefined && (known.block !== null || known.kind === 'redeemed' || event.kind === 'refunded')) continue
    spends.set(event.deposit, {
      kind: event.kind,
      tx: event.tx,
      block: event.block,
      confirmations: confirmationsOf(event.block, view),
      isFinal: isFinal(event.block, view),
      paid: event.paid ?? null,
    })
  }
  return considered.map((event) => {
    // Events recorded without an expiry expire by the terms.
    const expiresAt = event.expiresAt ?? expiryOf(terms.timelock, event.block, clock)
    const unitsLeft = event.block === null || expiresAt === null ? null : expiresAt - clockAfter(tip, clock)
    const spend = spends.get(event.deposit) ?? null
    return {
      id: event.deposit,
      amount: event.amount,
      tx: event.tx,
      block: event.block,
      confirmations: confirmationsOf(event.block, view),
      unitsLeft,
      spend,
      writtenOff: spend === null && isWrittenOff(event.amount, unitsLeft, view.smallDeposits),
    }
  })
}

/** Returns true if the block is deeper than any expected reorg. */
export function isFinal(block: BlockPlace | null, view: Pick<SwapView, 'tip' | 'heightsMaySkip' | 'finalityBlocks'>): boolean {
  if (block === null) return false
  return confirmationsOf(block, view) >= BigInt(view.finalityBlocks) && block.height <= (view.tip.finalHeight ?? block.height)
}

type BlockPlace = Pick<BlockRef, 'height' | 'ordinal'>

/**
 * The number of blocks from this one to the tip, itself included. A skipped height is not a confirmation: 40 heights above a deposit may hold a single block,
 * which one block producer can undo. Where heights may skip, ordinals are counted; without them only its own block is certain.
 */
function confirmationsOf(block: BlockPlace | null, { tip, heightsMaySkip }: Pick<SwapView, 'tip' | 'heightsMaySkip'>): bigint {
  if (block === null || block.height > tip.height) return 0n
  if (!heightsMaySkip) return tip.height - block.height + 1n
  const blocksAbove = (tip.ordinal ?? 0n) - (block.ordinal ?? tip.ordinal ?? 0n)
  return blocksAbove > 0n ? blocksAbove + 1n : 1n
}

/** Dust is written off at once, a small deposit long after its expiry, a large one never. */
function isWrittenOff(amount: bigint, unitsLeft: bigint | null, small: SmallDeposits | null): boolean {
  if (small === null || unitsLeft === null) return false
  return amount < small.hopelessBelow || (amount < small.smallBelow && unitsLeft < -small.writeOffAfterUnits)
}

/** Confirmed events come before unconfirmed ones. Then the height decides, then a tie-break that every party computes alike. */
function inChainOrder(a: HtlcEvent, b: HtlcEvent): number {
  const heightA = a.block?.height ?? null
  const heightB = b.block?.height ?? null
  if (heightA !== heightB) {
    if (heightA === null) return 1
    if (heightB === null) return -1
    return heightA < heightB ? -1 : 1
  }
  const keyA = `${a.tx} ${a.index}`
  const keyB = `${b.tx} ${b.index}`
  return keyA < keyB ? -1 : keyA > keyB ? 1 : 0
}
