// What the test runner of Move reports.
import { stripVTControlCharacters } from 'node:util'

export interface Report {
  /** By the name of the test, with its module: whether it passed. */
  readonly tests: ReadonlyMap<string, boolean>
  readonly output: string
}

export function readReport(coloured: string): Report {
  const output = stripVTControlCharacters(coloured)
  const lines = [...output.matchAll(/^\[ (PASS|FAIL|TIMEOUT) +\] \w+::(\w+::\w+)/gm)]
  const tests = new Map(lines.map(([, mark, name = '']): [string, boolean] => [name, mark === 'PASS']))
  const [, total, passed] = /Total tests: (\d+); passed: (\d+); failed: \d+/.exec(output) ?? []
  if (Number(total) !== tests.size || Number(passed) !== [...tests.values()].filter(Boolean).length)
    throw new Error(`the report of the Move tests is not complete:\n${output}`)
  return { tests, output }
}
