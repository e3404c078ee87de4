/** Tests the search for descendants of our own payments. */
import { createMemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import { expect, it } from 'vitest'
import { randomSigner } from '../bitcoin.fixture.ts'
import { hasWantedDescendant } from './own-payments.ts'

const [live, child, grandchild, last] = ['a', 'b', 'c', 'd'].map((digit) => digit.repeat(64))
const attempt = (tx = '', ...slots: readonly string[]) => ({ tx, raw: '', slots, feeRate: 1_000n })

it('finds wanted descendants of a payment, any number of generations down', async () => {
  const box = createMemoryOutbox(randomSigner())
  const isNeeded = () => hasWantedDescendant(box.open('action'), { tx: live ?? '' })
  await box.open('action').record(attempt(live, `${'0'.repeat(64)}:0`))
  // This payment belongs to the same action: it pays for the first as its child.
  await box.open('action').record(attempt(child, `${live}:1`))
  await box.open('elsewhere').record(attempt('e'.repeat(64), `${'f'.repeat(64)}:0`))
  expect(isNeeded()).toBe(false)
  await box.open('unwanted').record(attempt(grandchild, `${'f'.repeat(64)}:1`, `${child}:0`))
  box.abandon('unwanted')
  expect(isNeeded()).toBe(false)
  await box.open('wanted').record(attempt(last, `${grandchild}:12`))
  expect(isNeeded()).toBe(true)
  box.abandon('wanted')
  expect(isNeeded()).toBe(false)
})
