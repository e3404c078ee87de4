// Vitest's JSON report tells the results and where the time went. A file that failed to load counts as one failure.
import { relative } from 'node:path'

export type Tally = {
  readonly passed: number
  readonly failed: number
  readonly skipped: readonly string[]
}

export type VitestReport = {
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    /** The time is in Unix milliseconds. */
    readonly startTime: number
    readonly endTime: number
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[]
  }[]
}

/** `report` is null when vitest ended without writing one. */
export const tallyReport = (report: VitestReport | null, exitCode: number | null): Tally => {
  const files = report?.testResults ?? []
  const tests = files.flatMap((file) => file.assertionResults)
  const count = (status: string): number => tests.filter((test) => test.status === status).length
  const brokenFiles = files.filter(
    (file) => file.status === 'failed' && file.assertionResults.every(({ status }) => status !== 'failed'),
  ).length
  const failed = count('failed') + brokenFiles
  // An error outside of every test, or no test at all, shows only in the exit code.
  const unexplained = failed === 0 && exitCode !== 0 ? 1 : 0
  return {
    passed: count('passed'),
    failed: failed + unexplained,
    skipped: tests.filter(({ status }) => status !== 'passed' && status !== 'failed').map(({ fullName }) => explainSkip(fullName)),
  }
}

export const slowestFiles = ({ testResults }: VitestReport, root: string, count: number): readonly string[] =>
  testResults
    .map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1000 }))
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, count)
    .map(({ name, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${relative(root, name)}`)

// Suites carry the reason in their name; `describeWithNode` writes it.
const explainSkip = (fullName: string): string => {
  const reason = /\[skipped: (.*?)\] ?/.exec(fullName)
  return reason === null ? `${fullName}: no reason given` : `${fullName.replace(reason[0], '')}: ${reason[1]}`
}
