/** A swap as one sequence of steps, from the quote to the end of the order. It can be left at any step and taken up again by its order id. */

import { NodeError } from '@tandem/chain-kit/browser/node-error.ts'
import { sleep } from '@tandem/chain-kit/browser/sleep.ts'
import type { Wallet } from '@tandem/chain-kit/browser/wallet.ts'
import type { OrderRecord } from '@tandem/protocol/wire/order.ts'
import { ApiError, NetworkError } from '../client/errors.ts'
import { watchOrder } from '../client/watch.ts'
import type { SwapContext } from './context.ts'
import { type PayOptions, verifyAndPay } from './pay.ts'
import type { SwapRequest } from './prepare.ts'
import type { Receipt } from './receive.ts'
import { loadSwap, type SavedSwap, withMinAmount } from './saved-swap.ts'
import type { SwapStep } from './swap-step.ts'

const MAX_BACKOFF_MS = 30_000

export type RunOptions = { readonly signal?: AbortSignal }
export type ResumeOptions = RunOptions & {
  /** With it the wallet is asked although it was asked before and may have paid already. */
  readonly payAgain?: boolean
  readonly gasless?: boolean
  /**
   * The least that the user agreed to get, in the smallest unit. A restored swap needs it: what was agreed is lost with the storage, and the secret must
   * not be revealed for whatever amount the service names.
   */
  readonly minToAmount?: bigint
}

type Steps = AsyncGenerator<SwapStep, OrderRecord>

/**
 * Ends when the order has: `refunded` or `expired` by the service's word, `redeemed` only when the user's own node shows it (`received`), or after `unverified`.
 * Throws `VerificationError` instead of paying for an order that is not as asked.
 */
export async function* runSwap(context: SwapContext, request: SwapRequest, wallet: Wallet, { signal }: RunOptions = {}): Steps {
  const { assertLimit, makeOrder, quoteFor } = await import('./prepare.ts')
  assertLimit(request)
  // A storage that refuses to store must do so before there is an order.
  await context.storage.getItem('tandem:swaps')
  const quote = await quoteFor(context, request, signal)
  yield { kind: 'quoted', quote }
  const { saved, created } = await makeOrder(context, request, quote, wallet, signal)
  yield { kind: 'ordered', orderId: saved.orderId }
  return yield* payAndFollow(context, saved, wallet, {
    gasless: request.gasless ?? false,
    created,
    ...(signal !== undefined && { signal }),
  })
}

/** Without a wallet nothing is paid; secrets and keys are used all the same. */
export async function* resumeSwap(
  context: SwapContext,
  orderId: string,
  wallet: Wallet | null,
  { signal, payAgain = false, gasless = false, minToAmount }: ResumeOptions = {},
): Steps {
  const saved = withMinAmount(await loadSwap(context, orderId), minToAmount)
  if (payAgain && saved.phase === 'restored') throw new Error(`order ${orderId} was restored: make a new order instead of paying for it`)
  const mayPay = saved.phase === 'made' || (payAgain && saved.phase !== 'revealed')
  if (wallet !== null && mayPay && (await readOrder(context, orderId, signal)).status === 'created')
    return yield* payAndFollow(context, saved, wallet, { gasless, created: null, payAgain, ...(signal !== undefined && { signal }) })
  return yield* follow(context, saved, signal)
}

/** Code that is needed later is loaded before anything is paid: a page that could not load it then could not redeem. */
const loadReceive = () => import('./receive.ts')
const loadEnd = () => import('./until-paid.ts')

async function* payAndFollow(context: SwapContext, saved: SavedSwap, wallet: Wallet, options: PayOptions): Steps {
  await Promise.all([loadReceive(), loadEnd()])
  yield { kind: 'paid', orderId: saved.orderId, tx: await verifyAndPay(context, saved, wallet, options) }
  return yield* follow(context, saved, options.signal)
}

/** In these states the service says that the user is paid. */
const PAID: ReadonlySet<string> = new Set(['redeemed', 'counterparty_redeemed'])

