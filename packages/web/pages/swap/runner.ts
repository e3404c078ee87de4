/** Runs swaps: makes and pays an order, watches its events, and continues by itself after a reload or when the service is back. */
import { signal } from '@preact/signals'
import {
  ApiError,
  amountsOfQuote,
  isAbout,
  NetworkError,
  type OrderRecord,
  type Quote,
  type SwapRequest,
  type SwapStep,
  UnredeemedError,
  type Wallet,
} from '@tandem/sdk'
import { type Explanation, SaidError, withDetails } from '../../shared/explain.ts'
import { swap } from '../../texts.ts'
import { explainError } from './catalog.ts'
import { isAway, pause, untilChange } from './connection.ts'
import { type Entry, findEntry, putEntry } from './history.ts'
import { entryOf } from './order-amounts.ts'
import { openReader, openTandem } from './tandem.ts'

export type Live = {
  readonly record: OrderRecord | null
  /** Why the swap cannot continue without the user. */
  readonly problem: Explanation | null
  /** What the page itself is waiting for: a node or the service. */
  readonly note: Explanation | null
  /** The service has the secret but has not paid the user: a wallet of theirs can. */
  readonly isUnredeemed: boolean
}

const NOTHING: Live = { record: null, problem: null, note: null, isUnredeemed: false }
const RETRY_MS = 2_000
const ENDED: ReadonlySet<string> = new Set(['redeemed', 'counterparty_redeemed', 'refunded', 'expired'])

const live = signal<ReadonlyMap<string, Live>>(new Map())
/** Stops the watching of an order. */
const running = new Map<string, AbortController>()

/** Orders for which this page has asked a wallet that has not answered yet. */
const paying = signal<ReadonlySet<string>>(new Set())

export function isPaying(orderId: string): boolean {
  return paying.value.has(orderId)
}

function setPaying(orderId: string, is: boolean): void {
  const next = new Set(paying.value)
  if (is) next.add(orderId)
  else next.delete(orderId)
  paying.value = next
}

export function liveOf(orderId: string): Live {
  return live.value.get(orderId) ?? NOTHING
}

export function isEnded(status: string): boolean {
  return ENDED.has(status)
}

function update(orderId: string, change: Partial<Live>): void {
  live.value = new Map(live.value).set(orderId, { ...liveOf(orderId), ...change })
}

/** Resolves to the order id once the order is made; the swap then continues in the background. `onOrdered` is awaited before the payment. */
export async function startSwap(request: SwapRequest, wallet: Wallet, onOrdered: (orderId: string) => Promise<void>): Promise<string> {
  const tandem = await openTandem()
  const steps = tandem.swap(request, wallet)
  let amounts: Partial<Entry> = {}
  for (;;) {
    const { done, value } = await steps.next()
    if (done === true) throw new Error('the swap ended before it was ordered')
    if (value.kind === 'quoted') amounts = quotedEntry(value.quote)
    if (value.kind !== 'ordered') continue
    const { orderId } = value
    putEntry(orderId, { from: request.from, to: request.to, ...amounts })
    await onOrdered(orderId)
    void payAndFollow(orderId, steps)
    return orderId
  }
}

function quotedEntry(quote: Quote): Partial<Entry> {
  const { pays, gets } = amountsOfQuote(quote)
  return {
    fromAmount: pays.toString(),
    toAmount: gets.amount.toString(),
    isAbout: isAbout(gets),
    ...(quote.network_fee !== undefined && { quotedFee: quote.network_fee }),
  }
}

/** Runs an order with its keys if it was made here; otherwise only watches it. */
export function followOrder(orderId: string): void {
  if (running.has(orderId)) return
  update(orderId, { problem: null, isUnredeemed: false })
  void follow(orderId, begin(orderId))
}

/** Asks the wallet to pay an order. If it was asked before, the user must first say that it has not paid: a second payment may be lost. */
export async function payOrder(orderId: string, wallet: Wallet, gasless: boolean): Promise<void> {
  const tandem = await openTandem()
  const phase = (await tandem.swaps()).find((one) => one.orderId === orderId)?.phase
  if (phase !== 'made' && phase !== 'paying') throw new SaidError(swap.order.notSeenYet)
  if (phase === 'paying' && !window.confirm(swap.order.mayBePaid)) return
  update(orderId, { problem: null })
  await payAndFollow(orderId, tandem.resume(orderId, wallet, { payAgain: phase === 'paying', gasless }))
}

/** Pays the user through their own wallet, which only sends the transaction, after the service got the secret and did not use it. */
export async function redeemBy(orderId: string, wallet: Wallet): Promise<void> {
  await (await openTandem()).redeem(orderId, { wallet })
  update(orderId, { isUnredeemed: false })
}

/** The steps of a payment, until the wallet has paid. */
async function payAndFollow(orderId: string, steps: AsyncGenerator<SwapStep, unknown>): Promise<void> {
  const stop = begin(orderId)
  setPaying(orderId, true)
  try {
    for await (const step of steps) {
      take(orderId, step)
      if (step.kind === 'paid' || step.kind === 'changed') break
    }
  } catch (error) {
    // The wallet refused or failed. The order still exists and is run with its keys.
    if (!mayPass(error)) update(orderId, { problem: explainError(error) })
  }
  setPaying(orderId, false)
  await follow(orderId, stop)
}

/** Stops an earlier run of the same order: two at once would both act on it. */
function begin(orderId: string): AbortController {
  running.get(orderId)?.abort()
  const stop = new AbortController()
  running.set(orderId, stop)
  return stop
}

async function follow(orderId: string, stop: AbortController): Promise<void> {
  while (!stop.signal.aborted) {
    const signal = AbortSignal.any([untilChange(), stop.signal])
    try {
      for await (const step of await openSteps(orderId, signal)) take(orderId, step)
      break
    } catch (error) {
      if (signal.aborted) continue
      if (!mayPass(error)) {
        const isUnredeemed = error instanceof UnredeemedError
        update(orderId, { isUnredeemed, problem: isUnredeemed ? null : explainError(error) })
        break
      }
      isAway.value = true
      await pause(RETRY_MS, signal)
    }
  }
  if (running.get(orderId) === stop) running.delete(orderId)
}

async function openSteps(orderId: string, signal: AbortSignal): Promise<AsyncGenerator<SwapStep, unknown>> {
  return findEntry(orderId) === null ? watchOnly(orderId, signal) : (await openTandem()).resume(orderId, null, { signal })
}

async function* watchOnly(orderId: string, signal: AbortSignal): AsyncGenerator<SwapStep, void> {
  for await (const record of openReader().watch(orderId, { signal })) yield { kind: 'changed', orderId, record }
}

function take(orderId: string, step: SwapStep): void {
  isAway.value = step.kind === 'delayed' && step.by === 'service'
  if (step.kind === 'delayed') update(orderId, { note: step.by === 'node' ? withDetails(swap.order.nodeSilent, step.reason) : null })
  if (step.kind === 'unverified') update(orderId, { note: withDetails(swap.order.unverified, step.reason) })
  if (step.kind === 'received') update(orderId, { note: null })
  if (step.kind === 'paid' && findEntry(orderId)?.payment === null) putEntry(orderId, { isPaid: true })
  if (step.kind !== 'changed') return
  update(orderId, { record: step.record, note: null })
  if (findEntry(orderId) !== null) putEntry(orderId, entryOf(step.record))
}

/** True for no answer, too many requests or a failure of the service, which may work later. */
export function mayPass(error: unknown): boolean {
  return error instanceof NetworkError || (error instanceof ApiError && (error.httpStatus === 429 || error.httpStatus >= 500))
}
