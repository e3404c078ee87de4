/** Every benchmark at its smallest size: it must still run and print a table. Limits are checked by full runs only. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { benches } from './benches.ts'

const MAIN = join(import.meta.dirname, 'main.ts')

test.each(benches.map(({ name }) => name))('%s', { timeout: 180_000 }, async (name) => {
  const child = spawn(process.execPath, ['--import', 'tsx', MAIN, name, '--smallest', '--json'], { stdio: ['ignore', 'pipe', 'pipe'] })
  const [printed, progress] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  expect(child.exitCode, progress).toBe(0)
  const { columns, rows } = JSON.parse(printed) as { readonly columns: readonly string[]; readonly rows: readonly (readonly unknown[])[] }
  expect(rows.length).toBeGreaterThan(0)
  for (const row of rows) expect(row).toHaveLength(columns.length)
})
