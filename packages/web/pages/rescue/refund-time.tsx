/** Shows when the payment of a swap can be taken back: by the user's own node, otherwise by the service. */
import { useSignal } from '@preact/signals'
import { type RefundTime, refundTime } from '@tandem/sdk'
import { useEffect } from 'preact/hooks'
import { now } from '../../shared/clock.ts'
import { Countdown } from '../../shared/countdown.tsx'
import { formatMoment } from '../../shared/moment.ts'
import { rescue as texts } from '../../texts.ts'
import { pinnedRegistry } from './registry.ts'
import type { Found, Opened } from './rescue.ts'

const AGAIN_MS = 20_000

/** Undefined while it is not known, null if nothing is locked. */
type Known = RefundTime | null | undefined

export function RefundTimeLine({ opened, found }: { readonly opened: Opened; readonly found: Found }) {
  const known = useSignal<Known>(undefined)
  const { orderId, record, isCurrent } = found
  useEffect(() => {
    let isEnded = false
    const read = async () => {
      const time = await readTime(opened, found)
      if (!isEnded) known.value = time
    }
    void read()
    const timer = setInterval(() => void read(), AGAIN_MS)
    return () => {
      isEnded = true
      clearInterval(timer)
    }
  }, [orderId, isCurrent, record?.status])
  const time = known.value
  if (time === undefined) return null
  if (time === null) return <p class="small soft">{texts.nothingLocked}</p>
  if (time.latest <= now.value) return <p class="small">{texts.refundDue}</p>
  return (
    <p class="small">
      {texts.refundIn} <Countdown until={time.latest} />, {texts.refundAt(formatMoment(time.latest, now.value))}
    </p>
  )
}

async function readTime({ tandem }: Opened, { orderId, record, isCurrent }: Found): Promise<Known> {
  try {
    return await tandem.whenRefundable(orderId)
  } catch {
    // The node does not answer, or there is none.
    return (record !== null && isCurrent ? await refundTime(record, pinnedRegistry()) : null) ?? undefined
  }
}
