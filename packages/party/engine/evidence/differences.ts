/** Logs for the operator that a database and the chains differ. It may be a node that is a block behind: only what stays is an error. */

import type { Leg } from '@tandem/protocol/order.ts'
import type { Logger } from 'pino'
import { REPEAT_DIFFERENCE_MS } from '../times.ts'

/** What a database says and the chains do not, or the other way round, in words for the operator. */
export type Difference = { readonly leg: Leg; readonly what: string }

export type DifferenceReport = { readonly order: string; readonly action: string; readonly differences: readonly Difference[] }

const MAX_REMEMBERED = 10_000

export function createDifferenceLog(
  log: Pick<Logger, 'warn' | 'error'>,
  { onDifference, nowMs = () => performance.now() }: { readonly onDifference?: () => void; readonly nowMs?: () => number } = {},
): (report: DifferenceReport) => void {
  /** When an order was last logged as an error; -Infinity: only once, as a warning. */
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
