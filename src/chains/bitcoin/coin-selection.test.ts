import { describe, expect, it } from 'vitest'
import type { Coin } from './backend.ts'
import { regtest } from './bitcoin-fixture.ts'
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
  bounds: regtest,
  ...over,
})
const names = (plan: { coins: readonly { outpoint: string }[] }) => plan.coins.map((c) => c.outpoint)

describe('coin selection', () => {
  it('takes the smallest coin that is enough, and gives change', () => {
    const plan = planPayment(request([coin('large', 900_000n), coin('medium', 150_000n), coin('small', 50_000n)]))
    expect(names(plan)).toEqual(['medium'])
    // 1 in, 2 out: 153 vB at most.
    expect(plan.vsize).toBe(153n)
    expect(plan.outputs.map((o) => o.amount)).toEqual([100_000n, 150_000n - 100_000n - 306n])
  })

  it('joins the largest coins when none is enough alone, mined before unmined', () => {
    const plan = planPayment(request([coin('change', 95_000n, false), coin('b', 60_000n), coin('a', 70_000n), coin('c', 1_000n)]))
    expect(names(plan)).toEqual(['a', 'b'])
    expect(names(planPayment(request([coin('change', 95_000n, false), coin('a', 70_000n)])))).toEqual(['a', 'change'])
  })

  it('is not driven far above the usual fee by its own raises', () => {
    const coins = [coin('a', 900_000n)]
    // 153 vB: raising 4.8 sat/vB by a quarter stays within three times 2 sat/vB.
    expect(planPayment(request(coins, { replaced: { fee: 734n, rate: 4_799n } })).fee).toBe(918n)
    expect(() => planPayment(request(coins, { replaced: { fee: 734n, rate: 4_900n } }))).toThrow(/3 times what is usual/)
    expect(planPayment(request(coins, { feeRate: 4_000n, replaced: { fee: 734n, rate: 4_900n } })).fee).toBe(938n)
  })

  it('leaves no dust behind: what is not worth an output goes to the miner', () => {
    const plan = planPayment(request([coin('a', 100_000n + 306n + 200n)]))
    expect(plan.outputs).toHaveLength(1)
    expect(plan.fee).toBe(506n)
  })

  it('spends what is required whatever else there is, and more only if that is not enough', () => {
    const required = [{ outpoint: 'anchor', amount: 200_000n }]
    expect(names(planPayment(request([coin('b', 150_000n)], { required })))).toEqual(['anchor'])
    const small = [{ outpoint: 'anchor', amount: 20_000n }]
    expect(names(planPayment(request([coin('b', 150_000n), coin('anchor', 20_000n)], { required: small })))).toEqual(['anchor', 'b'])
  })

  it('lets a child pay for its parent', () => {
    const coins = [coin('change', 300_000n, false)]
    const indebted = planPayment(request(coins, { parentDebt: () => 1_000n }))
    expect(indebted.fee).toBe(planPayment(request(coins)).fee + 1_000n)
  })

  it('says when there is too little, and when the fee would eat up the swap', () => {
    expect(() => planPayment(request([coin('a', 100_100n)]))).toThrow(/insufficient funds: 100000 .*from 100100/)
    expect(() => planPayment(request([]))).toThrow(expect.objectContaining({ kind: 'would-fail' }))
    expect(() => planPayment(request([coin('a', 900_000n)], { feeRate: 400_000n }))).toThrow(
      expect.objectContaining({ kind: 'uneconomic' }),
    )
  })
})
