/** Every benchmark must still run and make a table at its smallest size. Only full runs check limits. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, test } from 'vitest'
import type { Table } from './bench.ts'
import { benches } from './benches.ts'
import { removeCompiledChildren } from './compiled-children.ts'

// All run in this process, so that benchmarks are loaded and their children compiled only once.
describe('runs and makes a table:', () => {
  afterAll(removeCompiledChildren)
  test.each(benches)('$name', { timeout: 600_000 }, async ({ run }) => {
    const { table } = await run({ size: 'smallest', onProgress: () => undefined })
    expectWhole(table)
  })
})

test('npm run bench -- NAME --json prints the table', async () => {
  const args = ['--import', 'tsx', join(import.meta.dirname, 'main.ts'), 'gas', '--smallest', '--json']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const [printed, progress] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  expect(child.exitCode, progress).toBe(0)
  expectWhole(JSON.parse(printed) as Table)
})

function expectWhole({ columns, rows }: Table): void {
  expect(rows.length).toBeGreaterThan(0)
  for (const row of rows) expect(row).toHaveLength(columns.length)
}
