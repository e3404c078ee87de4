// These tests show that the committed files equal the result of the sources, and that the client knows them.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { functionNames, viewNames } from './client/calls.ts'
import { abortCodes } from './client/errors.ts'
import { eventNames } from './client/events.ts'
import { maxTimelock, orderMarks } from './client/order.ts'
import { compilePackage, compilerVersion, readPackage } from './compiler/move.ts'
import { moduleFile, renderArtifacts } from './compiler/render.ts'
import { scenarios } from './testing/scenarios.ts'

const folder = join(import.meta.dirname, 'artifacts')
const files = readPackage(import.meta.dirname)
const source = files[moduleFile] ?? ''
const numberOf = (constant: string): bigint =>
  BigInt((new RegExp(`const ${constant}: u64 = ([\\d_]+);`).exec(source)?.[1] ?? '').replaceAll('_', ''))

test('everything that is committed is compiled from these sources: else run `npm run move`', async () => {
  const compiled = await compilePackage(files, join(import.meta.dirname, 'interfaces'))
  const expected = renderArtifacts(files, compiled, await compilerVersion())
  expect(readdirSync(folder).sort()).toEqual([...expected.keys()].sort())
  for (const [name, content] of expected) expect(readFileSync(join(folder, name), 'utf8') === content, name).toBe(true)
})

test('the client knows every function, event, abort code and limit of the module, and no other', () => {
  const functions = [...source.matchAll(/^public fun (\w+)/gm)].map(([, name]) => name)
  expect(functions.sort()).toEqual([...Object.values(functionNames), ...Object.values(viewNames)].sort())
  expect([...source.matchAll(/^public struct (\w+) has copy, drop/gm)].map(([, name]) => name)).toEqual(eventNames)
  const codes = [...source.matchAll(/^const E(\w+): u64 = (\d+);/gm)].map(([, name = '', code]) => [name, Number(code)])
  expect(Object.fromEntries(codes)).toEqual(abortCodes)
  expect(numberOf('MAX_TIMELOCK')).toBe(maxTimelock)
  expect([numberOf('NEVER_INITIATED'), numberOf('REDEEMED'), numberOf('REFUNDED')]).toEqual(Object.values(orderMarks))
})

test('every abort code is met in a scenario', () => {
  const met = scenarios.flatMap(({ steps }) => steps.map((step) => (step.kind === 'call' ? step.abort : undefined)))
  expect(Object.keys(abortCodes).filter((name) => !met.some((abort) => abort === name))).toEqual([])
})

test('time never goes back in a scenario', () => {
  for (const { name, steps } of scenarios) {
    const times = steps.flatMap((step) => (step.kind === 'call' ? [step.at] : []))
    expect(
      [...times].sort((a, b) => Number(a - b)),
      name,
    ).toEqual(times)
  }
})

test('nobody owns the module, and nobody can change it', () => {
  expect(source.replaceAll(/\/\/.*$/gm, '')).not.toMatch(/owner|admin|pause|upgrade|UpgradeCap|entry fun|public\(package\)|fun init\(/)
})
