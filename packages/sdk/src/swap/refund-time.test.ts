/** Tests from when a refund is possible. */
import type { OrderRecord } from '@tandem/protocol/wire/order.ts'
import { expect, test } from 'vitest'
import { refundTime } from './refund-time.ts'

const order = (chain: string, timelock: number, at: string | null) =>
  ({ deadline: START + 3600, source_swap: { chain, timelock, initiate_timestamp: at } }) as unknown as OrderRecord
const AT = '2026-01-01T00:00:00.000Z'
const START = Date.parse(AT) / 1000

test('a timelock in blocks gives a range of times, one in seconds a single time, and an absolute expiry counts from the deadline', async () => {
  expect(await refundTime(order('bitcoin_regtest', 200, AT))).toEqual({ earliest: START + 400, latest: START + 2000 })
  expect(await refundTime(order('ethereum_localnet', 1200, AT))).toEqual({ earliest: START + 1200, latest: START + 1210 })
  expect(await refundTime(order('xrpl_localnet', 900, AT))).toEqual({ earliest: START + 4500, latest: START + 4575 })
  expect(await refundTime(order('bitcoin_regtest', 200, null))).toBe(null)
})
