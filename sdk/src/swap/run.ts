/** A swap as one sequence of steps, from the quote to the end of the order. It can be left at any step and taken up again by its order id. */
import type { OrderRecord } from '../../../src/protocol/wire/order.ts'
import type { Quote } from '../../../src/protocol/wire/quote.ts'
import { sleep } from '../client/sleep.ts'
import { watchOrder } from '../client/watch.ts'
import { NodeError } from '../families/node-error.ts'
import type { Wallet } from '../wallets/wallet.ts'
import type { SwapContext } from './context.ts'
import { type PayOptions, verifyAndPay } from './pay.ts'
import { assertLimit, makeOrder, quoteFor, type SwapRequest } from './prepare.ts'
import { loadSwap, type SavedSwap, withLeast } from './saved-swap.ts'

export type SwapStep =
  | { readonly kind: 'quoted'; readonly quote: Quote }
  /** Remembered from here on: `resume(orderId)` continues. */
  | { readonly kind: 'ordered'; readonly orderId: string }
  /** The wallet has paid or signed. */
  | { readonly kind: 'paid'; readonly orderId: string; readonly tx: string }
  /** The order has changed; `record.status` and `record.next_action` say how. */
  | { readonly kind: 'changed'; readonly orderId: string; readonly record: OrderRecord }
  /** The user's own node does not answer or stands still. The swap waits for it: nothing is revealed on the service's word. */
  | { readonly kind: 'delayed'; readonly orderId: string; readonly reason: string }
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
  readonly leastToAmount?: bigint
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
  { signal, payAgain = false, gasless = false, leastToAmount }: ResumeOptions = {},
): Steps {
  const saved = withLeast(await loadSwap(context, orderId), leastToAmount)
  const record = await context.client.order(orderId, signal === undefined ? {} : { signal })
  if (payAgain && saved.phase === 'restored') throw new Error(`order ${orderId} was restored: make a new order instead of paying for it`)
  const mayPay = saved.phase === 'made' || (payAgain && saved.phase !== 'revealed')
  if (wallet !== null && mayPay && record.status === 'created')
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
  const { keepRedeeming } = await loadReceive()
  const end = new AbortController()
  let last: OrderRecord | null = null
  let isReceived = false
  try {
    for await (const record of watchOrder(context.client, context.options, orderId, signal)) {
      last = record
      yield { kind: 'changed', orderId, record }
      if (isReceived || !isUsersTurn(saved, record)) continue
      const tx = yield* receiveInTime(context, saved, record, signal)
      if (tx === null) continue
      isReceived = true
      // A redeem with the user's own key that no miner takes is worth nothing after the timelock.
      if (saved.ownKeys.includes('destination')) void keepRedeeming(context, saved, record, end.signal).catch(() => undefined)
      yield { kind: 'received', orderId, tx }
    }
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
  for (
    let record = first;
    isUsersTurn(saved, record);
    record = await context.client.order(orderId, signal === undefined ? {} : { signal })
  ) {
    try {
      const tx = await receive(context, saved, record, signal)
      if (tx !== null) return tx
    } catch (error) {
      if (!(error instanceof NodeError)) throw error
      if (error.message !== told) yield { kind: 'delayed', orderId, reason: error.message }
      told = error.message
    }
    await sleep(context.options.pollMs ?? 2_000, signal)
  }
  return null
}
