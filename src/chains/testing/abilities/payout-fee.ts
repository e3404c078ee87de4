/** A family whose payouts pay their network fee out of their own amount. */
import { describe, expect, it } from 'vitest'
import { type ConformanceRun, expectWithin, required } from '../run.fixture.ts'

export function payoutFeeSuite(run: ConformanceRun): void {
  describe('payout fee', () => {
    it('is what a redeem takes out of its amount, within a factor of two', async () => {
      const { client, asset } = run.fixture
      const payoutFee = required(client.payoutFee, 'payoutFee')
      const fees = [await payoutFee(asset)]
      const swap = await run.fundedByUser()
      const before = await run.balanceOf(run.solver)
      await run.redeem(swap)
      await run.fixture.mine(1)
      // A node's estimate may change while the test runs.
      fees.push(await payoutFee(asset))
      const [least = 0n, most = 0n] = fees.toSorted((a, b) => Number(a - b))
      expectWithin(swap.terms.amount - ((await run.balanceOf(run.solver)) - before), least / 2n, most * 2n)
    })

    it('fails for an asset that the chain does not have', async () => {
      const { client } = run.fixture
      await expect(required(client.payoutFee, 'payoutFee')(`${client.chain.id}:nothing`)).rejects.toThrow(/nothing/)
    })
  })
}
