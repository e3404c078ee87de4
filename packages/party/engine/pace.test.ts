/** Tests when a chain is polled next. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  type DepthState,
  dispatchIntervalMs,
  isFinalityDue,
  isLeaseDue,
  isListDue,
  isMempoolBackingOff,
  isQuorumDue,
  isStandby,
  mayWake,
  mempoolWaitMs,
  nextPoll,
  type PollState,
  pace,
  pollDepth,
  reconcileIntervalMs,
} from './pace.ts'

const NOW = 1_000_000
const NEVER = Number.NEGATIVE_INFINITY

/** An order is open, a swap is in progress, and blocks are slower than polls. */
const active: PollState = {
  pollMs: 1_000,
  blockMs: 12_000n,
  isFailing: false,
  isLeasedElsewhere: false,
  hasOpenOrder: true,
  isListStale: false,
  polledAtMs: NOW - 500,
  announcedAtMs: NEVER,
  activeUntilMs: NOW + 1,
}
const all = { isFailing: true, isLeasedElsewhere: true, hasOpenOrder: false, announcedAtMs: NOW, activeUntilMs: NOW, blockMs: 250n }

describe('the next poll', () => {
  test.each<[string, Partial<PollState>, ReturnType<typeof nextPoll>]>([
    ['of a chain that cannot be read, whatever else holds', all, { state: 'failing', afterMs: 1_000 }],
    ['while another process watches', { ...all, isFailing: false }, { state: 'standby', afterMs: 2_000 }],
    ['while another process watches a slow chain', { isLeasedElsewhere: true, pollMs: 3_000 }, { state: 'standby', afterMs: 3_000 }],
    ['without an open order', { ...all, isFailing: false, isLeasedElsewhere: false }, { state: 'idle', afterMs: 10_000 }],
    ['without an open order on a slow chain', { hasOpenOrder: false, pollMs: 15_000 }, { state: 'idle', afterMs: 15_000 }],
    ['while nodes announce blocks', { announcedAtMs: NOW - 36_000 }, { state: 'announced', afterMs: 5_000 }],
    ['when three blocks were not announced', { announcedAtMs: NOW - 36_001 }, { state: 'active', afterMs: 1_000 }],
    ['while fast blocks are announced', { blockMs: 250n, announcedAtMs: NOW - 30_000 }, { state: 'announced', afterMs: 5_000 }],
    ['when none was for 30 s', { blockMs: 250n, announcedAtMs: NOW - 30_001 }, { state: 'active', afterMs: 1_000 }],
    ['of a fast chain without a swap in progress', { blockMs: 999n, activeUntilMs: NOW }, { state: 'quiet', afterMs: 5_000 }],
    ['of a chain that is not faster than its polls', { blockMs: 1_000n, activeUntilMs: NOW }, { state: 'active', afterMs: 1_000 }],
    ['of a fast chain with a swap in progress', { blockMs: 250n }, { state: 'active', afterMs: 1_000 }],
  ])('%s', (_, changes, expected) => {
    expect(nextPoll({ ...active, ...changes }, NOW)).toEqual(expected)
  })

  test('README.md has the table', () => {
    const rows = pace.map(({ state, when, interval }) => `| ${state} | ${when} | ${interval} |`).join('\n')
    expect(readFileSync(new URL('README.md', import.meta.url), 'utf8')).toContain(`| --- | --- | --- |\n${rows}\n\n`)
  })
})

describe('a poll is woken', () => {
  const quiet = { blockMs: 250n, activeUntilMs: NOW }
  test.each<[string, Partial<PollState>, { readonly hint: boolean; readonly block: boolean }]>([
    ['while an order is open', {}, { hint: true, block: true }],
    ['by blocks, and not by hints, while nodes announce blocks', { announcedAtMs: NOW }, { hint: false, block: true }],
    ['by nothing while no order is open', { hasOpenOrder: false }, { hint: false, block: false }],
    ['if an order may be open', { hasOpenOrder: false, isListStale: true }, { hint: true, block: true }],
    ['by nothing while another process watches', { isLeasedElsewhere: true }, { hint: false, block: false }],
    ['when that one may be gone', { isLeasedElsewhere: true, polledAtMs: NOW - 2_000 }, { hint: true, block: true }],
    ['when the chain cannot be read', { isLeasedElsewhere: true, isFailing: true }, { hint: true, block: true }],
    ['by hints, and not by fast blocks, while the chain is quiet', quiet, { hint: true, block: false }],
    ['by slow blocks while the chain is quiet', { ...quiet, pollMs: 2_000, blockMs: 1_000n }, { hint: true, block: true }],
  ])('%s', (_, changes, expected) => {
    const state = { ...active, ...changes }
    expect({ hint: mayWake('hint', state, NOW), block: mayWake('block', state, NOW) }).toEqual(expected)
  })

  test('standby lasts until the next regular poll', () => {
    const standby = { ...active, isLeasedElsewhere: true }
    expect([1_999, 2_000].map((agoMs) => isStandby({ ...standby, polledAtMs: NOW - agoMs }, NOW))).toEqual([true, false])
  })
})

