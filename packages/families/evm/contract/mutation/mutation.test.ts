// Mutation tests: every deliberately broken variant of a contract must fail the scenarios.
import { describe, expect, it } from 'vitest'
import { createContractFixture } from '../contract.fixture.ts'
import { playDistributor } from '../distributor.fixture.ts'
import type { SetupOptions } from '../htlc.fixture.ts'
import { compileMutants } from './compile-mutants.ts'
import { type MutantKind, mutants } from './mutants.ts'
import { playNativeHtlc } from './native-scenario.ts'
import { playTokenHtlc } from './token-scenario.ts'
import { playTronHtlc } from './tron-scenario.ts'

const scenarios = {
  'ERC-20': playTokenHtlc,
  native: playNativeHtlc,
  'TRC-20': playTronHtlc,
  distributor: ({ fixture, htlcBytecode }: SetupOptions) => playDistributor(fixture, htlcBytecode),
} as const

/** HyperCore needs its simulator: see `packages/families/hypercore`. */
type KindHere = Exclude<MutantKind, 'HyperCore'>

describe.each<KindHere>(['ERC-20', 'TRC-20', 'native', 'distributor'])('the contract of the kind %s', (kind) => {
  const broken = mutants.filter((mutant) => mutant.kind === kind)

  it(`differs from each of ${broken.length} broken variants`, { timeout: 600_000 }, async () => {
    const fixture = await createContractFixture()
    const [original = '0x', ...variants] = compileMutants(kind, [null, ...broken])
    await scenarios[kind]({ fixture, htlcBytecode: original })
    const survivors: string[] = []
    for (const [index, htlcBytecode] of variants.entries()) {
      const noticed = await scenarios[kind]({ fixture, htlcBytecode }).then(
        () => false,
        () => true,
      )
      if (!noticed) survivors.push(broken[index]?.name ?? '')
    }
    expect(survivors).toEqual([])
    // The unbroken contract still passes at the end: no mutant was caught by the state that another left behind.
    await scenarios[kind]({ fixture, htlcBytecode: original })
  })
})

it('has mutants of many kinds', () => {
  expect(mutants.length).toBeGreaterThanOrEqual(30)
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length)
})
