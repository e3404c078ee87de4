/** Tests the list of recent problems on the operator page. */
import { createLogger, withProblems } from '@tandem/runtime/log.ts'
import { expect, test } from 'vitest'
import { createRecentProblems } from './recent-problems.ts'

function start() {
  const problems = createRecentProblems()
  return { problems, log: withProblems(createLogger({ name: 'test', destination: { write: () => undefined } }), problems.add) }
}

test('the newest problem is first, with its order, one line of details and no stack', () => {
  const { problems, log } = start()
  const order = 'ab'.repeat(32)
  log.warn({ chain: 'bitcoin_regtest', err: new TypeError('no answer') }, 'cannot read chain')
  log.error({ order, action: 'redeem source' }, 'action failed')
  expect(problems.list()).toMatchObject([
    { level: 'error', message: 'action failed', order, details: 'action="redeem source"', times: 1 },
    { level: 'warn', message: 'cannot read chain', order: null, details: 'chain=bitcoin_regtest err="TypeError: no answer"' },
  ])
})

test('the same problem in a row is one entry, however often; the number of entries and their length are bounded', () => {
  const { problems, log } = start()
  for (let i = 0; i < 1000; i += 1) log.warn({ i: i < 900 ? 0 : i, long: 'x'.repeat(10_000) }, 'again')
  const list = problems.list()
  expect(list).toHaveLength(101)
  expect(list.at(-1)?.times).toBe(900)
  expect(problems.counts).toEqual({ warn: 1000, error: 0, fatal: 0 })
  expect(Math.max(...list.map(({ details }) => details.length))).toBeLessThanOrEqual(400)
  for (let i = 0; i < 1000; i += 1) log.warn({ i }, 'other')
  expect(problems.list()).toHaveLength(200)
})
