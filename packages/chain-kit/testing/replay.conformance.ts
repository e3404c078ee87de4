/** Tests settled swaps: nobody is paid twice, and where the family promises it, terms are used once. */
import { describe, expect, it } from 'vitest'
import type { SpendRequest } from '../port/spend.ts'
import { type ConformanceRun, failureOf, type Swap } from './run.fixture.ts'

export function describeReplay(run: ConformanceRun): void {
  describe('replay', () => {
    const settled = {
      async redeemed(swap: Swap): Promise<string> {
        const tx = await run.redeem(swap)
        await run.confirm()
        expect((await run.readSwap(swap)).swap.phase).toBe('redeemed')
        return tx
      },
      async refunded(swap: Swap): Promise<string> {
        await run.fixture.expire(swap.terms)
        const tx = await run.refund(swap)
        await run.confirm()
        expect((await run.readSwap(swap)).swap.phase).toBe('refunded')
        return tx
      },
    } as const
    const ways = ['redeemed', 'refunded'] as const
    /** Repeats with a new `key`, as after the loss of its records. It fails, or finds the transaction that settled the swap. */
    const signsNothing = async (key: string, done: string | null, act: (key: string) => Promise<string>) => {
      const answer = await act(key).catch((error: unknown) => failureOf(Promise.reject(error)))
      expect(['superseded', 'would-fail', done]).toContain(answer)
      for (const party of [run.user, run.solver]) expect(party.outbox.attempts(key)).toEqual([])
    }

    describe.each(ways)('a swap that was %s', (way) => {
      it('is neither redeemed nor refunded again, even without records', async () => {
        const swap = await run.fundedByUser()
        const spend: SpendRequest = await run.spendOf(swap, run.solver.address)
        const done = await settled[way](swap)
        if (way === 'redeemed') await run.fixture.expire(swap.terms)
        const before = [await run.balanceOf(run.user), await run.balanceOf(run.solver)]
        const { client } = run.fixture
        await signsNothing(`${swap.key}/redeem again`, done, (key) =>
          client.redeem(swap.terms, { ...spend, secret: swap.secret }, run.solver.outbox.open(key)),
        )
        await signsNothing(`${swap.key}/refund again`, done, (key) =>
          client.refund(swap.terms, { ...spend, to: run.user.address }, run.user.outbox.open(key)),
        )
        await run.fixture.mine(1)
        expect([await run.balanceOf(run.user), await run.balanceOf(run.solver)]).toEqual(before)
      })

      it('cannot be initiated again with the same terms, where the family promises it', async () => {
        const swap = await run.fundedByUser()
        await settled[way](swap)
        const { events } = await run.readSwap(swap)
        const { client, termsAreUsedOnce } = run.fixture
        if (termsAreUsedOnce)
          await signsNothing(`${swap.key}/initiate again`, null, (key) => client.initiate(swap.terms, run.solver.outbox.open(key)))
        await run.fixture.fund(await run.fundingOf(swap))
        await run.confirm()
        const after = await run.readSwap(swap)
        expect(after.events.slice(0, events.length)).toEqual(events)
        // The instructions of a refunded swap name an end that has passed.
        const isOver = way === 'refunded' && client.chain.clock.expiry === 'absolute'
        expect(after.events.slice(events.length).map(({ kind }) => kind)).toEqual(termsAreUsedOnce || isOver ? [] : ['initiated'])
      })
    })

    it('an initiation is not repeated after the loss of its records, where terms are used once', async () => {
      if (!run.fixture.termsAreUsedOnce) return
      const swap = await run.propose(run.solver, run.user)
      await run.initiate(swap)
      await run.confirm()
      const before = await run.balanceOf(run.solver)
      const key = `${swap.key}/again`
      expect(await failureOf(run.fixture.client.initiate(swap.terms, run.solver.outbox.open(key)))).toBe('superseded')
      expect(run.solver.outbox.attempts(key)).toEqual([])
      await run.fixture.mine(1)
      expect(await run.balanceOf(run.solver)).toBe(before)
    })
  })
}
