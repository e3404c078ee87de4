/** A swap as one sequence of steps, from the quote to the end of the order. It can be left at any step and taken up again by its order id. */
import type { OrderRecord } from '../../../src/protocol/wire/order.ts'
import type { Quote } from '../../../src/protocol/wire/quote.ts'
import { sleep } from '../client/sleep.ts'
import { NodeError } from '../families/node-error.ts'
import type { Wallet } from '../wallets/wallet.ts'
import type { SwapContext } from './context.ts'
import { type PayOptions, verifyAndPay } from './pay.ts'
import { assertLimit, makeOrder, quoteFor, type SwapRequest } from './prepare.ts'
import { loadSwap, type SavedSwap, withLeast } from './saved-swap.ts'
import { mayPass, watchPatiently } from './watch-patiently.ts'

export type SwapStep =
  | { readonly kind: 'quoted'; readonly quote: Quote }
  /** Remembered from here on: `resume(orderId)` continues. */
  | { readonly kind: 'ordered'; readonly orderId: string }
  /** The wallet has paid or signed. */
  | { readonly kind: 'paid'; readonly orderId: string; readonly tx: string }
  /** The order has changed; `record.status` and `record.next_action` say how. */
  | { readonly kind: 'changed'; readonly orderId: string; readonly record: OrderRecord }
  /** The service, or the user's own node, does not answer or stands still. The swap waits for it: nothing is revealed on the service's word. */
  | { readonly kind: 'delayed'; readonly orderId: string; readonly by: 'service' | 'node'; readonly reason: string }
  /** The secret was used, and the SDK has seen on the chain that it pays the user. */
  | { readonly kind: 'received'; readonly orderId: string; readonly tx: string }

export type RunOptions = { readonly signal?: AbortSignal }
export type ResumeOptions = RunOptions & {
  /** Also if the wallet was asked before and may have paid already. */
  readonly payAgain?: boolean
  readonly gasless?: boolean
  /**
   * The least that the user agreed to get, in the smallest unit. A swap that was restored needs it: what was agreed is lost with the storage, and the
   * secret must not be shown for whatever amount the service names.
   */
  readonly minToAmount?: bigint
}

type Steps = AsyncGenerator<SwapStep, OrderRecord>

/** Ends when the order has: `redeemed`, `refunded` or `expired`. Throws `VerificationError` instead of paying for an order that is not as asked. */
export async function* runSwap(context: SwapContext, request: SwapRequest, wallet: Wallet, { signal }: RunOptions = {}): Steps {
  assertLimit(request)
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
  const saved = withLeast(await loadSwap(context, orderId), minToAmount)
  if (payAgain && saved.phase === 'restored') throw new Error(`order ${orderId} was restored: make a new order instead of paying for it`)
  const mayPay = saved.phase === 'made' || (payAgain && saved.phase !== 'revealed')
  if (wallet !== null && mayPay && (await readOrder(context, orderId, signal)).status === 'created')
    return yield* payAndFollow(context, saved, wallet, { gasless, created: null, payAgain, ...(signal !== undefined && { signal }) })
  return yield* follow(context, saved, signal)
}

/** What is needed later is loaded before anything is paid: a page that cannot load it then could not redeem. */
const loadReceive = () => import('./receive.ts')

async function* payAndFollow(context: SwapContext, saved: SavedSwap, wallet: Wallet, options: PayOptions): Steps {
  await loadReceive()
  yield { kind: 'paid', orderId: saved.orderId, tx: await verifyAndPay(context, saved, wallet, options) }
  return yield* follow(context, saved, options.signal)
}

async function* follow(context: SwapContext, saved: SavedSwap, signal?: AbortSignal): Steps {
  const { orderId } = saved
  const { isSent, keepRedeeming, receive } = await loadReceive()
  const end = new AbortController()
  const either = signal === undefined ? end.signal : AbortSignal.any([signal, end.signal])
  const isOwn = saved.ownKeys.includes('destination')
  const keep = () => keepRedeeming(context, orderId, either).catch(() => undefined)
  let last: OrderRecord | null = null
  let told = ''
  // A page that was closed has left its redeem behind.
  let isReceived = isOwn && saved.paidFor !== null && (await isSent(context, saved, saved.paidFor, signal).catch(() => false))
  let redeeming = isReceived ? keep() : null
  try {
    for await (const news of watchPatiently(context, orderId, () => redeeming !== null, signal)) {
      if (news.kind === 'changed' || news.reason !== told) yield news
      told = news.kind === 'delayed' ? news.reason : ''
      if (news.kind === 'changed') last = news.record
      const record = last ?? saved.paidFor
      if (isReceived || record === null) continue
      let tx: string | null = null
      if (news.kind === 'changed') tx = isUsersTurn(saved, record) ? yield* receiveInTime(context, saved, record, signal) : null
      // The user's own key needs no word of the service for what the user's own node shows.
      else if (isOwn) tx = await receive(context, saved, record, signal).catch(() => null)
      if (tx === null) continue
      isReceived = true
      if (isOwn) redeeming = keep()
      yield { kind: 'received', orderId, tx }
    }
    // That the order has ended is the service's word.
    await redeeming
    signal?.throwIfAborted()
  } finally {
    end.abort()
  }
  if (last === null) throw new Error(`order ${orderId} was never read`)
  return last
}

function isUsersTurn({ secretHash }: SavedSwap, { next_action: next }: OrderRecord): boolean {
  return secretHash !== null && next?.who === 'user' && (next.what === 'reveal_secret' || next.what === 'redeem_destination')
}

/** The SDK's own node may be behind that of the service, or not answer: it is asked again until the service says that something else has happened. */
async function* receiveInTime(
  context: SwapContext,
  saved: SavedSwap,
  first: OrderRecord,
  signal?: AbortSignal,
): AsyncGenerator<SwapStep, string | null> {
  const { receive } = await loadReceive()
  const { orderId } = saved
  let told = ''
  for (let record = first; isUsersTurn(saved, record); ) {
    let reason = ''
    try {
      const tx = await receive(context, saved, record, signal)
      if (tx !== null) return tx
    } catch (error) {
      if (!(error instanceof NodeError)) throw error
      reason = error.message
    }
    if (reason !== '' && reason !== told) yield { kind: 'delayed', orderId, by: 'node', reason }
    told = reason
    await sleep(context.options.pollMs ?? 2_000, signal)
    try {
      record = await readOrder(context, orderId, signal)
    } catch (error) {
      // The lock is looked at all the same: it is the user's turn until the service says something else.
      if (!mayPass(error)) throw error
    }
  }
  return null
}

function readOrder({ client }: SwapContext, orderId: string, signal?: AbortSignal): Promise<OrderRecord> {
  return client.order(orderId, signal === undefined ? {} : { signal })
}
