/** In the fill agreement the service proposes the deposits that it sees, and the solver checks them against its own view of the chain. */
import { MAX_COUNTED } from './counting.ts'
import { type Fill, scaledAmount } from './fill.ts'
import type { Order } from './order.ts'
import { awaitsFill } from './playbook.ts'
import { deriveOrder, hasSignedInstantRefund, type OrderFacts, type OrderState } from './state.ts'
import type { Deposit } from './swap-state.ts'

/** Returns null while there is nothing to propose. */
export function proposeFill(s: OrderState): Fill | null {
  const { source, order } = s
  if (!awaitsFill(s)) return null
  const newest = source.counted.reduce<Deposit | null>(
    (last, d) => (last?.block && d.block && last.block.height >= d.block.height ? last : d),
    null,
  )
  if (newest?.block == null) return null
  return {
    deposits: source.counted.map(({ id }) => id),
    blockHash: newest.block.hash,
    destinationAmount: scaledAmount(order.destination.agreedAmount, order.source.terms, source.filledAmount),
  }
}

/** On chains whose HTLC ids depend on the amount, the id changes too. */
export function withFill(order: Order, { destinationAmount }: Pick<Fill, 'destinationAmount'>): Order {
  const { destination } = order
  return { ...order, destination: { ...destination, terms: { ...destination.terms, amount: destinationAmount } } }
}

/**
 * `wait` means that the service should ask again later. `decline` is final: the deposits are to be refunded. `reject` means that the
 * proposal does not follow from the chain; it decides nothing about the order.
 */
export type Judgement = { readonly kind: 'sign' } | { readonly kind: 'wait' | 'decline' | 'reject'; readonly why: string }

export type FillLimits = {
  /** The limits are those of the destination asset. */
  readonly minAmount: bigint
  readonly maxAmount: bigint
  /** This is the destination amount at the current price. It is null while the order's own price is valid. */
  readonly maxNow: bigint | null
}

/** After signing, the solver pays exactly this if it can, so every reason not to pay is a reason not to sign. */
export function judgeFill(facts: OrderFacts, fill: Fill, limits: FillLimits): Judgement {
  const order = withFill(facts.order, fill)
  const state = deriveOrder({ ...facts, order, fill: { ...fill, signature: 'if it were signed' } })
  const { source } = state
  const wait = (why: string): Judgement => ({ kind: 'wait', why })
  const decline = (why: string): Judgement => ({ kind: 'decline', why })
  const reject = (why: string): Judgement => ({ kind: 'reject', why })

  if (new Set(fill.deposits).size !== fill.deposits.length || fill.deposits.length === 0 || fill.deposits.length > MAX_COUNTED)
    return reject(`expected 1 to ${MAX_COUNTED} different deposits`)
  if (hasSignedInstantRefund(state)) return decline('an instant refund is signed already')
  if (!source.isComplete) return wait('the solver does not see all of these deposits yet')
  if (source.counted.some(({ spend }) => spend !== null)) return decline('a deposit is spent')
  // This check comes before all final refusals: a node that is behind must not decline a good deposit.
  if (source.phase !== 'initiated') return wait('the deposits are below the required confirmations')
  // Without the proposal, the solver itself must find deposits that add up to about the agreed amount.
  const alone = deriveOrder({ ...facts, fill: null, events: { ...facts.events, source: onlyDeposits(facts, fill) } })
  if (alone.source.counted.length !== fill.deposits.length)
    return reject(`these deposits of ${source.filledAmount} do not count towards the agreed ${order.source.terms.amount}`)
  if (!state.isAgreed) return reject(`${fill.destinationAmount} is not what these deposits are worth`)
  if (source.counted.some((d) => d.block !== null && d.block.time > order.deadline))
    return decline('a deposit was mined after the deadline')
  if (fill.destinationAmount < limits.minAmount || fill.destinationAmount > limits.maxAmount)
    return decline(`${fill.destinationAmount} is not between ${limits.minAmount} and ${limits.maxAmount}`)
  if (!state.chainsAlive) return wait('a chain has not made a block for too long')
  if (state.gapSeconds <= 0n) return decline('too little time is left to pay safely')
  if (limits.maxNow !== null && fill.destinationAmount > limits.maxNow)
    return decline(`the price has moved: ${limits.maxNow} now, ${fill.destinationAmount} agreed`)
  return { kind: 'sign' }
}

function onlyDeposits({ events }: OrderFacts, { deposits }: Fill) {
  return events.source.filter((event) => deposits.includes(event.deposit))
}
