// Ceilings for compute units and sizes of the Solana program, so that a change that costs users money fails.
import { expect, it } from 'vitest'
import { isWithinLimits, measureSolana } from './solana-costs.ts'

const ceilings: Readonly<Record<string, { readonly computeUnits: number; readonly size: number }>> = {
  'SOL initiate': { computeUnits: 3_268, size: 336 },
  'SOL initiate, rent and fee paid by the relayer': { computeUnits: 4_445, size: 432 },
  'SOL initiate, funded by another': { computeUnits: 4_445, size: 560 },
  'SOL initiate, lamports sent before': { computeUnits: 6_714, size: 560 },
  'SOL redeem': { computeUnits: 383, size: 277 },
  'SOL instant refund': { computeUnits: 293, size: 342 },
  'SOL refund': { computeUnits: 416, size: 245 },
  'SOL close': { computeUnits: 353, size: 245 },
  'SOL close, 10 together, each': { computeUnits: 353, size: 650 },
  'token initiate': { computeUnits: 7_136, size: 468 },
  'token initiate, rent and fee paid by the relayer': { computeUnits: 7_136, size: 564 },
  'token initiate, funded by another': { computeUnits: 7_136, size: 692 },
  'token initiate, lamports sent before': { computeUnits: 10_551, size: 692 },
  'token redeem': { computeUnits: 2_991, size: 343 },
  'token instant refund': { computeUnits: 3_075, size: 408 },
  'token refund': { computeUnits: 3_198, size: 311 },
  'token close': { computeUnits: 385, size: 245 },
  'token close, 10 together, each': { computeUnits: 385, size: 650 },
}

it('no operation of the Solana program costs more than its ceiling', async () => {
  const rows = await measureSolana()
  expect(rows.map(({ operation }) => operation)).toEqual(Object.keys(ceilings))
  expect(rows.filter((row) => !isWithinLimits(row))).toEqual([])
  for (const { operation, computeUnits, size } of rows) {
    expect(computeUnits, operation).toBeLessThanOrEqual(ceilings[operation]?.computeUnits ?? 0)
    expect(size, operation).toBeLessThanOrEqual(ceilings[operation]?.size ?? 0)
  }
})

it('what an initiation takes from the rent payer, closing returns', async () => {
  const rows = await measureSolana()
  for (const kind of ['SOL', 'token']) {
    const rentOf = (operation: string) => rows.find((row) => row.operation === `${kind} ${operation}`)?.rent
    expect(rentOf('initiate')).toBeGreaterThan(0n)
    expect(rentOf('close')).toBe(-(rentOf('initiate') ?? 0n))
  }
})
