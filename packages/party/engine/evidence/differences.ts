/** Logs differences between a database and the chains. A node may be a block behind, so only a lasting difference is an error. */

import type { Leg } from '@tandem/protocol/order.ts'
import type { Logger } from 'pino'
import { REPEAT_DIFFERENCE_MS } from '../times.ts'

export type Difference = { readonly leg: Leg; readonly what: string }

export type DifferenceReport = { readonly order: string; readonly action: string; readonly differences: readonly Difference[] }

const MAX_REMEMBERED = 10_000

export function createDifferenceLog(
  log: Pick<Logger, 'warn' | 'error'>,
  { onDifference, nowMs = () => performance.now() }: { readonly onDifference?: () => void; readonly nowMs?: () => number } = {},
): (report: DifferenceReport) => void {
  /** The time at which an order was last logged as an error; -Infinity means that it was logged once, as a warning. */
  const logged = new Map<string, number>()
  return ({ order, action, differences }) => {
    onDifference?.()
    const about = { order, action, differences: differences.map(({ leg, what }) => `${leg}: ${what}`) }
    const last = logged.get(order)
    if (last === undefined) {
      if (logged.size >= MAX_REMEMBERED) logged.clear()
      logged.set(order, Number.NEGATIVE_INFINITY)
      log.warn(about, 'the database and the chain differ: nothing is signed for this order; both are read again')
      return
    }
    if (nowMs() - last < REPEAT_DIFFERENCE_MS) return
    logged.set(order, nowMs())
    log.error(
      about,
      'the database says of an order what the chain does not show: somebody or something has changed rows, or the nodes of this chain are wrong. Nothing is signed for it. Compare the order with an explorer, find out who can write to the database, and change its password',
    )
  }
}
