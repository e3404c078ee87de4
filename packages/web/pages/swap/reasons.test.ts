/** Tests the reason that the swap page gives for each next action. */
import { nextActionNames } from '@tandem/protocol/next-actions.ts'
import type { OrderRecord } from '@tandem/sdk'
import { expect, test } from 'vitest'
import { swap } from '../../texts.ts'
import { detailsOf, reasonOf } from './reasons.ts'

const order = (status: string, next: object | null, source: object = {}) =>
  ({ status, next_action: next, source_swap: source }) as unknown as OrderRecord
const next = (who: string, what: string, why?: string) => ({ who, what, by: null, ...(why !== undefined && { why }) })

test.each(nextActionNames)('there is a reason for %s', (name) => {
  const who = ['user', 'solver', 'service'].filter((one) => swap.order.why[`${one}_${name}`] !== undefined)
  expect(who.length).toBeGreaterThan(0)
  for (const one of who) expect(reasonOf(order('created', next(one, name)))).toMatch(/\.$/)
})

test('the status says more where a transaction waits for a block', () => {
  expect(reasonOf(order('redeem_detected', next('solver', 'redeem_source')))).toMatch(/pays you was sent and is not in a block yet/)
  expect(reasonOf(order('initiated', next('solver', 'initiate_destination')))).toMatch(/^Your payment is confirmed/)
  expect(reasonOf(order('refund_detected', next('service', 'refund_source')))).toMatch(/returns your payment was sent/)
})

test('the error text of the service is for programs: the page shows it only in the details', () => {
  const why = 'send revoke_transaction of GET /orders/{id}/funding: 7996419 of 50000578'
  for (const name of nextActionNames)
    for (const who of ['user', 'solver', 'service']) {
      const record = order('created', next(who, name, why))
      expect(reasonOf(record)).not.toMatch(/[a-z]_[a-z]|\d{5}|GET|PATCH/)
      expect(detailsOf(record)).toBe(why)
    }
  expect(reasonOf(order('awaiting_refund', next('service', 'refund_source', why)))).toMatch(/returns your payment.*last attempt failed/)
  expect(reasonOf(order('expired', next('user', 'revoke_signature', why)))).not.toMatch(/last attempt failed/)
  expect(detailsOf(order('refunded', null))).toBeNull()
})

test('an incomplete deposit', () => {
  const short = order('initiate_detected', next('user', 'complete_source_deposit', 'PATCH ?action=instant-refund'))
  expect(reasonOf(short)).toMatch(/^The payment is less than agreed/)
  const atAddress = order('initiate_detected', next('user', 'complete_source_deposit'), { deposit_address: '0x12' })
  expect(reasonOf(atAddress)).toMatch(/After the deadline what is there comes back by itself/)
  expect(reasonOf(order('refunded', null))).toBe('')
})
