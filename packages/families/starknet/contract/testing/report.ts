// Parses the report of Cairo's test runner.

export interface CairoTest {
  readonly name: string
  readonly passed: boolean
  /** The gas is that of the whole test, with the deployments. */
  readonly gas: number
  readonly steps: number
  readonly panic: string | null
}

export function readReport(report: string): ReadonlyMap<string, CairoTest> {
  const tests = new Map<string, CairoTest>()
  const panics = new Map([...report.matchAll(/::(\w+) - Panicked with ([^\n]*)/g)].map(([, name, panic]) => [name, panic]))
  for (const [, name = '', mark, gas, steps] of report.matchAll(/::(\w+) \.\.\. (ok|fail) \(gas usage est\.: (\d+)\)\n {4}steps: (\d+)/g)) {
    tests.set(name, { name, passed: mark === 'ok', gas: Number(gas), steps: Number(steps), panic: panics.get(name) ?? null })
  }
  const [, passed, failed] = /test result: \w+\. (\d+) passed; (\d+) failed/.exec(report) ?? []
  const found = [...tests.values()]
  if (Number(passed) !== found.filter((test) => test.passed).length || Number(failed) !== found.filter((test) => !test.passed).length)
    throw new Error(`the report of the Cairo tests is not complete:\n${report}`)
  return tests
}
