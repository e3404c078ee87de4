/** Every page shows these amounts and no others: what a person pays, gets and gets back, from a quote or from the record of an order. */
import type { OrderRecord } from './order.ts'
import type { Quote } from './quote.ts'
import type { SwapRecord } from './swap.ts'

/**
 * seen        a transaction has paid exactly this
 * exact       no fee is taken out of it
 * about       an estimated network fee is taken out already
 * before_fee  a network fee will be taken out, and is not known yet
 */
export type Certainty = 'seen' | 'exact' | 'about' | 'before_fee'

export type Incoming = { readonly amount: bigint; readonly certainty: Certainty }

/** A network fee that is not known exactly is taken out of it. */
export function isAbout({ certainty }: Incoming): boolean {
  return certainty === 'about' || certainty === 'before_fee'
}

export type QuoteAmounts = { readonly pays: bigint; readonly gets: Incoming }

export type OrderAmounts = {
  readonly pays: {
    readonly ordered: bigint
    /** This is the sum of the deposits that count, or of all while none count. */
    readonly seen: bigint
    /** This part of the agreed amount is missing while more may still be sent. Otherwise it is 0. */
    readonly missing: bigint
  }
  readonly gets: Incoming
  readonly back: Incoming | null
}

const REFUNDS: ReadonlySet<string> = new Set(['awaiting_refund', 'refund_detected', 'refunded'])

export function amountsOfQuote({ source, destination, net_amount: net }: Quote): QuoteAmounts {
  return {
    pays: BigInt(source.amount),
    gets: { amount: BigInt(net ?? destination.amount), certainty: net === undefined ? 'exact' : 'about' },
  }
}

/** The record has no `network_fee` where the user's own key takes the payout, so `quotedFee` is that of the quote. */
export function amountsOfOrder(record: OrderRecord, quotedFee: bigint | null = null): OrderAmounts {
  const { source_swap: source, destination_swap: destination } = record
  return {
    pays: { ordered: BigInt(source.amount), seen: BigInt(source.filled_amount), missing: missingOf(record) },
    gets: payoutOf(destination, quotedFee),
    back: refundOf(source, record.status),
  }
}

export type Exchange = {
  readonly from: { readonly asset: string; readonly amount: bigint }
  readonly to: Incoming & { readonly asset: string }
}

/** The order in one line: what was paid and what arrives for it, or what came back if it is refunded. Before a payment it is what was ordered. */
export function exchangeOf(record: OrderRecord, quotedFee: bigint | null = null): Exchange {
  const { pays, gets, back } = amountsOfOrder(record, quotedFee)
  const [paid, got] = [record.source_swap.asset, record.destination_swap.asset]
  if (record.status === 'refunded' && back !== null) return { from: { asset: paid, amount: pays.seen }, to: { asset: paid, ...back } }
  const isAsOrdered = pays.seen === 0n || pays.missing > 0n || REFUNDS.has(record.status)
  return { from: { asset: paid, amount: isAsOrdered ? pays.ordered : pays.seen }, to: { asset: got, ...gets } }
}

function missingOf({ next_action: next, source_swap: source }: OrderRecord): bigint {
  if (next?.what !== 'complete_source_deposit') return 0n
  if (source.deposit_amount !== undefined) return BigInt(source.amount) - BigInt(source.deposit_amount)
  const missing = BigInt(source.amount) - (source.deposits === undefined ? BigInt(source.filled_amount) : sumOf(source, isUnspent))
  return missing > 0n ? missing : 0n
}

function payoutOf(
  { amount: text, redeemed_amount: redeemed, network_fee: promised, ...swap }: SwapRecord,
  quotedFee: bigint | null,
): Incoming {
  const amount = BigInt(text)
  if (redeemed !== undefined) return { amount: BigInt(redeemed), certainty: 'seen' }
  if (swap.fee_from_amount !== true) return { amount, certainty: 'exact' }
  const fee = promised === undefined ? quotedFee : BigInt(promised)
  return fee === null || fee >= amount ? { amount, certainty: 'before_fee' } : { amount: amount - fee, certainty: 'about' }
}

/** Deposits that did not count come back even from an order that completes. */
function refundOf(source: SwapRecord, status: string): Incoming | null {
  const isRefunded = source.refund_tx_hash !== ''
  const locked = REFUNDS.has(status) && !isRefunded ? BigInt(source.filled_amount) : 0n
  const expected = source.deposits === undefined ? locked : sumOf(source, (state) => state === 'awaiting_refund')
  const refunded = source.deposits === undefined ? (isRefunded ? BigInt(source.filled_amount) : 0n) : sumOf(source, isRefund)
  if (expected === 0n && refunded === 0n) return null
  const came = source.refunded_amount === undefined ? refunded : BigInt(source.refunded_amount)
  if (expected === 0n && source.refunded_amount !== undefined) return { amount: came, certainty: 'seen' }
  return { amount: came + expected, certainty: source.fee_from_amount === true ? 'before_fee' : 'exact' }
}

type DepositState = NonNullable<SwapRecord['deposits']>[number]['state']

const isRefund = (state: DepositState) => state === 'refund_detected' || state === 'refunded'
const isUnspent = (state: DepositState) => !isRefund(state) && state !== 'redeem_detected' && state !== 'redeemed'

function sumOf({ deposits = [] }: SwapRecord, isTaken: (state: DepositState) => boolean): bigint {
  return deposits.filter(({ state }) => isTaken(state)).reduce((sum, { amount }) => sum + BigInt(amount), 0n)
}
