// Writes the Cairo tests: the contract, the mocks and the player in one crate, with a test for each scenario.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Felt } from '../client/felt.ts'
import { contractSource, moduleOf } from '../compiler/sources.ts'
import { encodeScenario } from './encode.ts'
import type { Scenario } from './scenario.ts'

const cairoFile = (name: string): string => readFileSync(join(import.meta.dirname, 'cairo', `${name}.cairo`), 'utf8')

const cairoFiles = ['mocks', 'player'] as const
/** These modules have tests of their own, of the unbroken contract. */
const filesWithTests = ['deployment', 'outside'] as const

export const writtenTests = filesWithTests.flatMap((file) =>
  [...cairoFile(file).matchAll(/#\[test\]\nfn (\w+)/g)].map(([, name = '']) => name),
)

export interface CairoTestSource {
  readonly name: string
  readonly body: string
  readonly constants?: string
}

export function testCrate(tests: readonly CairoTestSource[], variants: ReadonlyMap<string, string> = new Map()): string {
  const constants = new Set(tests.map((test) => test.constants ?? ''))
  const written = tests.map(({ name, body }) => `    #[test]\n    fn ${name}() {\n        ${body}\n    }\n`)
  const generated = `mod generated {\n    use crate::tests::player;\n${[...constants, ...written].join('')}}\n`
  const files = variants.size === 0 ? [...cairoFiles, ...filesWithTests] : cairoFiles
  const modules = [...files.map((name) => moduleOf(name, cairoFile(name))), generated]
  const others = [...variants].map(([name, source]) => moduleOf(name, source.replaceAll('crate::', `crate::${name}::`)))
  return [contractSource(), ...others, `#[cfg(test)]\nmod tests {\n${modules.join('')}}\n`].join('')
}

export const testName = (index: number): string => `scenario_${index}`

export function scenarioTest(scenario: Scenario, index: number): CairoTestSource {
  return playTest(testName(index), 'crate', `${index}`, encodeScenario(scenario))
}

/** `root` is the path of the crate or variant whose contract plays. The felts are a constant: an array would take minutes to compile. */
export function playTest(name: string, root: string, constant: string, felts: readonly Felt[]): CairoTestSource {
  return {
    name,
    body: `player::expect_played(player::play(${root}::htlc::Htlc::TEST_CLASS_HASH, FELTS_${constant}.span()));`,
    constants: `    const FELTS_${constant}: [felt252; ${felts.length}] = [${felts.join(', ')}];\n`,
  }
}
