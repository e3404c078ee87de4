/** Tests the test runner: its counts, reports and list of slow files. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LONGEST } from './longest-first.ts'
import { slowestFiles, tallyReport } from './vitest-report.ts'

const file = (status: string, ...tests: [string, string][]) => ({
  name: 'a.test.ts',
  status,
  startTime: 0,
  endTime: 0,
  assertionResults: tests.map(([fullName, state]) => ({ fullName, status: state })),
})

test('counts passed, failed and skipped tests', () => {
  const report = {
    testResults: [file('failed', ['a', 'passed'], ['b', 'failed']), file('passed', ['c', 'passed'], ['d', 'pending'], ['e', 'todo'])],
  }
  expect(tallyReport(report, 1)).toEqual({ passed: 2, failed: 1, skipped: ['d: no reason given', 'e: no reason given'] })
})

test('the reason of a skipped test is taken from the name of its suite', () => {
  const report = { testResults: [file('passed', ['real node [skipped: no network] mines', 'skipped'])] }
  expect(tallyReport(report, 0).skipped).toEqual(['real node mines: no network'])
})

test('a file that cannot be loaded counts as a failure', () => {
  expect(tallyReport({ testResults: [file('failed'), file('failed', ['a', 'passed'])] }, 1)).toMatchObject({ passed: 1, failed: 2 })
})

test('an exit code other than 0 without a failed test counts as a failure, and so does a missing report', () => {
  expect(tallyReport({ testResults: [file('passed', ['a', 'passed'])] }, 1)).toMatchObject({ passed: 1, failed: 1 })
  expect(tallyReport(null, 1)).toEqual({ passed: 0, failed: 1, skipped: [] })
  expect(tallyReport(null, null)).toEqual({ passed: 0, failed: 1, skipped: [] })
})

test('the slowest files come first, by their names in the repository', () => {
  const took = (name: string, startTime: number, endTime: number) => ({
    ...file('passed'),
    name: `/home/me/tandem/${name}`,
    startTime,
    endTime,
  })
  const report = { testResults: [took('src/a.test.ts', 1_000, 2_000), took('b.test.ts', 5_000, 105_120), took('c.test.ts', 0, 3_000)] }
  expect(slowestFiles(report, '/home/me/tandem', 2)).toEqual(['  100.1 s  b.test.ts', '    3.0 s  c.test.ts'])
})

test('every file of the list exists: a file that moved would lose its place', () => {
  expect(LONGEST.filter((file) => !existsSync(join(import.meta.dirname, '..', file)))).toEqual([])
})
