import { expect, test } from 'vitest'
import type { OrderRecord } from '../../../sdk/src/index.ts'
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
    source_swap: { ...blank, current_confirmations: 0, required_confirmations: 1, ...source },
    destination_swap: { ...blank, ...destination },
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
