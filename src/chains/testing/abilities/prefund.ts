/** A family where users pay to the prefund address of their swap before it is initiated. */
import { describe, expect, it } from 'vitest'
import { type ConformanceRun, expectRepeatHarmless, required } from '../run.fixture.ts'

export function prefundSuite(run: ConformanceRun): void {
  describe('prefund', () => {
    const ability = () => required(run.fixture.client.prefund, 'prefund')
    const pay = async (swap: Awaited<ReturnType<ConformanceRun['propose']>>) => {
      await required(run.fixture.prefund, 'prefund in the fixture')(await run.fundingOf(swap))
      await run.fixture.mine(1)
    }

    it('returns the balance of several prefund addresses in one call', async () => {
      const [paid, empty] = [await run.propose(run.user, run.solver), await run.propose(run.user, run.solver)]
      expect(await ability().amounts([])).toEqual([])
      expect(await ability().amounts([paid, empty])).toEqual([0n, 0n])
      await pay(paid)
      expect(await ability().amounts([empty, paid])).toEqual([0n, paid.terms.amount])
    })

    it('initiates the swap with the prefund, once, without a signature of the user', async () => {
      const swap = await run.propose(run.user, run.solver)
      await pay(swap)
      expect((await run.look(swap)).events).toEqual([])
      const initiate = () => ability().initiate(swap, run.solver.outbox.open(`${swap.key}/initiate`))
      const tx = await initiate()
      expect(await initiate()).toBe(tx)
      await run.confirm()
      expect((await run.look(swap)).swap).toMatchObject({ phase: 'initiated', filledAmount: swap.terms.amount })
      expect(await ability().amounts([swap])).toEqual([0n])
      await expectRepeatHarmless(initiate(), tx)
    })

    it('reclaims nothing from an empty address', async () => {
      const swap = await run.propose(run.user, run.solver)
      expect(await ability().reclaim(swap, run.solver.outbox.open(`${swap.key}/reclaim`))).toBeNull()
      expect(run.solver.outbox.attempts(`${swap.key}/reclaim`)).toEqual([])
    })
  })
}
