/** One order: what it is, where it stands, how to pay it, and every step of it. */

import type { OrderRecord } from '@tandem/sdk'
import { useEffect } from 'preact/hooks'
import { Problem } from '../../shared/problem.tsx'
import { swap } from '../../texts.ts'
import { Deposit } from './deposit.tsx'
import { findEntry } from './history.ts'
import { OrderActions } from './order-actions.tsx'
import { amountsFor, exchangeTexts } from './order-amounts.ts'
import { reasonOf } from './reasons.ts'
import { showOrder } from './route.ts'
import { followOrder, isEnded, liveOf } from './runner.ts'
import { Timeline } from './timeline.tsx'

export function OrderView({ orderId }: { readonly orderId: string }) {
  useEffect(() => followOrder(orderId), [orderId])
  const { record, problem, note } = liveOf(orderId)
  const entry = findEntry(orderId)
  const missing = record === null ? 0n : amountsFor(record).pays.missing
  const isOnItsWay = record?.status === 'created' && entry?.isPaid === true
  return (
    <article class="order stack">
      <p>
        <a
          href="/"
          class="small"
          onClick={(event) => {
            event.preventDefault()
            showOrder(null)
          }}
        >
          {swap.order.back}
        </a>
      </p>
      {record === null ? (
        <h1>{problem === null ? swap.order.loading : swap.order.missing}</h1>
      ) : (
        <header>
          <Exchange record={record} />
          <h1 aria-live="polite" data-status={record.status}>
            {isOnItsWay ? swap.order.payingNow : missing > 0n ? swap.order.partSeen : (swap.order.status[record.status] ?? record.status)}
          </h1>
        </header>
      )}
      {problem !== null && !isEnded(record?.status ?? '') && <Problem of={problem} lead={record === null ? '' : swap.order.problem} />}
      {note !== null && <Problem of={note} quiet />}
      {record !== null && isEnded(record.status) && record.next_action?.who === 'user' && <p class="notice">{reasonOf(record)}</p>}
      {record !== null && entry === null && <p class="notice">{swap.order.watching}</p>}
      {record !== null && entry?.payment != null && (record.status === 'created' || missing > 0n) && (
        <Deposit payment={entry.payment} asset={record.source_swap.asset} rest={missing} />
      )}
      {record !== null && (
        <>
          <Timeline record={record} isOnItsWay={isOnItsWay} />
          <OrderActions record={record} />
          <details class="small">
            <summary>{swap.order.details}</summary>
            <dl class="leaders">
              <div>
                <dt>{swap.order.orderId}</dt>
                <dd>
                  <code>{orderId}</code>
                </dd>
              </div>
              <div>
                <dt>{swap.order.solverName}</dt>
                <dd>{record.solver_id}</dd>
              </div>
              <div>
                <dt>{swap.order.made}</dt>
                <dd>{new Date(record.created_at).toLocaleString()}</dd>
              </div>
            </dl>
          </details>
        </>
      )}
    </article>
  )
}

function Exchange({ record }: { readonly record: OrderRecord }) {
  const { from, to } = exchangeTexts(record)
  return (
    <p class="exchange">
      {from} <span aria-hidden="true">→</span>{' '}
      <span class="hidden">{record.status === 'refunded' ? swap.order.refundedAs : swap.order.for}</span> {to}
    </p>
  )
}
