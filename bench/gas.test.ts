// The gas of every contract operation has a ceiling, so that a change that costs the users money does not pass unseen.
import { expect, it } from 'vitest'
import { measureGas } from './gas.ts'

const ceilings = {
  'ERC-20 initiate': 66_565,
  'ERC-20 initiate with signature': 72_700,
  'ERC-20 initiate on behalf': 66_992,
  'ERC-20 redeem': 45_847,
  'ERC-20 redeem, batch of 10, each': 12_675,
  'ERC-20 refund': 45_100,
  'ERC-20 instant refund': 50_650,
  'native initiate': 47_967,
  'native initiate on behalf': 48_100,
  'native redeem': 39_765,
  'native refund': 39_200,
  'native instant refund': 44_700,
}

it('stays below its ceilings', async () => {
  const rows = await measureGas()
  expect(rows.map((row) => row.operation)).toEqual(Object.keys(ceilings))
  const measured = Object.fromEntries(rows.map(({ operation, gas }) => [operation, gas]))
  for (const [operation, ceiling] of Object.entries(ceilings)) expect(measured[operation], operation).toBeLessThanOrEqual(ceiling)
  for (const { operation, gas, structStoringGas } of rows)
    if (structStoringGas !== null) expect(gas, operation).toBeLessThan(structStoringGas)
})