async function* follow(context: SwapContext, saved: SavedSwap, signal?: AbortSignal): Steps {
  const { orderId } = saved
  const { isSent, keepRedeeming, receive } = await loadReceive()
  const { stepOf, untilPaid } = await loadEnd()
  const end = new AbortController()
  const either = signal === undefined ? end.signal : AbortSignal.any([signal, end.signal])
  const isOwn = saved.ownKeys.includes('destination')
  let last: OrderRecord | null = null
  let reported = ''
  let isReceived = false
  let redeeming: Promise<void> | null = null
  const keep = (record: OrderRecord) => {
    isReceived = true
    if (!isOwn) return
    redeeming = keepRedeeming(context, saved, record, either)
    // It is awaited at the end; until then a failure must not end the page.
    redeeming.catch(() => undefined)
  }
  try {
    if (isOwn) {
      // A page that was closed may have sent a redeem that still needs fee bumps.
      const { paidFor } = saved
      if (paidFor !== null && (await isSent(context, saved, paidFor, signal).catch(() => false))) keep(paidFor)
    } else if (saved.secretSentAt !== undefined) {
      // The service has the secret, so from here on only the user's own node says what became of it.
      yield* untilPaid(context, saved, null, signal)
      isReceived = true
    }
    for await (const step of watchPatiently(context, orderId, () => redeeming !== null, signal)) {
      if (step.kind === 'changed' || step.reason !== reported) yield step
      reported = step.kind === 'delayed' ? step.reason : ''
      if (step.kind === 'changed') last = step.record
      const record = last ?? saved.paidFor
      if (isReceived || record === null) continue
      let receipt: Receipt | null = null
      if (step.kind === 'changed') receipt = awaitsUser(saved, record) ? yield* receiveInTime(context, saved, record, signal) : null
      // If the user's own key takes part, the user's own node is enough.
      else if (isOwn) receipt = await receive(context, saved, record, signal).catch(() => null)
      if (receipt === null) continue
      keep(record)
      yield stepOf(orderId, receipt)
    }
    if (last === null) throw new Error(`order ${orderId} was never read`)
    // Only the service says that the order has ended.
    if (!isReceived && PAID.has(last.status)) {
      yield* untilPaid(context, saved, last, signal)
      keep(last)
    }
    await redeeming
    signal?.throwIfAborted()
    return last
  } finally {
    end.abort()
  }
}

/** The service says that the user can reveal the secret, or redeem. */
function awaitsUser({ secretHash }: SavedSwap, { next_action: next }: OrderRecord): boolean {
  return secretHash !== null && next?.who === 'user' && (next.what === 'reveal_secret' || next.what === 'redeem_destination')
}

/** The user's own node may be behind that of the service, or not answer. It is asked again until the service says that something else has happened. */
async function* receiveInTime(
  context: SwapContext,
  saved: SavedSwap,
  first: OrderRecord,
  signal?: AbortSignal,
): AsyncGenerator<SwapStep, Receipt | null> {
  const { receive } = await loadReceive()
  const { orderId } = saved
  let reported = ''
  for (let record = first; awaitsUser(saved, record); ) {
    let reason = ''
    try {
      const receipt = await receive(context, saved, record, signal)
      if (receipt !== null) return receipt
    } catch (error) {
      if (!(error instanceof NodeError)) throw error
      reason = error.message
    }
    if (reason !== '' && reason !== reported) yield { kind: 'delayed', orderId, by: 'node', reason }
    reported = reason
    await sleep(context.options.pollMs ?? 2_000, signal)
    try {
      record = await readOrder(context, orderId, signal)
    } catch (error) {
      // The lock is read nevertheless, until the service says something else.
      if (!isTemporary(error)) throw error
    }
  }
  return null
}

function readOrder({ client }: SwapContext, orderId: string, signal?: AbortSignal): Promise<OrderRecord> {
  return client.order(orderId, signal === undefined ? {} : { signal })
}

type WatchStep = Extract<SwapStep, { kind: 'changed' | 'delayed' }>

/**
 * Watches an order through failures of the service, with a backoff: anybody can use up the request limit of an app, and that must not end a swap.
 * `mustGoOn`: whatever the service answers.
 */
async function* watchPatiently(
  { client, options }: SwapContext,
  orderId: string,
  mustGoOn: () => boolean,
  signal?: AbortSignal,
): AsyncGenerator<WatchStep, void> {
  for (let failures = 0; ; failures += 1) {
    try {
      for await (const record of watchOrder(client, options, orderId, signal)) {
        failures = 0
        yield { kind: 'changed', orderId, record }
      }
      return
    } catch (error) {
      signal?.throwIfAborted()
      if (!isTemporary(error) && !mustGoOn()) throw error
      yield { kind: 'delayed', orderId, by: 'service', reason: error instanceof Error ? error.message : String(error) }
    }
    await sleep(Math.min((options.pollMs ?? 2_000) * 2 ** failures, MAX_BACKOFF_MS), signal)
  }
}

/** There were too many requests, or the service failed or did not answer. */
function isTemporary(error: unknown): error is Error {
  return error instanceof NetworkError || (error instanceof ApiError && (error.httpStatus === 429 || error.httpStatus >= 500))
}
