/** Tests that no spend has more virtual bytes than its reference. */
import { expect, it } from 'vitest'
import { measureVbytes } from './vbytes.ts'

it('no spend is larger than its reference', async () => {
  const rows = await measureVbytes('full')
  const referenced = rows.filter((row) => row.reference !== null)
  expect(referenced.map((row) => [row.vbytes, row.reference])).toEqual([
    [99, 99],
    [59, 60],
    [143, 143],
    [133, 133],
    [100, 100],
    [158, 158],
  ])
  for (const { operation, vbytes, reference } of referenced) expect(vbytes, operation).toBeLessThanOrEqual(reference ?? 0)
})
