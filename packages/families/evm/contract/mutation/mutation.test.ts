// Tests that every deliberately broken variant of a contract fails the scenario of its kind.
import { describe, expect, it } from 'vitest'
import { createContractFixture } from '../contract.fixture.ts'
import { playDistributor } from '../distributor.fixture.ts'
import type { SetupOptions } from '../htlc.fixture.ts'
import { findSurvivors } from './compile-mutants.ts'
import { type MutantKind, mutants } from './mutants.ts'
import { playNativeHtlc } from './native-scenario.ts'
import { playTokenHtlc } from './token-scenario.ts'
import { playTronHtlc } from './tron-scenario.ts'

const scenarios: readonly (readonly [MutantKind, (options: SetupOptions) => Promise<void>])[] = [
  ['ERC-20', playTokenHtlc],
  ['HyperCore', (options) => playTokenHtlc(options, 'HyperCore')],
  ['TRC-20', playTronHtlc],
  ['native', playNativeHtlc],
  ['distributor', ({ fixture, htlcBytecode }) => playDistributor(fixture, htlcBytecode)],
]

describe.each(scenarios)('the contract of the kind %s', (kind, play) => {
  const broken = mutants.filter((mutant) => mutant.kind === kind)

  it(`differs from each of ${broken.length} broken variants`, { timeout: 600_000 }, async () => {
    const fixture = await createContractFixture()
    expect(await findSurvivors(kind, broken, (htlcBytecode) => play({ fixture, htlcBytecode }))).toEqual([])
  })
})

it('has mutants of many kinds', () => {
  expect(mutants.length).toBeGreaterThanOrEqual(30)
  expect(new Set(mutants.map(({ kind, name }) => `${kind}: ${name}`)).size).toBe(mutants.length)
})
