// In these mutation tests, every deliberately broken variant of the module must fail the scenario that it names.
import { expect, it, test } from 'vitest'
import { describeOnVm, framework } from '../testing/framework.ts'
import { mutants } from './mutants.ts'
import { survivorsOf } from './play-mutants.ts'

describeOnVm('broken variants of the Move module', () => {
  it('are noticed by their scenarios', { timeout: 600_000 }, async () => {
    expect(await survivorsOf(mutants, framework)).toEqual([])
  })
})

test('there are mutants of many kinds', () => {
  expect(mutants.length).toBeGreaterThanOrEqual(60)
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length)
})
