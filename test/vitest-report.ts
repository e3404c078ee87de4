// Counts the results in vitest's JSON report. A file that failed to load counts as one failure.

export type Tally = {
  readonly passed: number
  readonly failed: number
  /** One line for each skipped test, with the reason. */
  readonly skipped: readonly string[]
}

export type VitestReport = {
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
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

// Suites carry the reason in their name, as `describeWithNode` writes it.
const explainSkip = (fullName: string): string => {
  const reason = /\[skipped: (.*?)\] ?/.exec(fullName)
  return reason === null ? `${fullName}: no reason given` : `${fullName.replace(reason[0], '')}: ${reason[1]}`
}
