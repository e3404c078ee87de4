/** Tests the amounts that a user is told at each status. */
import { expect, test } from 'vitest'
import { amountsOfOrder, amountsOfQuote, exchangeOf } from './amounts.ts'
import type { OrderRecord } from './order.ts'
import type { Quote } from './quote.ts'

const next = (what: string) => ({ who: 'user', what, by: null })
const deposit = (amount: string, state: string) => ({ amount, state })
const order = (status: string, source: object = {}, destination: object = {}, nextAction: object | null = null) =>
  ({
    status,
    next_action: nextAction,
    source_swap: { asset: 'a', amount: '1000', filled_amount: '1000', refund_tx_hash: '', ...source },
    destination_swap: { asset: 'b', amount: '500', ...destination },
  }) as unknown as OrderRecord
/** The text has amount and certainty, such as "1000 exact". */
const said = (incoming: { amount: bigint; certainty: string } | null) => incoming && `${incoming.amount} ${incoming.certainty}`
const pays = (record: OrderRecord) => {
  const { ordered, seen, missing } = amountsOfOrder(record).pays
  return `${seen} of ${ordered}, ${missing} missing`
}
const back = (record: OrderRecord) => said(amountsOfOrder(record).back)

const quote = (more: object) => ({ source: { amount: '1000' }, destination: { amount: '500' }, ...more }) as unknown as Quote

test('a quote: what the network takes out of the payout does not arrive', () => {
  expect(amountsOfQuote(quote({}))).toEqual({ pays: 1000n, gets: { amount: 500n, certainty: 'exact' } })
  const net = amountsOfQuote(quote({ network_fee: '7', net_amount: '493' }))
  expect(net).toEqual({ pays: 1000n, gets: { amount: 493n, certainty: 'about' } })
})

test.each([
  ['created', '0'],
  ['expired', '0'],
  ['initiate_detected', '1000'],
  ['initiated', '1000'],
  ['counterparty_initiate_detected', '1000'],
  ['counterparty_initiated', '1000'],
  ['redeem_detected', '1000'],
  ['redeemed', '1000'],
  ['counterparty_redeemed', '1000'],
])('%s: nothing comes back, the ordered amount is paid out', (status, filled) => {
  const record = order(status, { filled_amount: filled })
  expect([pays(record), said(amountsOfOrder(record).gets), back(record)]).toEqual([`${filled} of 1000, 0 missing`, '500 exact', null])
})

test('a payout that pays its own fee: promised, quoted, unknown, and as the chain shows it', () => {
  const gets = (destination: object, quotedFee?: bigint) =>
    said(amountsOfOrder(order('initiated', {}, { fee_from_amount: true, ...destination }), quotedFee).gets)
  expect(gets({ network_fee: '7' }, 9n)).toBe('493 about')
  expect(gets({}, 9n)).toBe('491 about')
  expect(gets({})).toBe('500 before_fee')
  expect(gets({ network_fee: '500' })).toBe('500 before_fee')
  expect(gets({ network_fee: '7', redeemed_amount: '496' })).toBe('496 seen')
})

test('an underpaid deposit: the remainder is missing while deposits count, then what was deposited comes back', () => {
  const short = (state: string) => ({ filled_amount: '750', fee_from_amount: true, deposits: [deposit('750', state)] })
  const waiting = order('initiate_detected', short('pending'), {}, next('complete_source_deposit'))
  expect([pays(waiting), back(waiting)]).toEqual(['750 of 1000, 250 missing', null])
  const late = order('awaiting_refund', short('awaiting_refund'), {}, next('refund_source'))
  expect([pays(late), back(late)]).toEqual(['750 of 1000, 0 missing', '750 before_fee'])
  const seen = { ...short('refund_detected'), refund_tx_hash: 'aa', refunded_amount: '747' }
  expect(back(order('refund_detected', seen))).toBe('747 seen')
  expect(back(order('refunded', { ...short('refunded'), refund_tx_hash: 'aa' }))).toBe('750 before_fee')
})

test('a part that was taken back does not count for the remainder', () => {
  const source = { filled_amount: '750', deposits: [deposit('500', 'pending'), deposit('250', 'refunded')] }
  expect(pays(order('initiate_detected', source, {}, next('complete_source_deposit')))).toBe('750 of 1000, 500 missing')
})

test('more than the order: the deposits of the fill count, the others come back', () => {
  const deposits = (state: string) => [deposit('600', 'counted'), deposit('410', 'counted'), deposit('90', state)]
  const source = { filled_amount: '1010', fee_from_amount: true }
  const open = order('counterparty_initiated', { ...source, deposits: deposits('awaiting_refund') })
  expect([pays(open), back(open)]).toEqual(['1010 of 1000, 0 missing', '90 before_fee'])
  const ended = order('counterparty_redeemed', { ...source, deposits: deposits('refunded'), refunded_amount: '87' })
  expect(back(ended)).toBe('87 seen')
  expect(back(order('counterparty_redeemed', { ...source, deposits: deposits('uneconomic') }))).toBeNull()
})

test('a refund in parts: what came, and what still will', () => {
  const deposits = [deposit('600', 'refunded'), deposit('400', 'awaiting_refund')]
  const source = { fee_from_amount: true, refund_tx_hash: 'aa', refunded_amount: '597', deposits }
  expect(back(order('refund_detected', source))).toBe('997 before_fee')
})

test.each([
  ['awaiting_refund', {}, '1000 exact'],
  ['refund_detected', { refund_tx_hash: 'aa', refunded_amount: '1000' }, '1000 seen'],
  ['refunded', { refund_tx_hash: 'aa', refunded_amount: '1000' }, '1000 seen'],
  ['refunded', { refund_tx_hash: 'aa' }, '1000 exact'],
])('%s where an HTLC is funded once', (status, source, expected) => expect(back(order(status, source))).toBe(expected))

test.each([
  ['created', { filled_amount: '0' }, null, '1000 a, 500 b exact'],
  ['initiate_detected', { filled_amount: '750' }, next('complete_source_deposit'), '1000 a, 500 b exact'],
  ['counterparty_redeemed', { filled_amount: '1010' }, null, '1010 a, 500 b exact'],
  ['awaiting_refund', { filled_amount: '750' }, next('refund_source'), '1000 a, 500 b exact'],
  ['refunded', { filled_amount: '750', refund_tx_hash: 'aa', refunded_amount: '747' }, null, '750 a, 747 a seen'],
])('an order that is %s in one line', (status, source, nextAction, expected) => {
  const { from, to } = exchangeOf(order(status, source, {}, nextAction))
  expect(`${from.amount} ${from.asset}, ${to.amount} ${to.asset} ${to.certainty}`).toBe(expected)
})
