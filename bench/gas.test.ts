// Gas has a ceiling for every operation and path, so that a change that costs users money fails.
import { createContractFixture } from '@tandem/evm/contract/contract.fixture.ts'
import { beforeAll, expect, it } from 'vitest'
import { type GasRow, gasPaths, isCheapEnough, measureGas } from './gas.ts'
import { isOneSignatureCheapEnough, measureOneSignature, SIGNED } from './one-signature-gas.ts'

/** Addresses, hashes and signatures are measured without zero bytes, which cost less gas. */
const ceilings = {
  'ERC-20 initiate': 66_424,
  'ERC-20 initiate with signature': 72_164,
  'ERC-20 initiate on behalf': 66_722,
  'ERC-20 redeem': 45_217,
  'ERC-20 redeem, batch of 10, each': 12_090,
  'ERC-20 redeem, with coin for a new account': 97_000,
  'ERC-20 refund': 44_633,
  'ERC-20 revoke': 46_130,
  'ERC-20 instant refund': 49_904,
  'ERC-20 initiate from a deposit address': 109_200,
  'ERC-20 return from a deposit address': 83_200,
  'native initiate': 47_597,
  'native initiate on behalf': 47_883,
  'native redeem': 39_307,
  'native refund': 38_730,
  'native instant refund': 43_944,
  'TRC-20 initiate': 68_850,
  'TRC-20 redeem': 51_090,
  'TRC-20 refund': 50_500,
  'HyperCore initiate from an account': 107_300,
  'HyperCore bring an account to HyperEVM': 112_700,
  'HyperCore redeem to a spot account': 101_600,
  'HyperCore withdraw to a spot account': 143_800,
}

/** The same for the HTLC's own part of an initiation by one signature: the token and Permit2 take the rest. */
const ownCeilings = {
  'ERC-20 initiate with signature, the token has permits': 56_700,
  // The token is asked whether the authorization is used, since a token could let a stranger's code run instead.
  'ERC-20 initiate with authorization': 54_000,
  'ERC-20 initiate with permit': 59_350,
  'ERC-20 initiate with Permit2': 57_000,
}

let rows: readonly GasRow[]
beforeAll(async () => {
  rows = await measureGas()
})

it('no operation costs more gas than its ceiling', () => {
  const measured = Object.fromEntries(rows.map(({ operation, gas }) => [operation, gas]))
  expect(Object.keys(measured)).toEqual(Object.keys(ceilings))
  const above = Object.entries(ceilings).filter(([operation, ceiling]) => (measured[operation] ?? 0) > ceiling)
  expect(above.map(([operation, ceiling]) => `${operation}: ${measured[operation]} > ${ceiling}`)).toEqual([])
})

it('every path costs at most half of a struct-storing HTLC, and token paths at most 3 % more than the best one that clears its slots', () => {
  const paths = gasPaths(rows)
  expect(paths).toHaveLength(18)
  expect(paths.filter((path) => !isCheapEnough(path))).toEqual([])
})

it('gasless initiations are the cheapest known', () => {
  for (const { operation, gas, structStoringGas } of rows)
    if (operation.includes('signature')) expect(gas, operation).toBeLessThan(structStoringGas ?? 0)
})

it('an initiation by one signature costs little more than a signed one, besides what the token itself takes', async () => {
  const measured = await measureOneSignature(await createContractFixture())
  expect(isOneSignatureCheapEnough(measured)).toBe(true)
  const own = new Map(measured.map(({ operation, ownGas }) => [operation, ownGas]))
  expect([...own.keys()]).toEqual(Object.keys(ownCeilings))
  const above = Object.entries(ownCeilings).filter(([operation, ceiling]) => (own.get(operation) ?? 0) > ceiling)
  expect(above.map(([operation, ceiling]) => `${operation}: ${own.get(operation)} > ${ceiling}`)).toEqual([])
})

it('an initiation by one signature that takes more is too dear', () => {
  const signed = { operation: SIGNED, gas: 72_000, ownGas: 56_000 }
  const dear = (ownGas: number) => isOneSignatureCheapEnough([signed, { operation: 'x', gas: 100_000, ownGas }])
  expect([dear(59_600), dear(59_601)]).toEqual([true, false])
})
