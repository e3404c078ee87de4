/** Tests the size of the first load of the swap page. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { buildWeb } from './build.ts'

const MAX_BYTES = 80_000

test('the first load of the swap page is light', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tandem-web-'))
  try {
    const { pages, files } = await buildWeb(join(folder, 'web'))
    const first = pages.swap?.first ?? []
    expect(first.length).toBeGreaterThan(3)
    expect(first.filter((name) => files[name] === undefined)).toEqual([])
    const bytes = first.reduce((sum, name) => sum + (files[name]?.gzip ?? 0), 0)
    expect(bytes).toBeLessThanOrEqual(MAX_BYTES)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
