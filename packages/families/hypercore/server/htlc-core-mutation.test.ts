/** Mutation tests: every deliberately broken variant of the HTLC for tokens of HyperCore must fail the scenario. */

import { compileMutants } from '@tandem/evm/contract/mutation/compile-mutants.ts'
import { expect, test } from 'vitest'
import { coreMutants } from './htlc-core-mutants.fixture.ts'
import { playHtlcCore } from './htlc-core-scenario.fixture.ts'
import { createHypercoreFixture } from './hypercore.fixture.ts'

test(`the contract differs from each of ${coreMutants.length} broken variants`, { timeout: 600_000 }, async () => {
  const fixture = await createHypercoreFixture()
  const { local } = fixture
  const [original = '0x', ...variants] = compileMutants('HyperCore', [null, ...coreMutants])
  const play = async (bytecode: typeof original) => {
    const start = await local.request({ method: 'evm_snapshot' })
    try {
      await playHtlcCore(fixture, bytecode)
    } finally {
      await local.request({ method: 'evm_revert', params: [start] })
    }
  }
  await play(original)
  const survivors: string[] = []
  for (const [index, bytecode] of variants.entries()) {
    const noticed = await play(bytecode).then(
      () => false,
      () => true,
    )
    if (!noticed) survivors.push(coreMutants[index]?.name ?? '')
  }
  expect(survivors).toEqual([])
  await play(original)
  await fixture.close()
})
