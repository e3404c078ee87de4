/** A family where one transaction can redeem several HTLCs by their secrets. */
import { describe, expect, it } from 'vitest'
import type { RedeemItem } from '../../port/abilities/batch-redeem.ts'
import { type ConformanceRun, expectWithin, required, type Swap } from '../run.fixture.ts'

export function batchRedeemSuite(run: ConformanceRun): void {
  describe('batch redeem', () => {
    const ability = () => required(run.fixture.client.batchRedeem, 'batchRedeem')

    async function fundedBatch(): Promise<{
      readonly swaps: readonly Swap[]
      readonly items: readonly RedeemItem[]
      readonly total: bigint
    }> {
      const swaps = [await run.fundedByUser(), await run.fundedByUser()]
      const items = await Promise.all(
        swaps.map(async (swap) => ({ terms: swap.terms, secret: swap.secret, deposits: (await run.spendOf(swap, '')).deposits })),
      )
      return { swaps, items, total: swaps.reduce((sum, { terms }) => sum + terms.amount, 0n) }
    }
    it('redeems several HTLCs in one transaction, once, and shows every secret', async () => {
      const { swaps, items, total } = await fundedBatch()
      const before = await run.balanceOf(run.solver)
      const key = `${swaps[0]?.key}/batch`
      const redeem = () => ability().redeem(items, run.solver.outbox.open(key))
      const tx = await redeem()
      expect(await redeem()).toBe(tx)
      expect(run.solver.outbox.attempts(key)).toHaveLength(1)
      await run.fixture.mine(1)
      for (const swap of swaps) expect((await run.readSwap(swap)).swap).toMatchObject({ phase: 'redeemed', secret: swap.secret })
      expectWithin((await run.balanceOf(run.solver)) - before, total - run.fixture.feeAllowance, total)
    })

    it('says which cannot be redeemed, where it can tell, and pays the others when one was settled meanwhile', async () => {
      const { swaps, items } = await fundedBatch()
      const [settled, open] = swaps
      if (settled === undefined || open === undefined) throw new Error('expected two')
      expect(await ability().areRedeemable(items)).toEqual([true, true])
      await run.redeem(settled)
      await run.fixture.mine(1)
      expect((await ability().areRedeemable(items))[1]).toBe(true)
      await ability().redeem(items, run.solver.outbox.open(`${open.key}/batch`))
      await run.fixture.mine(1)
      for (const swap of swaps) expect((await run.readSwap(swap)).swap).toMatchObject({ phase: 'redeemed' })
    })
  })
}
