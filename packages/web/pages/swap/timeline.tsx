/** The steps of an order, each with its transaction. The current step also says what it is waiting for, and how long. */
import { useSignal } from '@preact/signals'
import { type Incoming, type OrderRecord, type RefundTime, refundTime } from '@tandem/sdk'
import { useEffect } from 'preact/hooks'
import { now } from '../../shared/clock.ts'
import { CopyButton } from '../../shared/copy-button.tsx'
import { Countdown } from '../../shared/countdown.tsx'
import { ExplorerLink } from '../../shared/explorer-link.tsx'
import { CheckIcon } from '../../shared/icons.tsx'
import { formatMoment } from '../../shared/moment.ts'
import { swap } from '../../texts.ts'
import { findChain } from './catalog.ts'
import { findEntry } from './history.ts'
import { amountsFor, amountText, incomingText, paidText } from './order-amounts.ts'
import { isRefundable, reasonOf } from './reasons.ts'
import { pinnedRegistry } from './settings.ts'
import { type Step, stepsOf } from './timeline-steps.ts'

/** `isOnItsWay` means that the user's wallet has paid and the service has not seen the payment yet. */
export function Timeline({ record, isOnItsWay }: { readonly record: OrderRecord; readonly isOnItsWay: boolean }) {
  return (
    <ol class="timeline" aria-label={swap.order.steps}>
      {stepsOf(record).map((step) => (
        <li key={step.name} class={step.state} aria-current={step.state === 'current' ? 'step' : undefined}>
          <span class="bead">{step.state === 'done' && <CheckIcon />}</span>
          <div>
            <p class="step-title">
              {titleOf(step, record)}
              <span class="hidden">, {swap.order[step.state]}</span>
            </p>
            {step.state === 'current' && <Waiting record={record} isOnItsWay={isOnItsWay} />}
            {step.name === 'refund' && step.state === 'done' && isAtOwnKey(record) && (
              <p class="small soft">
                {swap.order.atOwnKey} <a href="/rescue">{swap.order.moveIt}</a>
              </p>
            )}
            {step.txs.map((tx) => (
              <Transaction key={tx} tx={tx} chain={(step.leg === 'source' ? record.source_swap : record.destination_swap).chain} />
            ))}
          </div>
        </li>
      ))}
    </ol>
  )
}

/** An instant refund pays the user's own key if the order has one in this browser. */
function isAtOwnKey({ order_id: orderId, source_swap: source }: OrderRecord): boolean {
  return (
    findEntry(orderId) !== null &&
    source.instant_refund_tx !== undefined &&
    source.fee_from_amount === true &&
    source.delegate === undefined
  )
}

function titleOf({ name, leg, state }: Step, record: OrderRecord): string {
  const { source_swap: source, destination_swap: destination } = record
  const side = leg === 'source' ? source : destination
  const chain = findChain(side.chain)?.display ?? side.chain
  const { pays, gets, back } = amountsFor(record)
  const incoming = (of: Incoming, say: (amount: string, chain: string) => string) =>
    incomingText(side.asset, of, (amount) => say(amount, chain))
  switch (name) {
    case 'confirmed':
      return swap.order.confirmed(chain)
    case 'you':
      return pays.seen === 0n
        ? swap.order.you(amountText(side.asset, pays.ordered), chain)
        : swap.order.youPaid(paidText(record, pays), chain)
    case 'solver':
      return swap.order.solver(amountText(side.asset, side.amount), chain)
    case 'paid':
      return incoming(gets, state === 'done' ? swap.order.wasPaid : swap.order.paid)
    case 'refund':
      return back === null ? '' : incoming(back, state === 'done' ? swap.order.wasRefunded : swap.order.refund)
    case 'extra':
      return back === null ? '' : incoming(back, state === 'done' ? swap.order.extraBack : swap.order.extra)
  }
}

/** Says why nothing happens now, and until when. */
function Waiting({ record, isOnItsWay }: { readonly record: OrderRecord; readonly isOnItsWay: boolean }) {
  const { next_action: next, status, source_swap: source } = record
  const { missing } = amountsFor(record).pays
  return (
    <div class="small soft">
      <p>{isOnItsWay ? swap.order.notSeenYet : reasonOf(record)}</p>
      {missing > 0n && <p>{swap.order.unpaid(amountText(source.asset, missing))}</p>}
      {status === 'initiate_detected' && <p>{swap.order.confirmations(source.current_confirmations, source.required_confirmations)}</p>}
      {next?.by != null && !isOnItsWay && (
        <p>
          {status === 'created' ? swap.order.deadline : swap.order.by} <Countdown until={next.by} />,{' '}
          {swap.order.deadlineAt(formatMoment(next.by, now.value))}
        </p>
      )}
      {isRefundable(status) && <RefundIn record={record} />}
    </div>
  )
}

function RefundIn({ record }: { readonly record: OrderRecord }) {
  const time = useSignal<RefundTime | null>(null)
  const { chain, initiate_timestamp: at, timelock } = record.source_swap
  useEffect(() => {
    void refundTime(record, pinnedRegistry()).then((found) => {
      time.value = found
    })
  }, [chain, at, timelock])
  if (time.value === null) return null
  const { latest } = time.value
  if (latest <= now.value) return <p>{swap.order.refundDue}</p>
  return (
    <p>
      {swap.order.refundIn} <Countdown until={latest} />, {swap.order.refundAt(formatMoment(latest, now.value))}.
    </p>
  )
}

/** A link if the chain has an explorer, otherwise the hash to copy. */
function Transaction({ tx, chain }: { readonly tx: string; readonly chain: string }) {
  return (
    <p class="small tx">
      <span class="soft">{swap.order.tx}</span> <code>{`${tx.slice(0, 10)}…${tx.slice(-6)}`}</code>
      <CopyButton text={tx} name={swap.order.tx} />
      <ExplorerLink pattern={findChain(chain)?.explorer_tx_url ?? ''} tx={tx} />
    </p>
  )
}
