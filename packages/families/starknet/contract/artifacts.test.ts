// These tests show that the committed class belongs to the committed sources. `cairo.test.ts` compiles them again.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { htlcClass } from './artifacts/htlc.ts'
import { selectors } from './client/calls.ts'
import { htlcErrors } from './client/errors.ts'
import { eventKeys } from './client/events.ts'
import { selectorOf } from './client/felt.ts'
import { renderArtifacts } from './compiler/render.ts'
import { sourceHash } from './compiler/sources.ts'

const folder = join(import.meta.dirname, 'artifacts')
const read = (name: string): string => readFileSync(join(folder, name), 'utf8')
const sierra = JSON.parse(read('htlc.sierra.json'))

test('the class was built from these sources, by this compiler: else run `npm run cairo`', () => {
  expect(htlcClass.sourceHash).toBe(sourceHash())
})

test('everything else that is committed follows from class and sources, the class hash too', () => {
  const expected = renderArtifacts(JSON.stringify(sierra))
  expect(readdirSync(folder).sort()).toEqual([...expected.keys()].sort())
  for (const [name, content] of expected) expect(read(name), name).toBe(content)
})

test('the client knows every function, event and error of the contract, and no other', () => {
  const entryPoints = sierra.entry_points_by_type.EXTERNAL.map(({ selector }: { selector: string }) => `0x${BigInt(selector).toString(16)}`)
  expect(entryPoints.sort()).toEqual(Object.values(selectors).sort())
  const names: string[] = sierra.abi
    .filter(({ kind }: { kind?: string }) => kind === 'struct')
    .map(({ name }: { name: string }) => name.split('::').at(-1))
  expect(names.map(selectorOf).sort()).toEqual(Object.values(eventKeys).sort())
  const source = readFileSync(join(import.meta.dirname, 'src/errors.cairo'), 'utf8')
  expect([...source.matchAll(/= '(.+)';/g)].map(([, error]) => error)).toEqual(Object.values(htlcErrors))
})

test('nobody owns the contract, and nobody can change it', () => {
  expect(sierra.entry_points_by_type.L1_HANDLER).toEqual([])
  for (const word of ['owner', 'upgrade', 'pause', 'replace_class']) expect(JSON.stringify(sierra.abi)).not.toContain(word)
  const sources = readdirSync(join(import.meta.dirname, 'src')).map((name) => readFileSync(join(import.meta.dirname, 'src', name), 'utf8'))
  expect(sources.join('')).not.toMatch(/replace_class|library_call/)
})
