/** Tests which coins a payment spends, and its change. */
import { describe, expect, it } from 'vitest'
import { regtest } from '../bitcoin.fixture.ts'
import type { Coin } from '../nodes/backend.ts'
import { type PaymentRequest, planPayment } from './coin-selection.ts'

const script = (first: number, length: number) => Uint8Array.from({ length }, (_, i) => (i === 0 ? first : i === 1 ? length - 2 : 7))
const coin = (outpoint: string, amount: bigint, isConfirmed = true): Coin => ({ outpoint, amount, isConfirmed })

const request = (optional: readonly Coin[], over: Partial<PaymentRequest> = {}): PaymentRequest => ({
  output: { amount: 100_000n, script: script(0x51, 34) },
  changeScript: script(0x00, 22),
  required: [],
  optional,
  feeRate: 2_000n,
  replaced: null,
  parentDebt: () => 0n,
  mayConsolidate: false,
  bounds: regtest,
  ...over,
})
const names = (plan: { coins: readonly { outpoint: string }[] }) => plan.coins.map((c) => c.outpoint)

describe('coin selection', () => {
  it('takes the smallest coin that is enough, and gives change', () => {
    const plan = planPayment(request([coin('large', 900_000n), coin('medium', 150_000n), coin('small', 50_000n)]))
    expect(names(plan)).toEqual(['medium'])
    // A payment with 1 input and 2 outputs has 153 vB at most.
    expect(plan.vsize).toBe(153n)
    expect(plan.outputs.map((o) => o.amount)).toEqual([100_000n, 150_000n - 100_000n - 306n])
  })

  it('takes the largest coins when none is enough alone, mined before unconfirmed', () => {
    const plan = planPayment(request([coin('change', 95_000n, false), coin('b', 60_000n), coin('a', 70_000n), coin('c', 1_000n)]))
    expect(names(plan)).toEqual(['a', 'b'])
    expect(names(planPayment(request([coin('change', 95_000n, false), coin('a', 70_000n)])))).toEqual(['a', 'change'])
  })

  it('refuses fee bumps far above the usual fee', () => {
    const coins = [coin('a', 900_000n)]
    // The payment has 153 vB: raising 4.8 sat/vB by a quarter stays within three times 2 sat/vB.
    expect(planPayment(request(coins, { replaced: { fee: 734n, rate: 4_799n } })).fee).toBe(918n)
    expect(() => planPayment(request(coins, { replaced: { fee: 734n, rate: 4_900n } }))).toThrow(/3 times the market rate/)
    expect(planPayment(request(coins, { feeRate: 4_000n, replaced: { fee: 734n, rate: 4_900n } })).fee).toBe(938n)
  })

  it('leaves no dust: change that is not worth an output goes to the miner', () => {
    const plan = planPayment(request([coin('a', 100_000n + 306n + 200n)]))
    expect(plan.outputs).toHaveLength(1)
    expect(plan.fee).toBe(506n)
  })

  it('spends the required coins, and more only if those are not enough', () => {
    const required = [{ outpoint: 'anchor', amount: 200_000n }]
    expect(names(planPayment(request([coin('b', 150_000n)], { required })))).toEqual(['anchor'])
    const small = [{ outpoint: 'anchor', amount: 20_000n }]
    expect(names(planPayment(request([coin('b', 150_000n), coin('anchor', 20_000n)], { required: small })))).toEqual(['anchor', 'b'])
  })

  it('does not touch coins that are worth less than they cost to spend', () => {
    // An input has 68 vB, at 2 sat/vB.
    expect(() => planPayment(request([coin('a', 100_240n), coin('worthless', 136n)]))).toThrow(/from 100240/)
    const coins = [coin('a', 90_000n), coin('indebted', 30_000n, false), coin('change', 12_000n, false)]
    const parentDebt = (outpoint: string) => (outpoint === 'indebted' ? 31_000n : 0n)
    expect(names(planPayment(request(coins, { parentDebt })))).toEqual(['a', 'change'])
  })

  it('considers at most the 200 largest coins, and only as many as it must', () => {
    const many = Array.from({ length: 5_000 }, (_, i) => coin(`c${i}`, 1_000n + BigInt(i)))
    let tried = 0
    const parentDebt = () => {
      tried += 1
      return 0n
    }
    expect(names(planPayment(request([...many, coin('large', 900_000n)], { parentDebt })))).toEqual(['large'])
    expect(tried).toBeLessThan(10_000)
    expect(() => planPayment(request(many, { output: { amount: 10n ** 9n, script: script(0x51, 34) }, parentDebt }))).toThrow(
      /insufficient/,
    )
    expect(tried).toBeLessThan(50_000)
    const plan = planPayment(request(many, { output: { amount: 900_000n, script: script(0x51, 34) } }))
    expect(plan.coins.every(({ amount }) => amount >= 5_800n)).toBe(true)
  })

  it('consolidates a few of the smallest of many coins when fees are low', () => {
    const many = Array.from({ length: 20 }, (_, i) => coin(`c${i}`, 1_000n + BigInt(i)))
    const coins = [...many, coin('worthless', 100n), coin('change', 2_000n, false), coin('large', 900_000n)]
    const calm = { mayConsolidate: true, feeRate: 2_000n }
    const plan = planPayment(request(coins, calm))
    expect(names(plan)).toEqual(['large', 'c0', 'c1', 'c2', 'c3', 'c4'])
    // The payment has 1 input and 2 outputs, and 68 vB for each further input.
    expect(plan.fee).toBe((153n + 5n * 68n) * 2n)
    expect(plan.outputs[1]?.amount).toBe(900_000n + 5_010n - 100_000n - plan.fee)
    expect(names(planPayment(request(coins)))).toEqual(['large'])
    expect(
      names(
        planPayment(
          request(
            coins.filter(({ outpoint }) => outpoint !== 'c7'),
            calm,
          ),
        ),
      ),
    ).toEqual(['large'])
    // Small coins are not consolidated where the fee would be more than half of the payment.
    const output = { amount: 1_900n, script: script(0x51, 34) }
    expect(names(planPayment(request(coins, { ...calm, output })))).toEqual(['large'])
  })

  it('lets a child pay for its parent', () => {
    const coins = [coin('change', 300_000n, false)]
    const indebted = planPayment(request(coins, { parentDebt: () => 1_000n }))
    expect(indebted.fee).toBe(planPayment(request(coins)).fee + 1_000n)
  })

  it('fails for insufficient funds, and when the fee would eat up the swap', () => {
    expect(() => planPayment(request([coin('a', 100_100n)]))).toThrow(/insufficient funds: 100000 .*from 100100/)
    expect(() => planPayment(request([]))).toThrow(expect.objectContaining({ kind: 'would-fail' }))
    expect(() => planPayment(request([coin('a', 900_000n)], { feeRate: 400_000n }))).toThrow(
      expect.objectContaining({ kind: 'uneconomic' }),
    )
  })
})
