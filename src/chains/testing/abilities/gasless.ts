/** A family where the service can initiate with the user's signature. */
import { describe, expect, it } from 'vitest'
import { OutboxFailure } from '../outbox.fixture.ts'
import { type ConformanceRun, expectRepeatHarmless, required } from '../run.fixture.ts'

export function gaslessSuite(run: ConformanceRun): void {
  describe('gasless', () => {
    const gaslessOf = () => required(run.fixture.client.gasless, 'gasless')

    it('relays exactly the initiation that the user signed; an unsupported asset offers nothing to sign', async () => {
      const { signInitiate } = run.fixture
      const gasless = gaslessOf()
      const swap = await run.propose(run.user, run.solver)
      expect(signInitiate !== undefined).toBe(gasless.supports(swap.terms.asset))
      if (signInitiate === undefined) {
        const funding = await run.fundingOf(swap)
        expect(funding.kind === 'calls' ? funding.typedData : null).toBeNull()
        return
      }
      const signature = await signInitiate(await run.fundingOf(swap))
      await gasless.verify(swap.terms, signature)
      const dearer = { ...swap.terms, amount: swap.terms.amount + 1n }
      await expect(gasless.verify(dearer, signature)).rejects.toMatchObject({ code: 'invalid_signature' })
      const before = await run.balanceOf(run.user)
      const relay = () => gasless.initiate(swap.terms, signature, run.outboxOf(run.solver, swap, 'relay'))
      const tx = await relay()
      expect(await relay()).toBe(tx)
      await run.confirm()
      expect((await run.look(swap)).swap.phase).toBe('initiated')
      await expectRepeatHarmless(relay(), tx)
      expect(before - (await run.balanceOf(run.user))).toBe(swap.terms.amount)
      await gasless.verify(swap.terms, signature)
      expect(await gasless.hasReverted?.(tx)).not.toBe(true)
    })

    it('refuses a signature by somebody else, for another swap, or none', async () => {
      const { signInitiate } = run.fixture
      if (signInitiate === undefined) return
      const [swap, other] = [await run.propose(run.user, run.solver), await run.propose(run.user, run.solver)]
      const signature = await signInitiate(await run.fundingOf(swap))
      const byAnother = { ...swap.terms, initiator: run.solver.identity }
      for (const [terms, given] of [
        [other.terms, signature],
        [byAnother, signature],
        [swap.terms, ''],
        [swap.terms, 'nonsense'],
      ] as const)
        await expect(gaslessOf().verify(terms, given)).rejects.toMatchObject({ code: 'invalid_signature' })
    })

    it('states order, leg and terms as the purpose of a relayed initiation', async () => {
      const { signInitiate } = run.fixture
      if (signInitiate === undefined) return
      const swap = await run.propose(run.user, run.solver)
      const signature = await signInitiate(await run.fundingOf(swap))
      const relay = () => gaslessOf().initiate(swap.terms, signature, run.outboxOf(run.solver, swap, 'relay'))
      await run.expectPurpose(run.solver, swap, 'relay', relay)
      await run.confirm()
    })

    it('sends no transaction that was not recorded', async () => {
      const { signInitiate } = run.fixture
      if (signInitiate === undefined) return
      const swap = await run.propose(run.user, run.solver)
      const signature = await signInitiate(await run.fundingOf(swap))
      const outbox = run.outboxOf(run.solver, swap, 'relay', 'lost-lease')
      await expect(gaslessOf().initiate(swap.terms, signature, outbox)).rejects.toThrow(OutboxFailure)
      await run.confirm()
      expect((await run.look(swap)).events).toEqual([])
    })
  })
}
