// Tests that every deliberately broken variant of a contract fails the scenario of its kind.
import type { Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import { createContractFixture } from '../contract.fixture.ts'
import { playDistributor } from '../distributor.fixture.ts'
import type { SetupOptions } from '../htlc.fixture.ts'
import { findSurvivors } from './compile-mutants.ts'
import { type Mutant, type MutantKind, mutants } from './mutants.ts'
import { nativeScenario } from './native-scenario.ts'
import { type Part, playParts } from './parts.ts'
import { tokenScenario } from './token-scenario.ts'
import { tronScenario } from './tron-scenario.ts'

const scenarios: readonly (readonly [MutantKind, (options: SetupOptions) => readonly Part[]])[] = [
  ['ERC-20', tokenScenario],
  ['HyperCore', (options) => tokenScenario(options, 'HyperCore')],
  ['TRC-20', tronScenario],
  ['native', nativeScenario],
  ['distributor', ({ fixture, htlcBytecode }) => [{ files: [], play: () => playDistributor(fixture, htlcBytecode) }]],
]

describe.each(scenarios)('the contract of the kind %s', (kind, partsOf) => {
  const broken = mutants.filter((mutant) => mutant.kind === kind)

  it(`differs from each of ${broken.length} broken variants`, { timeout: 600_000 }, async () => {
    const fixture = await createContractFixture()
    const play = (htlcBytecode: Hex, file: Mutant['file'] | null) => playParts(partsOf({ fixture, htlcBytecode }), file)
    expect(await findSurvivors(kind, broken, play)).toEqual([])
  })
})

it('has mutants of many kinds', () => {
  expect(mutants.length).toBeGreaterThanOrEqual(30)
  expect(new Set(mutants.map(({ kind, name }) => `${kind}: ${name}`)).size).toBe(mutants.length)
})
