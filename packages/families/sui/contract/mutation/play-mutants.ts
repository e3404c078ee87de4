// Compiles broken variants of the module into one package, and plays for each the scenario that must notice it.

import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { breakSource, type Mutant } from '@tandem/chain-kit/testing/mutants.ts'
import { readPackage, testPackage } from '../compiler/move.ts'
import { moduleFile } from '../compiler/render.ts'
import { playerOf, scenarioTests } from '../testing/move-tests.ts'
import { scenarios } from '../testing/scenarios.ts'

const packageFolder = join(import.meta.dirname, '..')

/** The result is the mutants that no scenario notices. Rejects if the unbroken module fails one of the scenarios. */
export async function survivorsOf(mutants: readonly Mutant[], framework: string): Promise<readonly string[]> {
  const files = readPackage(packageFolder)
  const source = files[moduleFile] ?? ''
  const variants: Record<string, string> = {
    ...files,
    ...(await filesOf('htlc', source, [...new Set(mutants.map(({ noticedBy }) => noticedBy))])),
  }
  for (const [index, mutant] of mutants.entries())
    Object.assign(variants, await filesOf(moduleOf(index), breakSource(source, mutant), [mutant.noticedBy]))
  const { tests, output } = readReport(await testPackage(variants, framework))
  const fails = (module: string): boolean => [...tests].some(([name, passed]) => name.startsWith(`${module}_scenarios::`) && !passed)
  if (fails('htlc')) throw new Error(`the unbroken module fails:\n${output}`)
  return mutants.filter((_, index) => !fails(moduleOf(index))).map(({ name }) => name)
}

const moduleOf = (index: number): string => `mutant_${index}`

async function filesOf(module: string, source: string, noticing: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const chosen = new Map([...scenarios.entries()].filter(([, { name }]) => noticing.includes(name)))
  if (chosen.size !== noticing.length) throw new Error(`a scenario of ${noticing.join(', ')} does not exist`)
  return {
    [`sources/${module}.move`]: source.replace('module tandem_htlc::htlc;', `module tandem_htlc::${module};`),
    [`tests/${module}_player.move`]: playerOf(module),
    [`tests/${module}_scenarios.move`]: await scenarioTests(module, chosen),
  }
}

// Parses the report of Move's test runner.
export interface Report {
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
