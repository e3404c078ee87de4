/** Runs swaps: makes and pays an order, follows it by events, and goes on by itself after a reload or while the service is away. */
import { signal } from '@preact/signals'
import { NetworkError, type OrderRecord, type SwapRequest, type SwapStep, type Wallet } from '../../../sdk/src/index.ts'
import { swap } from '../../texts.ts'
import { findEntry, putEntry } from './history.ts'
import { openTandem } from './tandem.ts'

export type Live = {
  readonly record: OrderRecord | null
  /** Why the swap does not go on without the user. */
  readonly problem: string | null
  /** What the page waits for, of itself: a node, or the service. */
  readonly note: string | null
}

const NOTHING: Live = { record: null, problem: null, note: null }
const RETRY_MS = 2_000
const ENDED: ReadonlySet<string> = new Set(['redeemed', 'counterparty_redeemed', 'refunded', 'expired'])

const live = signal<ReadonlyMap<string, Live>>(new Map())
const running = new Set<string>()

/** Orders whose wallet this page has asked, and which has not answered yet. */
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

/** The service did not answer the last time it was asked. */
export const isAway = signal(false)

export function liveOf(orderId: string): Live {
  return live.value.get(orderId) ?? NOTHING
}

export function isEnded(status: string): boolean {
  return ENDED.has(status)
}

function update(orderId: string, change: Partial<Live>): void {
  live.value = new Map(live.value).set(orderId, { ...liveOf(orderId), ...change })
}

/** Resolves to the order id once the order is made; then it goes on in the background. `onOrdered` is awaited before anybody pays. */
export async function startSwap(request: SwapRequest, wallet: Wallet, onOrdered: (orderId: string) => Promise<void>): Promise<string> {
  const tandem = await openTandem()
  const steps = tandem.swap(request, wallet)
  let amounts = { fromAmount: '0', toAmount: '0' }
  for (;;) {
    const { done, value } = await steps.next()
    if (done === true) throw new Error('the swap ended before it was ordered')
    if (value.kind === 'quoted') amounts = { fromAmount: value.quote.source.amount, toAmount: value.quote.destination.amount }
    if (value.kind !== 'ordered') continue
    const { orderId } = value
    putEntry(orderId, { from: request.from, to: request.to, ...amounts })
    await onOrdered(orderId)
    running.add(orderId)
    setPaying(orderId, true)
    void goOn(orderId, steps)
    return orderId
  }
}

/** Follows an order: with its keys if it was made here, else by watching only. */
export function followOrder(orderId: string): void {
  if (running.has(orderId)) return
  running.add(orderId)
  void goOn(orderId, null)
}

/** Asks the wallet to pay an order that was not paid. Once the wallet was asked, only if the user says that it has not paid: a second payment may be lost. */
export async function payOrder(orderId: string, wallet: Wallet, gasless: boolean): Promise<void> {
  const tandem = await openTandem()
  const phase = (await tandem.swaps()).find((one) => one.orderId === orderId)?.phase
  if (phase !== 'made' && phase !== 'paying') throw new Error(swap.order.notSeenYet)
  if (phase === 'paying' && !window.confirm(swap.order.mayBePaid)) return
  update(orderId, { problem: null })
  running.add(orderId)
  setPaying(orderId, true)
  await goOn(orderId, tandem.resume(orderId, wallet, { payAgain: phase === 'paying', gasless }))
}

async function goOn(orderId: string, started: AsyncGenerator<SwapStep, unknown> | null): Promise<void> {
  let steps = started
  for (;;) {
    try {
      steps ??= await openSteps(orderId)
      for await (const step of steps) take(orderId, step)
      break
    } catch (error) {
      setPaying(orderId, false)
      if (!(error instanceof NetworkError)) {
        update(orderId, { problem: messageOf(error) })
        if (steps === started && started !== null) {
          // The wallet refused or failed: the order is still there, and is followed with its keys.
          steps = null
          continue
        }
        break
      }
      isAway.value = true
      steps = null
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
  running.delete(orderId)
}

async function openSteps(orderId: string): Promise<AsyncGenerator<SwapStep, unknown>> {
  return findEntry(orderId) === null ? watchOnly(orderId) : (await openTandem()).resume(orderId)
}

async function* watchOnly(orderId: string): AsyncGenerator<SwapStep, void> {
  const tandem = await openTandem()
  for await (const record of tandem.watch(orderId)) yield { kind: 'changed', orderId, record }
}

function take(orderId: string, step: SwapStep): void {
  isAway.value = step.kind === 'delayed' && step.by === 'service'
  if (step.kind === 'paid') setPaying(orderId, false)
  if (step.kind === 'delayed') update(orderId, { note: step.reason })
  if (step.kind === 'received') update(orderId, { note: null })
  if (step.kind !== 'changed') return
  update(orderId, { record: step.record, note: null })
  if (findEntry(orderId) !== null) putEntry(orderId, { status: step.record.status })
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
