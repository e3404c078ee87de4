/** These tests check the fee of a first attempt, the steps of a fee bump, and its cap. */

import { environments } from '@tandem/families/registry.ts'
import { expect, test } from 'vitest'
import { starknetDataOf } from '../../terms/chain-data.ts'
import type { GasPrices, NodeBlock } from '../nodes/node.ts'
import { type Fees, feeRateOf, highestFee, raiseFees, suggestFees } from './fees.ts'

const known = environments.testnet.chains.find(({ family }) => family === 'starknet')
if (known === undefined) throw new Error('the registry has no Starknet')
const chain = known
const { maxPerGas } = starknetDataOf(chain)

const suggestAt = (gasPrices: GasPrices) =>
  suggestFees({ block: async () => ({ height: 1n, hash: '', parentHash: '', time: 0n, gasPrices }) satisfies NodeBlock }, chain)
const market: GasPrices = { l1Gas: 10n ** 14n, l1DataGas: 5n * 10n ** 13n, l2Gas: 30_000_000_000n }

/** A sequencer requires this increase of a replacement. */
function replaces(fees: Fees | null, old: Fees): boolean {
  const isEnough = (before: bigint, after: bigint) => after * 10n >= before * 11n && after > before
  return fees !== null && isEnough(old.tip, fees.tip) && isEnough(old.prices.l2Gas, fees.prices.l2Gas)
}

test('a first attempt allows twice the prices of the newest block, and tips a twentieth', async () => {
  const fees = await suggestAt(market)
  expect(fees).toEqual({ prices: { l1Gas: 2n * 10n ** 14n, l1DataGas: 10n ** 14n, l2Gas: 60_000_000_000n }, tip: 1_500_000_000n })
  expect(highestFee({ l1Gas: 1n, l1DataGas: 10n, l2Gas: 1_000n }, fees)).toBe(2n * 10n ** 14n + 10n ** 15n + 61_500_000_000_000n)
})

test('whatever a node claims, no price is above its cap', async () => {
  const { prices, tip } = await suggestAt({ l1Gas: 10n ** 30n, l1DataGas: 10n ** 30n, l2Gas: 10n ** 30n })
  expect({ ...prices, l2Gas: prices.l2Gas + tip }).toEqual(maxPerGas)
})

test.each([true, false])('a bump is enough for a sequencer, and ends at the cap; obligatory: %s', async (isObligatory) => {
  const suggested = await suggestAt(market)
  const cap = isObligatory ? maxPerGas.l2Gas : 3n * feeRateOf(suggested)
  let fees: Fees = suggested
  for (let bumps = 0; ; bumps += 1) {
    const raised = raiseFees(chain, fees, suggested, { urgent: bumps % 2 === 1, isObligatory })
    if (raised === null) break
    expect(replaces(raised, fees)).toBe(true)
    expect(feeRateOf(raised)).toBeLessThanOrEqual(cap)
    fees = raised
  }
  expect(feeRateOf(fees) * 5n).toBeGreaterThan(cap * 4n)
})

test('a bump follows the market, also in the prices of L1', async () => {
  const old = await suggestAt(market)
  const suggested = await suggestAt({ l1Gas: market.l1Gas * 3n, l1DataGas: market.l1DataGas * 3n, l2Gas: market.l2Gas * 3n })
  const raised = raiseFees(chain, old, suggested, { urgent: false, isObligatory: false })
  expect(raised?.prices).toEqual(suggested.prices)
  expect(raised?.tip).toBe(suggested.tip)
  const free: Fees = { ...old, tip: 0n }
  expect(replaces(raiseFees(chain, free, free, { urgent: false, isObligatory: true }), free)).toBe(true)
})
