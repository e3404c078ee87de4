/** How many reclaims of one order are paid for: a few in a day, and only what the party pays for. */
import { expect, test } from 'vitest'
import { assertReclaimsLeft } from './reclaim.ts'

const DAY = 86_400n
const HOUR = 3_600n
const attempt = (tx: string, at: bigint) => ({ tx, raw: '0x', slots: [tx], feeRate: 1n, at })
const mined = async (tx: string) => (tx.startsWith('unmined') ? null : 'success')
const alone = 'the owner may do it'

const refusalOf = (attempts: readonly ReturnType<typeof attempt>[], now: bigint) =>
  assertReclaimsLeft(7n, { outcome: mined, alone }, { attempts, now }).then(
    () => null,
    (error: unknown) => error,
  )

test('the fourth of a day waits until the first is a day old, and no longer', async () => {
  const three = [attempt('a', 0n), attempt('b', HOUR), attempt('c', 2n * HOUR)]
  expect(await refusalOf(three.slice(1), 3n * HOUR)).toBeNull()
  expect(await refusalOf(three, 3n * HOUR)).toMatchObject({
    kind: 'would-fail',
    retryAfterMs: 21 * 3_600_000,
    refusal: expect.stringMatching(/3 reclaims of this order within a day.*the owner may do it/),
  })
  expect(await refusalOf(three, DAY - 1n)).toMatchObject({ retryAfterMs: 1_000 })
  expect(await refusalOf(three, DAY)).toBeNull()
  expect(await refusalOf([...three, attempt('d', DAY)], DAY + 1n)).toMatchObject({ retryAfterMs: (3_600 - 1) * 1_000 })
})

test('one that was not mined counts for nothing', async () => {
  expect(await refusalOf([attempt('a', 0n), attempt('unmined', 1n), attempt('b', 2n), attempt('unmined too', 3n)], HOUR)).toBeNull()
})

test('the party is asked for the fee of what is left, and not while the limit is reached', async () => {
  const asked: bigint[] = []
  const payForReclaim = async (amount: bigint) => {
    asked.push(amount)
    throw new Error('too dear')
  }
  const three = ['a', 'b', 'c'].map((tx) => attempt(tx, 0n))
  await expect(assertReclaimsLeft(7n, { outcome: mined, alone }, { attempts: three, now: 1n, payForReclaim })).rejects.toThrow(/3 reclaims/)
  expect(asked).toEqual([])
  await expect(assertReclaimsLeft(7n, { outcome: mined, alone }, { attempts: [], now: 1n, payForReclaim })).rejects.toThrow('too dear')
  expect(asked).toEqual([7n])
})
