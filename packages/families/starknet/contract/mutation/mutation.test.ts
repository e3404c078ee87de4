// In these mutation tests, every deliberately broken variant of the contract must fail the scenario that it names.
import { expect, test } from 'vitest'
import { mutants } from './mutants.ts'
import { survivorsOf } from './play-mutants.ts'

/** Each of these mutants would let somebody take the money of others. */
const everyRun = [
  'initiations inside of each other',
  'paid before it is settled',
  'an order is not looked at after the signature',
  'a refunded order is forgotten',
]

/** With more mutants in one crate, each call gets slower than the saved compilations are worth. */
const batchSize = 4
const timeout = 1_800_000

test('the most dangerous broken variants are noticed', { timeout }, async () => {
  const chosen = mutants.filter(({ name }) => everyRun.includes(name))
  expect(chosen).toHaveLength(everyRun.length)
  expect(await survivorsOf(chosen)).toEqual([])
})

test('mutants have names of their own', () => {
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length)
})

const others = mutants.filter(({ name }) => !everyRun.includes(name))
const isAsked = process.env.TANDEM_ALL_MUTANTS === 'yes'
const reason = isAsked ? '' : `[skipped: ${others.length} variants take a quarter of an hour; set TANDEM_ALL_MUTANTS=yes] `

test.skipIf(!isAsked)(`${reason}all other broken variants are noticed`, { timeout: 10 * timeout }, async () => {
  const survivors: string[] = []
  for (let start = 0; start < others.length; start += batchSize)
    survivors.push(...(await survivorsOf(others.slice(start, start + batchSize))))
  expect(survivors).toEqual([])
})
