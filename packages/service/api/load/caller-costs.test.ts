import { expect, test } from 'vitest'
import { createCallerCosts } from './caller-costs.ts'

let now = 0
const costs = () => createCallerCosts(() => now)

test('who asks for far more than the others is heavy, by network and not by address; the others are not', () => {
  const known = costs()
  for (let list = 0; list < 16; list += 1) known.note(`203.0.113.${list}`, 50)
  for (let user = 0; user < 3; user += 1) known.note(`192.0.${user}.1`, 10)
  expect(known.isHeavy('203.0.113.99')).toBe(true)
  expect(known.isHeavy('192.0.1.1')).toBe(false)
  expect(known.isHeavy('198.51.100.1')).toBe(false)
})

test('several of them among many users are all heavy; among equals nobody is', () => {
  const known = costs()
  for (let heavy = 0; heavy < 3; heavy += 1) known.note(`10.0.${heavy}.1`, 1000)
  for (let user = 0; user < 100; user += 1) known.note(`10.1.${user}.1`, 5)
  for (let heavy = 0; heavy < 3; heavy += 1) expect(known.isHeavy(`10.0.${heavy}.1`)).toBe(true)
  const equals = costs()
  for (let user = 0; user < 100; user += 1) equals.note(`10.1.${user}.1`, 500)
  expect(equals.isHeavy('10.1.7.1')).toBe(false)
})

test('one who is alone harms nobody, and one who asks for little is never heavy', () => {
  const known = costs()
  known.note('192.0.2.1', 10_000)
  expect(known.isHeavy('192.0.2.1')).toBe(false)
  const idle = costs()
  for (let user = 0; user < 100; user += 1) idle.note(`10.1.${user}.1`, 1)
  idle.note('192.0.2.1', 59)
  expect(idle.isHeavy('192.0.2.1')).toBe(false)
  idle.note('192.0.2.1', 1)
  expect(idle.isHeavy('192.0.2.1')).toBe(true)
})

test('it is forgotten after twice ten seconds', () => {
  const known = costs()
  known.note('203.0.113.1', 1000)
  known.note('192.0.2.1', 1)
  now += 10_001
  known.note('192.0.2.1', 1)
  expect(known.isHeavy('203.0.113.1')).toBe(true)
  now += 10_001
  known.note('192.0.2.1', 1)
  expect(known.isHeavy('203.0.113.1')).toBe(false)
  known.note('203.0.113.1', 1000)
  now += 30_000
  expect(known.isHeavy('203.0.113.1')).toBe(false)
})
