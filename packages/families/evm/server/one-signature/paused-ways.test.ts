/** Tests that relays which revert pause a way for a while, and that one account cannot hide a way from the others. */

import { describe, expect, it } from 'vitest'
import { createPausedWays, MAX_REVERTED_ACCOUNTS } from './paused-ways.ts'

const token = `0x${'1'.repeat(40)}` as const
const HOUR_MS = 3_600_000

function setup() {
  let now = 0
  const outcomes = new Map<string, 'success' | 'reverted' | null>()
  const asked: string[] = []
  const outcome = async (tx: string) => {
    asked.push(tx)
    return outcomes.get(tx) ?? null
  }
  const paused = createPausedWays({ outcome }, () => now)
  let sent = 0
  const follow = (tx: string, owner: string, isInitiated = false) =>
    paused.follow(token, 'authorization', { tx, owner, isInitiated: async () => isInitiated })
  const relay = (result: 'success' | 'reverted' | null, { owner, isInitiated }: { owner?: string; isInitiated?: boolean } = {}) => {
    sent += 1
    outcomes.set(`${sent}`, result)
    follow(`${sent}`, owner ?? `owner ${sent}`, isInitiated)
    return `${sent}`
  }
  const pass = (ms: number) => {
    now += ms
  }
  const isPaused = async () => {
    await paused.settle(token, 'authorization')
    return paused.isPaused(token, 'authorization')
  }
  return { paused, outcomes, asked, follow, relay, pass, isPaused }
}

describe('a way', () => {
  it('is paused for an hour after the reverts of three accounts in a row, for this token alone', async () => {
    const { paused, relay, pass, isPaused } = setup()
    for (let reverts = 1; reverts < MAX_REVERTED_ACCOUNTS; reverts += 1) relay('reverted')
    expect(await isPaused()).toBe(false)
    relay('reverted')
    expect(await isPaused()).toBe(true)
    expect(paused.isPaused(token, 'permit')).toBe(false)
    expect(paused.isPaused(`0x${'2'.repeat(40)}`, 'authorization')).toBe(false)
    pass(HOUR_MS - 1)
    expect(await isPaused()).toBe(true)
    pass(1)
    expect(await isPaused()).toBe(false)
  })

  it('is not paused by one account, nor by two, however often their relays revert', async () => {
    const { relay, isPaused } = setup()
    for (const owner of ['a', 'b', 'a', 'a', 'b', 'b', 'a']) relay('reverted', { owner })
    expect(await isPaused()).toBe(false)
    relay('reverted', { owner: 'c' })
    expect(await isPaused()).toBe(true)
  })

  it('is not paused by a stranger who relays first: the order is initiated, so the way has worked', async () => {
    const { relay, isPaused } = setup()
    for (let first = 0; first < MAX_REVERTED_ACCOUNTS; first += 1) relay('reverted', { isInitiated: true })
    expect(await isPaused()).toBe(false)
    for (const isInitiated of [false, false, true, false, false]) relay('reverted', { isInitiated })
    expect(await isPaused()).toBe(false)
  })

  it('that works in between is not paused within the hour, by however many accounts', async () => {
    const { relay, pass, isPaused } = setup()
    for (const result of ['reverted', 'reverted', 'success', 'reverted', 'reverted'] as const) relay(result)
    expect(await isPaused()).toBe(false)
    pass(HOUR_MS - 1)
    for (let reverts = 0; reverts < 16; reverts += 1) relay('reverted')
    expect(await isPaused()).toBe(false)
    pass(1)
    expect(await isPaused()).toBe(true)
  })

  it('that somebody uses once an hour is never paused, whoever makes new accounts to revert', async () => {
    const { relay, pass, isPaused } = setup()
    for (let hour = 0; hour < 24; hour += 1) {
      relay('success')
      expect(await isPaused()).toBe(false)
      for (let reverts = 0; reverts < MAX_REVERTED_ACCOUNTS; reverts += 1) relay('reverted')
      expect(await isPaused()).toBe(false)
      pass(HOUR_MS - 1)
    }
  })

  it('is not paused by reverts that are an hour apart', async () => {
    const { relay, pass, isPaused } = setup()
    for (let reverts = 0; reverts < 2 * MAX_REVERTED_ACCOUNTS; reverts += 1) {
      relay('reverted')
      expect(await isPaused()).toBe(false)
      pass(HOUR_MS / 2)
    }
  })

  it('counts each relay once, when it is mined, however often it is followed or asked for', async () => {
    const { follow, outcomes, asked, relay, isPaused } = setup()
    const unmined = relay(null)
    relay('reverted')
    await Promise.all([isPaused(), isPaused(), isPaused()])
    follow(unmined, 'owner 1')
    outcomes.set(unmined, 'reverted')
    expect(await isPaused()).toBe(false)
    asked.length = 0
    expect(await isPaused()).toBe(false)
    expect(asked).toEqual([])
    relay('reverted')
    expect(await isPaused()).toBe(true)
  })
})

it('an account that failed is refused for an hour, and no other', () => {
  const { paused, pass } = setup()
  paused.refuse(token, 'permit', '0xa')
  expect(paused.isRefused(token, 'permit', '0xa')).toBe(true)
  expect(paused.isRefused(token, 'authorization', '0xa')).toBe(false)
  expect(paused.isRefused(token, 'permit', '0xb')).toBe(false)
  pass(HOUR_MS)
  expect(paused.isRefused(token, 'permit', '0xa')).toBe(false)
})

it('the oldest refusal is evicted, so many accounts cost bounded memory', () => {
  const { paused } = setup()
  for (let account = 0; account <= 10_000; account += 1) paused.refuse(token, 'permit', `0x${account}`)
  expect(paused.isRefused(token, 'permit', '0x0')).toBe(false)
  expect(paused.isRefused(token, 'permit', '0x1')).toBe(true)
  expect(paused.isRefused(token, 'permit', '0x10000')).toBe(true)
})
