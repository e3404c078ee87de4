/** A family whose settled HTLCs keep rent. */
import { describe, expect, it } from 'vitest'
import { type ConformanceRun, failureOf, type Party, required, type Swap } from '../run.fixture.ts'

export function rentSuite(run: ConformanceRun): void {
  describe('rent', () => {
    const ability = () => required(run.fixture.client.rent, 'rent')
    const giveBack = (swap: Swap) => ability().giveBack(swap.terms, run.outboxOf(run.solver, swap, 'close'))
    const attempts = (swap: Swap) => run.solver.outbox.attempts(`${swap.key}/close`)
    const coins = ({ address }: Party) => run.fixture.client.balance(run.fixture.client.chain.nativeAsset, address)
    /** Funded by the user, who so paid the rent, and redeemed by the solver. */
    const settled = async (): Promise<Swap> => {
      const swap = await run.fundedByUser()
      await run.redeem(swap)
      await run.confirm()
      return swap
    }

    it('the chain says that it has this ability', () => {
      expect(run.fixture.client.chain.settledHtlcKeepsRent).toBe(true)
    })

    it('a swap without an account keeps none; an open one cannot be closed', async () => {
      const swap = await run.propose(run.user, run.solver)
      expect(await ability().keptUntil(swap.terms)).toBeNull()
      expect(await failureOf(giveBack(swap))).toBe('superseded')
      const open = await run.fundedByUser()
      expect(await failureOf(giveBack(open))).toBe('would-fail')
      expect([...attempts(swap), ...attempts(open)]).toEqual([])
    })

    it('is kept until its time, and then goes back to whoever paid it, once', async () => {
      const swap = await settled()
      const until = required((await ability().keptUntil(swap.terms)) ?? undefined, 'the rent of a settled swap')
      expect(await failureOf(giveBack(swap))).toBe('would-fail')
      expect(attempts(swap)).toEqual([])
      await required(run.fixture.passTime, 'passTime in the fixture')(until)
      const [user, solver] = [await coins(run.user), await coins(run.solver)]
      const tx = await giveBack(swap)
      expect(await giveBack(swap)).toBe(tx)
      await run.confirm()
      expect(await ability().keptUntil(swap.terms)).toBeNull()
      expect(await coins(run.user)).toBeGreaterThan(user)
      // Only the fee.
      expect((solver - (await coins(run.solver))) * 100n).toBeLessThan((await coins(run.user)) - user)
      expect(await failureOf(giveBack(swap))).toBe('superseded')
      expect(attempts(swap)).toHaveLength(1)
      expect((await run.readSwap(swap)).swap.phase).toBe('redeemed')
    })

    it('states order, leg and terms as its purpose', async () => {
      const swap = await settled()
      await required(run.fixture.passTime, 'passTime in the fixture')((await ability().keptUntil(swap.terms)) ?? 0n)
      await run.expectPurpose(run.solver, swap, 'close', () => giveBack(swap))
      await run.confirm()
    })
  })
}
