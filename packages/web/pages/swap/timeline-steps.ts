/** Derives the steps that the user of an order sees, from its record alone. */
import { amountsOfOrder, type OrderRecord } from '@tandem/sdk'

/** `extra` returns deposits that did not count. */
export type StepName = 'you' | 'confirmed' | 'solver' | 'paid' | 'refund' | 'extra'
export type StepState = 'done' | 'current' | 'waiting'

/** The step happens on the chain of `leg`. `txs` is empty until there is a transaction. */
export type Step = {
  readonly name: StepName
  readonly leg: 'source' | 'destination'
  readonly state: StepState
  readonly txs: readonly string[]
  readonly at: string | null
}

/** Statuses from the first to the last; an order that is refunded leaves this path. */
const FORWARD = [
  'created',
  'initiate_detected',
  'initiated',
  'counterparty_initiate_detected',
  'counterparty_initiated',
  'redeem_detected',
  'redeemed',
  'counterparty_redeemed',
]
/** The status from which on a step is done. */
const DONE_AT: Readonly<Record<Exclude<StepName, 'refund' | 'extra'>, string>> = {
  you: 'initiate_detected',
  confirmed: 'initiated',
  solver: 'counterparty_initiated',
  paid: 'redeemed',
}
const REFUNDS: ReadonlySet<string> = new Set(['awaiting_refund', 'refund_detected', 'refunded'])

export function stepsOf(record: OrderRecord): readonly Step[] {
  const { status, source_swap: source, destination_swap: destination } = record
  const { pays, back } = amountsOfOrder(record)
  const isRefund = REFUNDS.has(status)
  // While a part of the payment is missing, the user has not paid yet.
  const reached = pays.missing > 0n ? 'created' : status
  const place = isRefund ? reachedBefore({ source, destination }) : FORWARD.indexOf(reached)
  const isDone = (name: keyof typeof DONE_AT) => place >= FORWARD.indexOf(DONE_AT[name])
  const all = [
    { name: 'you', leg: 'source', txs: hashes(source.initiate_tx_hash), at: source.initiate_timestamp },
    { name: 'confirmed', leg: 'source', txs: [], at: null },
    { name: 'solver', leg: 'destination', txs: hashes(destination.initiate_tx_hash), at: destination.initiate_timestamp },
    { name: 'paid', leg: 'destination', txs: hashes(destination.redeem_tx_hash), at: destination.redeem_timestamp },
  ] as const
  const taken = isRefund || status === 'expired' ? all.filter(({ name }) => isDone(name)) : all
  const current = taken.find(({ name }) => !isDone(name))?.name
  const steps = taken.map((step): Step => ({ ...step, state: isDone(step.name) ? 'done' : step.name === current ? 'current' : 'waiting' }))
  if (!isRefund && back === null) return steps
  if (!isRefund) return [...steps, extraStep(source, back?.certainty === 'seen')]
  const refund = { name: 'refund', leg: 'source', txs: hashes(source.refund_tx_hash), at: source.refund_timestamp } as const
  return [...steps, { ...refund, state: status === 'refunded' ? 'done' : 'current' }]
}

function extraStep({ deposits = [] }: OrderRecord['source_swap'], isBack: boolean): Step {
  const refunds = deposits.filter(({ state }) => state === 'refund_detected' || state === 'refunded')
  const txs = [...new Set(refunds.map(({ spend_tx_hash: tx }) => tx))]
  return { name: 'extra', leg: 'source', state: isBack ? 'done' : 'waiting', txs, at: null }
}

/** Says how far an order got before it was refunded, by what its chains show. */
function reachedBefore({
  source,
  destination,
}: {
  source: OrderRecord['source_swap']
  destination: OrderRecord['destination_swap']
}): number {
  if (destination.initiate_timestamp !== null) return FORWARD.indexOf('counterparty_initiated')
  if (source.current_confirmations >= source.required_confirmations) return FORWARD.indexOf('initiated')
  return FORWARD.indexOf(source.initiate_tx_hash === '' ? 'created' : 'initiate_detected')
}

/** Several transactions are separated by commas; some chains add the output or the block after a colon. */
function hashes(text: string): readonly string[] {
  return text === '' ? [] : text.split(',').map((one) => one.split(':')[0] ?? '')
}
