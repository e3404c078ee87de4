// In these mutation tests, every deliberately broken variant of the program must fail the scenario that it names.
import { expect, it, test } from 'vitest'
import { describeWithCompiler } from '../../../../../test/nodes/describe-with-node.ts'
import { fetchProgram } from '../../../../../test/nodes/fetch.ts'
import { createHtlc, type Kind, kinds } from '../testing/order.ts'
import { scenariosOf } from '../testing/scenarios.ts'
import { createSvm } from '../testing/svm.ts'
import { compileMutants } from './compile-mutants.ts'
import { mutantsFor } from './mutants.ts'

await describeWithCompiler('broken variants of the Solana program', () => {
  it.each(kinds)('are noticed by an order of %s', { timeout: 600_000 }, async (kind) => {
    const broken = mutantsFor(kind)
    const [unbroken, ...programs] = await compileMutants(await fetchProgram('clang'), [null, ...broken])
    for (const { name } of scenariosOf(kind)) expect(await passes(kind, name, unbroken), name).toBe(true)
    const survivors: string[] = []
    for (const [index, { name, noticedBy }] of broken.entries()) if (await passes(kind, noticedBy, programs[index])) survivors.push(name)
    expect(survivors).toEqual([])
  })
})

async function passes(kind: Kind, scenarioName: string, program?: Uint8Array): Promise<boolean> {
  const scenario = scenariosOf(kind).find(({ name }) => name === scenarioName)
  if (scenario === undefined) throw new Error(`there is no scenario "${scenarioName}"`)
  const htlc = await createHtlc(kind, createSvm(program))
  return scenario.play(htlc).then(
    () => true,
    () => false,
  )
}

test('there are mutants of many kinds', () => {
  const mutants = kinds.flatMap(mutantsFor)
  expect(mutants.length).toBeGreaterThanOrEqual(80)
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length)
})
