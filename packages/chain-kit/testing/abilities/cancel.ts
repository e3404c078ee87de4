/** Tests a family that can cancel: once cancelled, no attempt of the action can be mined. */
import { describe, expect, it } from 'vitest'
import { ChainFailure } from '../../port/failure.ts'
import { type ConformanceRun, required, type Swap } from '../run.fixture.ts'

const MAX_BLOCKS = 5

export function cancelSuite(run: ConformanceRun): void {
  describe('cancel', () => {
    const cancel = (swap: Swap) => {
      const outbox = run.outboxOf(run.solver, swap, 'initiate')
      const { signer } = run.outboxOf(run.solver, swap, 'cancel')
      return required(
        run.fixture.client.cancel,
        'cancel',
      )({ ...outbox, withKey: (work) => outbox.withKey((held) => work({ ...held, signer })) })
    }

    /** True means that the initiation was replaced; false, that it can only be mined or expire. */
    async function cancelled(swap: Swap, initiated: string, eachBlock: () => Promise<unknown>): Promise<boolean> {
      const first = await cancel(swap).catch((error: unknown) => {
        if (error instanceof ChainFailure && error.kind === 'would-fail') return initiated
        throw error
      })
      expect(first).not.toBeNull()
      for (let block = 0; block < MAX_BLOCKS; block += 1) {
        await eachBlock()
        await run.fixture.mine(1)
        if ((await cancel(swap)) === null) return first !== initiated
      }
      throw new Error(`not cancelled within ${MAX_BLOCKS} blocks`)
    }

    it('replaces an unmined initiation where nodes allow it; else reports when it is mined or expired', async () => {
      const swap = await run.propose(run.solver, run.user)
      const before = await run.balanceOf(run.solver)
      const tx = await run.initiate(swap)
      const isReplaced = await cancelled(swap, tx, async () => undefined)
      expect(isReplaced).toBe(run.fixture.replacesUnmined)
      await run.confirm()
      expect((await run.readSwap(swap)).events.map((event) => event.tx)).toEqual(isReplaced ? [] : [tx])
      const maxSpent = run.fixture.feeAllowance + (isReplaced ? 0n : swap.terms.amount)
      expect(before - (await run.balanceOf(run.solver))).toBeLessThanOrEqual(maxSpent)
      expect(await cancel(swap)).toBeNull()
    })

    // Some families need no signature to cancel, and some nodes replace nothing.
    it('states order, leg and terms as the purpose of a cancellation', async () => {
      const swap = await run.propose(run.solver, run.user)
      await run.initiate(swap)
      const before = run.solver.purposes.length
      await cancel(swap).catch((error: unknown) => expect(error).toBeInstanceOf(ChainFailure))
      for (const purpose of run.solver.purposes.slice(before)) expect(purpose).toEqual(run.purposeOf(swap, 'cancel'))
      await run.confirm()
    })

    it('sends nothing for an action without attempts', async () => {
      const swap = await run.propose(run.solver, run.user)
      expect(await cancel(swap)).toBeNull()
      expect(run.solver.outbox.attempts(`${swap.key}/initiate`)).toEqual([])
    })

    it('does not touch other swaps of the same key', async () => {
      const [kept, dropped] = [await run.propose(run.solver, run.user), await run.propose(run.solver, run.user)]
      await run.initiate(kept)
      const tx = await run.initiate(dropped)
      run.solver.outbox.abandon(`${dropped.key}/initiate`)
      const isReplaced = await cancelled(dropped, tx, () => run.initiate(kept))
      await run.confirm()
      expect((await run.readSwap(kept)).swap.phase).toBe('initiated')
      expect((await run.readSwap(dropped)).events).toHaveLength(isReplaced ? 0 : 1)
    })
  })
}
