import { expect, it } from 'vitest'
import { measureVbytes } from './vbytes.ts'

it('spends no more virtual bytes than the figures it is measured against', async () => {
  const rows = await measureVbytes()
  const referenced = rows.filter((row) => row.reference !== null)
  expect(referenced.map((row) => row.operation)).toEqual(['redeem, 1 deposit to P2WPKH', 'refund, 1 deposit to P2WPKH'])
  for (const { operation, vbytes, reference } of referenced) expect(vbytes, operation).toBeLessThanOrEqual(reference ?? 0)
})
