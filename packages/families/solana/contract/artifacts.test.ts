// These tests show by hashes that the committed program belongs to its sources; `rebuild.nodes.test.ts` compiles.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { htlcProgram } from './artifacts/htlc.ts'
import { readErrors, renderArtifacts, sourceHash } from './render.ts'

const folder = join(import.meta.dirname, 'artifacts')
const program = readFileSync(join(folder, 'htlc.so'))

test('the program was built from these sources, by this compiler, with these options: else run `npm run program`', () => {
  expect(htlcProgram.sourceHash).toBe(sourceHash())
})

test('the program has its hash, in both of its forms', () => {
  expect(createHash('sha256').update(program).digest('hex')).toBe(htlcProgram.sha256)
  expect(Buffer.from(htlcProgram.base64, 'base64').equals(program)).toBe(true)
})

test('everything else that is committed follows from program and sources', () => {
  const expected = renderArtifacts(program)
  expect(readdirSync(folder).sort()).toEqual([...expected.keys()].sort())
  for (const [name, content] of expected) expect(readFileSync(join(folder, name)).equals(content), name).toBe(true)
})

test('errors have distinct codes and names, and the README explains each', () => {
  const errors = readErrors()
  expect(new Set(errors.map(({ code }) => code)).size).toBe(errors.length)
  expect(new Set(errors.map(({ name }) => name)).size).toBe(errors.length)
  const readme = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8')
  for (const { code, name } of errors) expect(readme).toContain(`\`${name}\` ${code}`)
})
