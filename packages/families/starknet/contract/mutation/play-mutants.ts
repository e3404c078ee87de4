// Compiles broken variants of the contract into one crate, and plays for each the scenario that must notice it.
import { breakSource, type Mutant } from '@tandem/chain-kit/testing/mutants.ts'
import { runCairo } from '../compiler/run.ts'
import { contractSource } from '../compiler/sources.ts'
import { type CairoTestSource, playTest, testCrate } from '../testing/cairo-tests.ts'
import { encodeScenario } from '../testing/encode.ts'
import { readReport } from '../testing/report.ts'
import { scenarios } from '../testing/scenarios.ts'

/** The result is the mutants that no scenario notices. cairo.test.ts shows that the unbroken contract plays every scenario. */
export async function survivorsOf(mutants: readonly Mutant[]): Promise<readonly string[]> {
  const source = contractSource()
  const variants = new Map(mutants.map((mutant, index) => [`mutant_${index}`, breakSource(source, mutant)]))
  const tests = mutants.map((mutant, index) => playScenario(`mutant_${index}`, mutant.noticedBy))
  const report = readReport(await runCairo({ what: 'test', source: testCrate(tests, variants) }))
  return mutants.filter((_, index) => report.get(`mutant_${index}`)?.passed !== false).map(({ name }) => name)
}

function playScenario(name: string, scenarioName: string): CairoTestSource {
  const index = scenarios.findIndex((scenario) => scenario.name === scenarioName)
  const scenario = scenarios[index]
  if (scenario === undefined) throw new Error(`there is no scenario "${scenarioName}"`)
  return playTest(name, `crate::${name}`, `${index}`, encodeScenario(scenario))
}
