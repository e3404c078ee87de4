/** A family where users pay to the prefund address of their swap before it is initiated. */
import { describe, expect, it } from 'vitest'
import { type ConformanceRun, expectRepeatHarmless, failureOf, required, type Swap } from '../run.fixture.ts'

/** Longer than every test that must stay before its deadline. */
const SECONDS_TO_DEADLINE = 3_600n

export function prefundSuite(run: ConformanceRun): void {
  describe('prefund', () => {
    const ability = () => required(run.fixture.client.prefund, 'prefund')
    const paying = () => required(run.fixture.prefund, 'prefund in the fixture')
    const propose = async (): Promise<Swap> => ({
      ...(await run.propose(run.user, run.solver)),
      deadline: (await run.fixture.client.tip()).time + SECONDS_TO_DEADLINE,
    })
    const pay = async (swap: Swap, amount = swap.terms.amount) => {
      await paying().pay(await run.fundingOf(swap), amount)
      await run.fixture.mine(1)
    }
    const initiate = (swap: Swap) => ability().initiate(swap, run.outboxOf(run.solver, swap, 'initiate'))
    const reclaim = (swap: Swap) => ability().reclaim(swap, run.outboxOf(run.solver, swap, 'reclaim'))
    const attempts = (swap: Swap, verb: 'initiate' | 'reclaim') => run.solver.outbox.attempts(`${swap.key}/${verb}`)
    const held = async (swap: Swap) => (await ability().amounts([swap]))[0]
    /** Initiates with a prefund of the whole amount. */
    const initiated = async (): Promise<Swap> => {
      const swap = await propose()
      await pay(swap)
      await initiate(swap)
      await run.confirm()
      expect((await run.readSwap(swap)).swap.phase).toBe('initiated')
      return swap
    }

    it('returns the balance of several prefund addresses in one call', async () => {
      const [paid, empty] = [await propose(), await propose()]
      expect(await ability().amounts([])).toEqual([])
      expect(await ability().amounts([paid, empty])).toEqual([0n, 0n])
      await pay(paid)
      expect(await ability().amounts([empty, paid])).toEqual([0n, paid.terms.amount])
    })

    it('initiates the swap with the prefund, once, without a signature of the user', async () => {
      const swap = await propose()
      await pay(swap)
      expect((await run.readSwap(swap)).events).toEqual([])
      const tx = await initiate(swap)
      expect(await initiate(swap)).toBe(tx)
      await run.confirm()
      expect((await run.readSwap(swap)).swap).toMatchObject({ phase: 'initiated', filledAmount: swap.terms.amount })
      expect(await held(swap)).toBe(0n)
      await expectRepeatHarmless(initiate(swap), tx)
    })

    it('initiates once the whole amount is there, paid in any number of parts', async () => {
      const swap = await propose()
      for (const part of [0n, swap.terms.amount - 1n]) {
        if (part > 0n) await pay(swap, part)
        expect(await held(swap)).toBe(part)
        expect(await failureOf(initiate(swap))).toBe('would-fail')
        expect(attempts(swap, 'initiate')).toEqual([])
      }
      await pay(swap, 1n)
      await initiate(swap)
      await run.confirm()
      expect((await run.readSwap(swap)).swap).toMatchObject({ phase: 'initiated', filledAmount: swap.terms.amount })
    })

    it('initiates even if somebody adds to the prefund while the initiation is unmined, and whatever the initiator did in other swaps', async () => {
      const swap = await propose()
      const before = await run.balanceOf(run.user)
      await pay(swap)
      await ability().initiate(swap, { ...run.outboxOf(run.solver, swap, 'initiate'), revertedRelays: 3 })
      await pay(swap, 1n)
      await run.confirm()
      expect((await run.readSwap(swap)).swap).toMatchObject({ phase: 'initiated', filledAmount: swap.terms.amount })
      await reclaim(swap)
      await run.fixture.mine(1)
      expect(await held(swap)).toBe(0n)
      expect(before - (await run.balanceOf(run.user))).toBe(swap.terms.amount)
    })

    it('states order, leg and terms as the purpose of an initiation and of a reclaim', async () => {
      const swap = await propose()
      await pay(swap)
      await run.expectPurpose(run.solver, swap, 'initiate', () => initiate(swap))
      await run.confirm()
      await pay(swap)
      await run.expectPurpose(run.solver, swap, 'reclaim', () => reclaim(swap))
      await run.fixture.mine(1)
    })

    describe('reclaim', () => {
      it('returns nothing from an empty address', async () => {
        const swap = await propose()
        expect(await reclaim(swap)).toBeNull()
        expect(attempts(swap, 'reclaim')).toEqual([])
      })

      it('leaves the prefund to the swap while it can be initiated', async () => {
        const swap = await propose()
        await pay(swap)
        expect(await failureOf(reclaim(swap))).toBe('would-fail')
        expect(attempts(swap, 'reclaim')).toEqual([])
        await initiate(swap)
        await run.confirm()
        expect((await run.readSwap(swap)).swap.phase).toBe('initiated')
      })

      it('returns what came too late to the initiator, once, and no initiation can use it', async () => {
        const swap = await propose()
        const before = await run.balanceOf(run.user)
        await paying().passDeadline(swap.deadline)
        await pay(swap)
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
        const [little, much] = [await propose(), await propose()]
        const before = await run.balanceOf(run.user)
        await pay(little, little.terms.amount - 1n)
        await pay(much, much.terms.amount + 1n)
        await paying().passDeadline(much.deadline)
        for (const swap of [little, much]) expect(await reclaim(swap)).not.toBeNull()
        await run.fixture.mine(1)
        expect(await ability().amounts([little, much])).toEqual([0n, 0n])
        expect(await run.balanceOf(run.user)).toBe(before)
      })

      it('returns a payment that came after the initiation, and leaves the swap alone', async () => {
        const swap = await initiated()
        const before = await run.balanceOf(run.user)
        await pay(swap)
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
        await pay(swap)
        const again = ability().initiate(swap, run.solver.outbox.open(`${swap.key}/again`))
        expect(['would-fail', 'superseded']).toContain(await failureOf(again))
        expect(run.solver.outbox.attempts(`${swap.key}/again`)).toEqual([])
        expect(await reclaim(swap)).not.toBeNull()
        await run.fixture.mine(1)
        expect(await run.balanceOf(run.user)).toBe(before)
      })

      it('returns what was paid again after a reclaim', async () => {
        const swap = await propose()
        const before = await run.balanceOf(run.user)
        await paying().passDeadline(swap.deadline)
        const done: (string | null)[] = []
        for (let time = 0; time < 2; time += 1) {
          await pay(swap)
          done.push(await reclaim(swap))
          await run.fixture.mine(1)
          expect(await reclaim(swap)).toBeNull()
          expect(await run.balanceOf(run.user)).toBe(before)
        }
        expect(new Set(done).size).toBe(2)
        expect(attempts(swap, 'reclaim').map(({ tx }) => tx)).toEqual(done)
      })

      it('sends nothing for a payment that a reorg dropped', async () => {
        const swap = await propose()
        await paying().passDeadline(swap.deadline)
        await pay(swap)
        expect(await held(swap)).toBe(swap.terms.amount)
        await run.fixture.reorg(1, { drop: true })
        expect(await held(swap)).toBe(0n)
        expect(await reclaim(swap)).toBeNull()
        expect(attempts(swap, 'reclaim')).toEqual([])
      })

      it('returns the prefund after a reorg dropped the reclaim, with the same transaction', async () => {
        const swap = await propose()
        const before = await run.balanceOf(run.user)
        await paying().passDeadline(swap.deadline)
        await pay(swap)
        const tx = await reclaim(swap)
        await run.fixture.mine(1)
        await run.fixture.reorg(1, { drop: true })
        expect(await held(swap)).toBe(swap.terms.amount)
        expect(await reclaim(swap)).toBe(tx)
        await run.fixture.mine(1)
        expect(await reclaim(swap)).toBeNull()
        expect(await run.balanceOf(run.user)).toBe(before)
      })

      it('returns nothing twice after a reorg dropped the payment and the reclaim', async () => {
        const swap = await propose()
        const before = await run.balanceOf(run.user)
        await paying().passDeadline(swap.deadline)
        await pay(swap)
        await reclaim(swap)
        await run.fixture.mine(1)
        await run.fixture.reorg(2, { drop: true })
        for (let block = 0; block < 2; block += 1) {
          await reclaim(swap)
          await run.fixture.mine(1)
          expect(await run.balanceOf(run.user)).toBe(before)
        }
        await pay(swap)
        await reclaim(swap)
        await run.fixture.mine(1)
        expect(await held(swap)).toBe(0n)
        expect(await run.balanceOf(run.user)).toBe(before)
      })
    })
  })
}
