/** A family whose payouts pay their network fee out of their own amount. */
import { describe, expect, it } from 'vitest'
import { type ConformanceRun, expectWithin, required } from '../run.fixture.ts'

export function payoutFeeSuite(run: ConformanceRun): void {
  describe('payout fee', () => {
    it('is the most that a redeem takes out of its amount, also under time pressure', async () => {
      const { client, asset } = run.fixture
      const payoutFee = required(client.payoutFee, 'payoutFee')
      const fees = [await payoutFee(asset)]
      const swap = await run.fundedByUser()
      const before = await run.balanceOf(run.solver)
      const outbox = run.solver.outbox.open(`${swap.key}/redeem`, { purpose: run.purposeOf(swap, 'redeem'), secondsLeft: 1n })
      await client.redeem(swap.terms, { ...(await run.spendOf(swap, run.solver.address)), secret: swap.secret }, outbox)
      await run.fixture.mine(1)
      // A node's estimate may change while the test runs.
      fees.push(await payoutFee(asset))
      const most = fees.reduce((highest, fee) => (fee > highest ? fee : highest))
      expectWithin(swap.terms.amount - ((await run.balanceOf(run.solver)) - before), 1n, most)
    })

    it('fails for an asset that the chain does not have', async () => {
      const { client } = run.fixture
      await expect(required(client.payoutFee, 'payoutFee')(`${client.chain.id}:nothing`)).rejects.toThrow(/nothing/)
    })
  })
}
