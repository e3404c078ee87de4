/** Tests the steps that the swap page shows for each status. */
import type { OrderRecord } from '@tandem/sdk'
import { expect, test } from 'vitest'
import { stepsOf } from './timeline-steps.ts'

const blank = {
  initiate_tx_hash: '',
  initiate_timestamp: null,
  redeem_tx_hash: '',
  redeem_timestamp: null,
  refund_tx_hash: '',
  refund_timestamp: null,
}
const order = (status: string, source: object = {}, destination: object = {}) =>
  ({
    status,
    next_action: null,
    source_swap: { ...blank, amount: '1000', filled_amount: '1000', current_confirmations: 0, required_confirmations: 1, ...source },
    destination_swap: { ...blank, amount: '500', ...destination },
  }) as unknown as OrderRecord
const shape = (record: OrderRecord) =>
  stepsOf(record)
    .map(({ name, state }) => `${name} ${state}`)
    .join(', ')

test.each([
  ['created', 'you current, confirmed waiting, solver waiting, paid waiting'],
  ['initiate_detected', 'you done, confirmed current, solver waiting, paid waiting'],
  ['initiated', 'you done, confirmed done, solver current, paid waiting'],
  ['counterparty_initiate_detected', 'you done, confirmed done, solver current, paid waiting'],
  ['counterparty_initiated', 'you done, confirmed done, solver done, paid current'],
  ['redeem_detected', 'you done, confirmed done, solver done, paid current'],
  ['redeemed', 'you done, confirmed done, solver done, paid done'],
  ['expired', ''],
])('%s', (status, expected) => expect(shape(order(status))).toBe(expected))

test('a refund follows the steps that were done', () => {
  const paid = { initiate_tx_hash: 'aa:0,bb:1', current_confirmations: 1 }
  expect(shape(order('awaiting_refund', paid))).toBe('you done, confirmed done, refund current')
  expect(shape(order('refunded', paid, { initiate_timestamp: 'x' }))).toBe('you done, confirmed done, solver done, refund done')
  expect(shape(order('awaiting_refund', { initiate_tx_hash: 'aa' }))).toBe('you done, refund current')
  expect(stepsOf(order('awaiting_refund', paid))[0]?.txs).toEqual(['aa', 'bb'])
})

test('while a part is missing, the payment is not done', () => {
  const next_action = { who: 'user', what: 'complete_source_deposit', by: null }
  const short = { ...order('initiate_detected', { initiate_tx_hash: 'aa', filled_amount: '400' }), next_action } as unknown as OrderRecord
  expect(shape(short)).toBe('you current, confirmed waiting, solver waiting, paid waiting')
  expect(stepsOf(short)[0]?.txs).toEqual(['aa'])
})

test('deposits that did not count come back after the other steps', () => {
  const extra = (state: string, more: object = {}) =>
    order('redeemed', { ...more, deposits: [{ amount: '9', state, spend_tx_hash: state === 'refunded' ? 'cc' : '' }] })
  expect(shape(extra('awaiting_refund'))).toMatch(/paid done, extra waiting$/)
  expect(shape(extra('refunded', { refunded_amount: '8' }))).toMatch(/paid done, extra done$/)
  expect(stepsOf(extra('refunded')).at(-1)?.txs).toEqual(['cc'])
})
