/** The refund that the solver agrees to. While the solver does not answer, the page says what it is waiting for and until when, and asks again by itself. */
import { useSignal } from '@preact/signals'
import { type AssetFacts, assetFacts, type OrderRecord, type RefundTime, refundTime } from '@tandem/sdk'
import { useEffect } from 'preact/hooks'
import { now } from '../../shared/clock.ts'
import type { Explanation } from '../../shared/explain.ts'
import { mayCancel } from '../../shared/may-cancel.ts'
import { formatMoment } from '../../shared/moment.ts'
import { Problem } from '../../shared/problem.tsx'
import { swap } from '../../texts.ts'
import { explainError } from './catalog.ts'
import { pause, untilChange } from './connection.ts'
import { followOrder, liveOf, mayPass } from './runner.ts'
import { pinnedRegistry } from './settings.ts'
import { openTandem } from './tandem.ts'

const AGAIN_MS = 2_000

export function Cancel({ record }: { readonly record: OrderRecord }) {
  const isWaiting = useSignal(false)
  const problem = useSignal<Explanation | null>(null)
  const time = useSignal<RefundTime | null>(null)
  /** Undefined until it is loaded: a button that goes again is worse than one that comes a moment later. */
  const facts = useSignal<AssetFacts | null | undefined>(undefined)
  const { order_id: orderId, source_swap: source } = record
  useEffect(() => {
    void refundTime(record, pinnedRegistry()).then((found) => {
      time.value = found
    })
  }, [source.chain, source.initiate_timestamp, source.timelock])
  useEffect(() => {
    void assetFacts(source.asset, pinnedRegistry()).then((found) => {
      facts.value = found
    })
  }, [source.asset])
  if (facts.value === undefined || !mayCancel(record, facts.value)) return null

  async function cancel(): Promise<void> {
    isWaiting.value = true
    problem.value = null
    try {
      await askSolver(orderId)
      followOrder(orderId)
    } catch (error) {
      problem.value = explainError(error)
    }
    isWaiting.value = false
  }

  const latest = time.value?.latest ?? null
  const until = latest === null || latest <= now.value ? null : formatMoment(latest, now.value)
  return (
    <>
      <div class="action">
        <button type="button" class="button" disabled={isWaiting.value} onClick={() => void cancel()}>
          {swap.order.instant}
        </button>
        <span class="small soft">{swap.order.instantWhat}</span>
      </div>
      {isWaiting.value && <Problem of={{ text: swap.order.instantWaits(until), details: null }} quiet />}
      {problem.value !== null && <Problem of={problem.value} />}
    </>
  )
}

/** Repeats the request until the solver has signed or refused, or the status has changed. */
async function askSolver(orderId: string): Promise<void> {
  const tandem = await openTandem()
  while (mayCancel(liveOf(orderId).record, null)) {
    try {
      await tandem.instantRefund(orderId)
      return
    } catch (error) {
      if (!mayPass(error)) throw error
    }
    await pause(AGAIN_MS, untilChange())
  }
}
