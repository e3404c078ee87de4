/** Tests a family that sends its own money to an address: no contract refuses a second payment, so none may ever be signed that could be mined beside the first. */
import type { WithdrawPurpose } from '@tandem/keys/purpose.ts'
import { describe, expect, it } from 'vitest'
import type { TransferRequest } from '../../port/abilities/transfer.ts'
import { ChainFailure } from '../../port/failure.ts'
import { OutboxFailure, type OutboxFault } from '../outbox.fixture.ts'
import { type ConformanceRun, expectRepeatHarmless, expectWithin, required } from '../run.fixture.ts'

const MAX_TRIES = 5

/** As the engine does: a coin that another action has just used makes a node refuse. */
async function untilSent(work: () => Promise<string>): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ChainFailure) || error.kind !== 'unreachable' || tries === MAX_TRIES) throw error
    }
  }
}

export function transferSuite(run: ConformanceRun): void {
  describe('transfer', () => {
    let made = 0
    const transfer = () => required(run.fixture.client.transfer, 'transfer')
    const request = (amount = run.fixture.amount): TransferRequest => ({ asset: run.fixture.asset, recipient: run.user.address, amount })
    const nextKey = () => {
      made += 1
      return `withdrawal/${made}`
    }
    const purposeOf = (asked: TransferRequest): WithdrawPurpose => ({ kind: 'withdraw', chain: run.fixture.client.chain.id, ...asked })
    const send = (key: string, asked: TransferRequest, fault?: OutboxFault) =>
      transfer().send(asked, run.solver.outbox.open(key, { purpose: purposeOf(asked), ...(fault && { fault }) }))
    const outcome = (key: string, asked: TransferRequest) => transfer().outcome(asked, run.solver.identity, run.solver.outbox.attempts(key))
    const received = () => run.balanceOf(run.user)

    it('pays the recipient once, even if called repeatedly, and says in which block', async () => {
      const [key, asked] = [nextKey(), request()]
      const [before, held] = [await received(), await run.balanceOf(run.solver)]
      const tx = await send(key, asked)
      expect(await send(key, asked)).toBe(tx)
      expect(await outcome(key, asked)).toEqual({ kind: 'pending' })
      await run.fixture.mine(1)
      expect(await received()).toBe(before + asked.amount)
      const done = await outcome(key, asked)
      expect(done).toMatchObject({ kind: 'paid', tx })
      if (done.kind === 'paid' && done.height !== null) expect((await run.fixture.client.tip()).height).toBeGreaterThanOrEqual(done.height)
      await expectRepeatHarmless(send(key, asked), tx)
      await run.confirm()
      expect(await received()).toBe(before + asked.amount)
      expectWithin(held - (await run.balanceOf(run.solver)), asked.amount, asked.amount + run.fixture.feeAllowance)
    })

    it('states chain, asset, recipient and amount as its purpose', async () => {
      const [key, asked] = [nextKey(), request()]
      const before = run.solver.purposes.length
      await send(key, asked)
      const stated = run.solver.purposes.slice(before)
      expect(stated.length).toBeGreaterThan(0)
      for (const purpose of stated) expect(purpose).toEqual(purposeOf(asked))
      await run.confirm()
    })

    it('pays two transfers of the same amount to the same recipient', async () => {
      const [keys, asked] = [[nextKey(), nextKey()], request()]
      const before = await received()
      for (const key of keys) await send(key, asked)
      await run.confirm()
      expect(await received()).toBe(before + 2n * asked.amount)
      for (const key of keys) expect(await outcome(key, asked)).toMatchObject({ kind: 'paid' })
    })

    it('shares the key with a swap: both are mined', async () => {
      const [key, asked, swap] = [nextKey(), request(), await run.propose(run.solver, run.user)]
      const before = await received()
      await Promise.all([untilSent(() => send(key, asked)), untilSent(() => run.initiate(swap))])
      await run.confirm()
      expect(await received()).toBe(before + asked.amount)
      expect((await run.readSwap(swap)).swap.phase).toBe('initiated')
    })

    it('sends exactly what a crashed process recorded', async () => {
      const [key, asked] = [nextKey(), request()]
      const before = await received()
      await expect(send(key, asked, 'dies-after-recording')).rejects.toThrow(OutboxFailure)
      const [recorded] = run.solver.outbox.attempts(key)
      await run.fixture.mine(1)
      expect(await received()).toBe(before)
      expect(await outcome(key, asked)).toEqual({ kind: 'pending' })
      expect(await send(key, asked)).toBe(recorded?.tx)
      await run.confirm()
      expect(await received()).toBe(before + asked.amount)
      expect(run.solver.outbox.attempts(key)).toEqual([recorded])
    })

    it('sends nothing that was not recorded', async () => {
      const [key, asked] = [nextKey(), request()]
      const before = await received()
      await expect(send(key, asked, 'lost-lease')).rejects.toThrow(OutboxFailure)
      await run.confirm()
      expect(await received()).toBe(before)
    })

    it('is sent again, and paid once, after a reorg dropped it', async () => {
      const [key, asked] = [nextKey(), request()]
      const before = await received()
      const tx = await send(key, asked)
      await run.fixture.mine(1)
      await run.fixture.reorg(1, { drop: true })
      expect(await received()).toBe(before)
      expect(await outcome(key, asked)).toEqual({ kind: 'pending' })
      expect(await send(key, asked)).toBe(tx)
      await run.confirm()
      expect(await received()).toBe(before + asked.amount)
      expect(await outcome(key, asked)).toMatchObject({ kind: 'paid', tx })
    })

    it('refuses more than there is, and signs nothing', async () => {
      const [key, asked] = [nextKey(), request((await run.balanceOf(run.solver)) + 1n)]
      await expect(send(key, asked)).rejects.toThrow()
      expect(run.solver.outbox.attempts(key)).toEqual([])
    })

    it('knows what a transfer costs', async () => {
      expect(await transfer().fee(request(), run.solver.key)).toBeGreaterThan(0n)
    })
  })
}
