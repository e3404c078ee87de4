// Ceilings for storage and transactions of the Move module, so that a change that costs users money fails.
import { expect, it } from 'vitest'
import { measureSui } from './sui-costs.ts'

const ceilings: Readonly<Record<string, { readonly bytes: number; readonly paid: bigint }>> = {
  'initiate, SUI': { bytes: 571, paid: 5_768_400n },
  'initiate, another coin': { bytes: 650, paid: 7_121_200n },
  'redeem, by a relay': { bytes: 372, paid: 5_943_200n },
  'instant refund, sent by the redeemer': { bytes: 342, paid: 5_943_200n },
  'instant refund with signature, by a relay': { bytes: 465, paid: 5_943_200n },
  'refund, by a relay': { bytes: 380, paid: 5_943_200n },
}

it('no operation of the Move module is larger or stores more than its ceiling, and a settlement pays for its own storage', async () => {
  const rows = await measureSui()
  expect(rows.map(({ operation }) => operation)).toEqual(Object.keys(ceilings))
  for (const { operation, bytes, paid, returned } of rows) {
    const ceiling = ceilings[operation]
    expect(bytes, operation).toBeLessThanOrEqual(ceiling?.bytes ?? 0)
    expect(paid, operation).toBeLessThanOrEqual(ceiling?.paid ?? 0n)
    if (!operation.startsWith('initiate')) expect(paid - returned, operation).toBeLessThan(paid / 20n)
  }
})
