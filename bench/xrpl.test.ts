// Ceilings for the transactions of a swap on the XRP Ledger, so that a change that costs users money fails.
import { expect, it } from 'vitest'
import { measureXrpl } from './xrpl-costs.ts'

const ceilings: Readonly<Record<string, { readonly bytes: number; readonly drops: number }>> = {
  initiate: { bytes: 225, drops: 10 },
  'initiate, with a destination tag': { bytes: 230, drops: 10 },
  redeem: { bytes: 255, drops: 360 },
  refund: { bytes: 174, drops: 10 },
}

it('no transaction on the XRP Ledger is longer or costs more than its ceiling', () => {
  const rows = measureXrpl()
  expect(rows.map(({ operation }) => operation)).toEqual(Object.keys(ceilings))
  for (const { operation, bytes, feeDrops } of rows) {
    expect(bytes, operation).toBeLessThanOrEqual(ceilings[operation]?.bytes ?? 0)
    expect(feeDrops, operation).toBeLessThanOrEqual(ceilings[operation]?.drops ?? 0)
  }
})