test.each([
  { hasOpenOrder: true, isRunning: true, isAlone: true, reconcile: 1_000, dispatch: 400 },
  { hasOpenOrder: true, isRunning: true, isAlone: false, reconcile: 1_000, dispatch: 400 },
  { hasOpenOrder: true, isRunning: false, isAlone: true, reconcile: 1_000, dispatch: 1_000 },
  { hasOpenOrder: true, isRunning: false, isAlone: false, reconcile: 1_000, dispatch: 400 },
  { hasOpenOrder: false, isRunning: true, isAlone: true, reconcile: 1_000, dispatch: 400 },
  { hasOpenOrder: false, isRunning: true, isAlone: false, reconcile: 1_000, dispatch: 400 },
  { hasOpenOrder: false, isRunning: false, isAlone: true, reconcile: 2_000, dispatch: 2_000 },
  { hasOpenOrder: false, isRunning: false, isAlone: false, reconcile: 2_000, dispatch: 2_000 },
])('the loops run without being woken: %o', ({ reconcile, dispatch, ...state }) => {
  expect({ reconcile: reconcileIntervalMs(state), dispatch: dispatchIntervalMs(state) }).toEqual({ reconcile, dispatch })
})

describe('how deep a poll goes', () => {
  const block = (height: bigint, hash: string) => ({ height, hash, parentHash: `parent of ${hash}`, time: 0n })
  const recorded: DepthState = {
    memory: { cursor: block(5n, 'five'), leasedAtMs: NOW, recordedAtMs: NOW, refreshedAtMs: NOW, finalReadAtMs: NOW },
    list: { hasOpen: true, hasDeposits: false, expectsUnconfirmed: false },
    pollMs: 1_000,
    hasFinalityTag: true,
    hasMempool: true,
    isBackground: true,
  }
  const [five, six] = [block(5n, 'five'), block(6n, 'six')]
  const idle = { ...recorded.list, hasOpen: false }
  const memory = (changes: Partial<DepthState['memory']>) => ({ memory: { ...recorded.memory, ...changes } })

  test.each<[string, Partial<DepthState>, typeof five, ReturnType<typeof pollDepth>]>([
    ['the newest block is on record', {}, five, 'unchanged'],
    ['a new block', {}, six, 'full'],
    ['another block at the same height', {}, block(5n, 'other'), 'full'],
    ['nothing is on record', memory({ cursor: null }), five, 'full'],
    ['the lease is due', memory({ leasedAtMs: NOW - 2_000 }), five, 'full'],
    ['the watch list is due', memory({ refreshedAtMs: NOW - 5_000 }), five, 'full'],
    ['the finality tag was never read', memory({ finalReadAtMs: NEVER }), five, 'full'],
    ['a finality tag that the chain does not have', { ...memory({ finalReadAtMs: NEVER }), hasFinalityTag: false }, five, 'unchanged'],
    ['the mempool may show a deposit', { list: { ...recorded.list, expectsUnconfirmed: true } }, five, 'full'],
    ['a mempool that nodes do not show', { list: { ...recorded.list, expectsUnconfirmed: true }, hasMempool: false }, five, 'unchanged'],
    ['idle, a new block', { list: idle }, six, 'postponed'],
    ['idle, the lease is due', { list: idle, ...memory({ leasedAtMs: NOW - 2_000 }) }, five, 'postponed'],
    ['idle, and an action awaits it', { list: idle, isBackground: false }, six, 'full'],
    ['idle, and nothing was recorded for a minute', { list: idle, ...memory({ recordedAtMs: NOW - 60_000 }) }, six, 'full'],
    ['idle, and the list was not read for a minute', { list: idle, ...memory({ refreshedAtMs: NOW - 60_000 }) }, six, 'full'],
    ['idle, and a reorg', { list: idle }, block(5n, 'other'), 'full'],
    ['idle, and nothing is on record', { list: idle, ...memory({ cursor: null }) }, six, 'full'],
  ])('%s', (_, changes, tip, expected) => {
    expect(pollDepth({ ...recorded, ...changes }, tip, NOW)).toBe(expected)
  })

  test('each reading has its own interval', () => {
    const waiting = { ...recorded, list: { ...recorded.list, hasDeposits: true } }
    const agreed = { tip: five, atMs: NOW, singleReads: 0 }
    const at = (ms: number) => [
      isLeaseDue({ leasedAtMs: NOW }, NOW + ms) && 'lease',
      isListDue({ refreshedAtMs: NOW }, NOW + ms) && 'list',
      isFinalityDue(waiting, NOW + ms) && 'finality',
      isQuorumDue(agreed, NOW + ms) && 'quorum',
      !isMempoolBackingOff({ mempoolFailedAtMs: NOW }, NOW + ms) && 'mempool',
    ]
    expect(at(1_999).filter(Boolean)).toEqual([])
    expect(at(2_000).filter(Boolean)).toEqual(['lease'])
    expect(at(5_000).filter(Boolean)).toEqual(['lease', 'list'])
    expect(at(10_000).filter(Boolean)).toEqual(['lease', 'list', 'finality'])
    expect(at(30_000).filter(Boolean)).toEqual(['lease', 'list', 'finality', 'quorum'])
    expect(at(59_999)).toContain(false)
    expect(at(60_000)).not.toContain(false)
    expect(isFinalityDue(recorded, NOW + 10_000)).toBe(false)
    expect(isQuorumDue({ ...agreed, singleReads: 4 }, NOW)).toBe(true)
    expect(isMempoolBackingOff({ mempoolFailedAtMs: null }, NOW)).toBe(false)
  })

  test('an awaited poll does not wait long for the mempool, with slow nodes longer, never longer than a regular one', () => {
    const awaited = [0, 400, 1_000, 3_000, 60_000].map((answerMs) => mempoolWaitMs(false, answerMs))
    expect(awaited).toEqual([1_000, 1_000, 2_000, 6_000, 10_000])
    expect(mempoolWaitMs(true, 0)).toBe(10_000)
  })
})
