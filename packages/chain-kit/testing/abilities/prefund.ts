/** Tests a family where users have an account at the HTLC, and consent on the chain to each swap that may take money from it. */
import { describe, expect, it } from 'vitest'
import { type ConformanceRun, expectRepeatHarmless, failureOf, required, type Swap } from '../run.fixture.ts'

const SECONDS_TO_DEADLINE = 3_600n

export function prefundSuite(run: ConformanceRun): void {
  describe('prefund', () => {
    const ability = () => required(run.fixture.client.prefund, 'prefund')
    const paying = () => required(run.fixture.prefund, 'prefund in the fixture')
    const propose = async (): Promise<Swap> => ({
      ...(await run.propose(run.user, run.solver)),
      deadline: (await run.fixture.client.tip()).time + SECONDS_TO_DEADLINE,
    })
    const consented = async (): Promise<Swap> => {
      const swap = await propose()
      await paying().consent(await run.fundingOf(swap))
      return swap
    }
    const pay = async (amount: bigint) => {
      await paying().pay(amount)
      await run.fixture.mine(1)
    }
    const initiate = (swap: Swap) => ability().initiate(swap, run.outboxOf(run.solver, swap, 'initiate'))
    const reclaim = (swap: Swap) => ability().reclaim(swap, run.outboxOf(run.solver, swap, 'reclaim'))
    const attempts = (swap: Swap, verb: 'initiate' | 'reclaim') => run.solver.outbox.attempts(`${swap.key}/${verb}`)
    const held = async (swap: Swap) => (await ability().amounts([swap]))[0]
    const passDeadline = (swap: Swap) => paying().passDeadline(swap.deadline)
    const initiated = async (): Promise<Swap> => {
      const swap = await consented()
      await pay(swap.terms.amount)
      await initiate(swap)
      await run.confirm()
      expect((await run.readSwap(swap)).swap.phase).toBe('initiated')
      return swap
    }

    it('returns what the account holds for each swap that the user consented to, in one call', async () => {
      const [swap, other] = [await consented(), await propose()]
      expect(await ability().amounts([])).toEqual([])
      expect(await ability().amounts([swap, other])).toEqual([0n, 0n])
      await pay(swap.terms.amount)
      expect(await ability().amounts([other, swap])).toEqual([0n, swap.terms.amount])
      await initiate(swap)
      await run.confirm()
    })

    it('initiates the swap with the prefund, once, without a signature of the user', async () => {
      const swap = await consented()
      await pay(swap.terms.amount)
      expect((await run.readSwap(swap)).events).toEqual([])
      const tx = await initiate(swap)
      expect(await initiate(swap)).toBe(tx)
      await run.confirm()
      expect((await run.readSwap(swap)).swap).toMatchObject({ phase: 'initiated', filledAmount: swap.terms.amount })
      expect(await held(swap)).toBe(0n)
      await expectRepeatHarmless(initiate(swap), tx)
    })

    it('initiates nothing that the user did not consent to', async () => {
      const [swap, other] = [await consented(), await propose()]
      await pay(swap.terms.amount)
      expect(await failureOf(initiate(other))).toBe('would-fail')
      expect(attempts(other, 'initiate')).toEqual([])
      await initiate(swap)
      await run.confirm()
    })

    it('initiates once the whole amount is there, paid in any number of parts', async () => {
      const swap = await consented()
      for (const part of [0n, swap.terms.amount - 1n]) {
        if (part > 0n) await pay(part)
        expect(await held(swap)).toBe(part)
        expect(await failureOf(initiate(swap))).toBe('would-fail')
        expect(attempts(swap, 'initiate')).toEqual([])
      }
      await pay(1n)
      await initiate(swap)
      await run.confirm()
      expect((await run.readSwap(swap)).swap).toMatchObject({ phase: 'initiated', filledAmount: swap.terms.amount })
    })

    it('initiates two swaps of one user with what each needs', async () => {
      const swaps = [await consented(), await consented()]
      const needed = swaps.reduce((sum, { terms }) => sum + terms.amount, 0n)
      await pay(needed)
      for (const swap of swaps) await initiate(swap)
      await run.confirm()
      for (const swap of swaps) expect((await run.readSwap(swap)).swap.phase).toBe('initiated')
    })

    it('initiates even if somebody adds to the prefund while the initiation is unmined, and whatever the initiator did in other swaps', async () => {
      const swap = await consented()
      const before = await run.balanceOf(run.user)
      await pay(swap.terms.amount)
      await ability().initiate(swap, { ...run.outboxOf(run.solver, swap, 'initiate'), revertedRelays: 3 })
      await paying().pay(1n)
      await run.confirm()
      expect((await run.readSwap(swap)).swap).toMatchObject({ phase: 'initiated', filledAmount: swap.terms.amount })
      await passDeadline(swap)
      await reclaim(swap)
      await run.fixture.mine(1)
      expect(await held(swap)).toBe(0n)
      expect(before - (await run.balanceOf(run.user))).toBe(swap.terms.amount)
    })

    it('states order, leg and terms as the purpose of an initiation and of a reclaim', async () => {
      const swap = await consented()
      await pay(swap.terms.amount)
      await run.expectPurpose(run.solver, swap, 'initiate', () => initiate(swap))
      await run.confirm()
      await pay(swap.terms.amount)
      await passDeadline(swap)
      await run.expectPurpose(run.solver, swap, 'reclaim', () => reclaim(swap))
      await run.fixture.mine(1)
    })

    describe('reclaim', () => {
      it('returns nothing from an empty account', async () => {
        const swap = await consented()
        await passDeadline(swap)
        expect(await reclaim(swap)).toBeNull()
        expect(attempts(swap, 'reclaim')).toEqual([])
      })

      it('leaves the prefund to the swap while it can be initiated, and to other swaps', async () => {
        const [swap, other] = [await consented(), await consented()]
        await pay(swap.terms.amount + other.terms.amount)
        expect(await failureOf(reclaim(swap))).toBe('would-fail')
        await initiate(swap)
        await run.confirm()
        expect(await reclaim(swap)).toBeNull()
        expect(attempts(swap, 'reclaim')).toEqual([])
        await initiate(other)
        await run.confirm()
        expect((await run.readSwap(other)).swap.phase).toBe('initiated')
      })

      it('returns what came too late to the user, once, and no initiation can use it', async () => {
        const swap = await consented()
        const before = await run.balanceOf(run.user)
        await passDeadline(swap)
        await pay(swap.terms.amount)
        expect(await failureOf(initiate(swap))).toBe('would-fail')
        expect(attempts(swap, 'initiate')).toEqual([])
        const tx = await reclaim(swap)
        expect(tx).not.toBeNull()
        expect(await reclaim(swap)).toBe(tx)
        await run.fixture.mine(1)
        expect(await reclaim(swap)).toBeNull()
        expect(attempts(swap, 'reclaim')).toHaveLength(1)
        expect(await run.balanceOf(run.user)).toBe(before)
        expect((await run.readSwap(swap)).events).toEqual([])
      })

      it('returns a prefund of a wrong amount after the deadline', async () => {
        const swap = await consented()
        const before = await run.balanceOf(run.user)
        await pay(swap.terms.amount - 1n)
        await passDeadline(swap)
        expect(await reclaim(swap)).not.toBeNull()
        await run.fixture.mine(1)
        expect(await held(swap)).toBe(0n)
        expect(await run.balanceOf(run.user)).toBe(before)
      })

      it('returns a payment that came after the initiation, and leaves the swap alone', async () => {
        const swap = await initiated()
        const before = await run.balanceOf(run.user)
        await pay(swap.terms.amount)
        await passDeadline(swap)
        expect(await reclaim(swap)).not.toBeNull()
        await run.fixture.mine(1)
        expect(await run.balanceOf(run.user)).toBe(before)
        expect((await run.readSwap(swap)).swap).toMatchObject({ phase: 'initiated', filledAmount: swap.terms.amount })
        await run.redeem(swap)
        await run.fixture.mine(1)
        expect((await run.readSwap(swap)).swap.phase).toBe('redeemed')
      })

      it('returns a payment that came after the swap was settled: it funds nothing again', async () => {
        const swap = await initiated()
        await run.redeem(swap)
        await run.confirm()
        const before = await run.balanceOf(run.user)
        await pay(swap.terms.amount)
        const again = ability().initiate(swap, run.solver.outbox.open(`${swap.key}/again`))
        expect(['would-fail', 'superseded']).toContain(await failureOf(again))
        expect(run.solver.outbox.attempts(`${swap.key}/again`)).toEqual([])
        await passDeadline(swap)
        expect(await reclaim(swap)).not.toBeNull()
        await run.fixture.mine(1)
        expect(await run.balanceOf(run.user)).toBe(before)
      })

      it('sends nothing for a payment that a reorg dropped', async () => {
        const swap = await consented()
        await passDeadline(swap)
        await pay(swap.terms.amount)
        expect(await held(swap)).toBe(swap.terms.amount)
        await run.fixture.reorg(1, { drop: true })
        expect(await held(swap)).toBe(0n)
        expect(await reclaim(swap)).toBeNull()
        expect(attempts(swap, 'reclaim')).toEqual([])
      })

      it('returns the prefund after a reorg dropped the reclaim, with the same transaction', async () => {
        const swap = await consented()
        const before = await run.balanceOf(run.user)
        await passDeadline(swap)
        await pay(swap.terms.amount)
        const tx = await reclaim(swap)
        await run.fixture.mine(1)
        await run.fixture.reorg(1, { drop: true })
        expect(await held(swap)).toBe(swap.terms.amount)
        expect(await reclaim(swap)).toBe(tx)
        await run.fixture.mine(1)
        expect(await reclaim(swap)).toBeNull()
        expect(await run.balanceOf(run.user)).toBe(before)
      })

      it('returns nothing twice after a reorg dropped the payment and the reclaim, and what is paid later', async () => {
        const swap = await consented()
        const before = await run.balanceOf(run.user)
        await passDeadline(swap)
        await pay(swap.terms.amount)
        await reclaim(swap)
        await run.fixture.mine(1)
        await run.fixture.reorg(2, { drop: true })
        for (let block = 0; block < 2; block += 1) {
          await reclaim(swap)
          await run.fixture.mine(1)
          expect(await run.balanceOf(run.user)).toBe(before)
        }
        await pay(swap.terms.amount)
        await reclaim(swap)
        await run.fixture.mine(1)
        expect(await held(swap)).toBe(0n)
        expect(await run.balanceOf(run.user)).toBe(before)
      })
    })
  })
}
