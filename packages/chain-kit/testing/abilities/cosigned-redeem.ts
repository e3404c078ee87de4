/** Tests a family where one transaction that all parties sign can redeem several HTLCs. */
import { describe, expect, it } from 'vitest'
import type { RedeemItem } from '../../port/abilities/spending.ts'
import { type ConformanceRun, expectWithin, malformedPayloads, required } from '../run.fixture.ts'

export function cosignedRedeemSuite(run: ConformanceRun): void {
  describe('cosigned redeem', () => {
    const ability = () => required(run.fixture.client.cosignedRedeem, 'cosignedRedeem')

    const begin = (items: readonly RedeemItem[]) =>
      ability().cosign(items.map(({ terms, deposits }) => ({ terms, deposits, signer: run.user.signer })))
    const draft = (items: readonly RedeemItem[], offers: readonly string[]) =>
      ability().draft(
        items.map((item, index) => ({ ...item, offer: offers[index] ?? '' })),
        run.solver.signer,
      )

    it('redeems by a cosigned transaction, which shows no secret', async () => {
      const { swaps, items, total } = await run.fundedBatch()
      const before = await run.balanceOf(run.solver)
      const session = await begin(items)
      const { transaction, deposits } = await session.finish(await draft(items, session.offers))
      expect(deposits.toSorted()).toEqual(items.flatMap((item) => item.deposits.map(({ id }) => id)).toSorted())
      await ability().verify(transaction, items, run.solver.signer)
      await ability().send(items, transaction, run.solver.outbox.open(`${swaps[0]?.key}/batch`))
      await run.fixture.mine(1)
      for (const swap of swaps) expect((await run.readSwap(swap)).swap).toMatchObject({ phase: 'redeemed', secret: null })
      expectWithin((await run.balanceOf(run.solver)) - before, total - run.fixture.feeAllowance, total)
    })

    if (run.part !== 'whole') return

    it('cosigns once, for these items and this redeemer only', async () => {
      const { items } = await run.fundedBatch()
      const session = await begin(items)
      for (const [index, { deposits }] of items.entries()) {
        expect(await ability().isOffer(session.offers[index] ?? '', deposits.length)).toBe(true)
        expect(await ability().isOffer(session.offers[index] ?? '', deposits.length + 1)).toBe(false)
      }
      const drafted = await draft(items, session.offers)
      await expect((await begin(items)).finish(drafted)).rejects.toThrow()
      const { transaction } = await session.finish(drafted)
      await expect(session.finish(drafted)).rejects.toThrow()
      const refused = expect.objectContaining({ code: 'bad_request' })
      await expect(ability().verify(transaction, items.slice(1), run.solver.signer)).rejects.toThrow(refused)
      await expect(ability().verify(transaction, items, run.user.signer)).rejects.toThrow(refused)
      await expect(ability().draft([{ ...(items[0] as RedeemItem), offer: session.offers[0] ?? '' }], run.user.signer)).rejects.toThrow()
    })

    it('refuses malformed payloads with a TandemError', async () => {
      const { items } = await run.fundedBatch()
      const refused = expect.objectContaining({ name: 'TandemError' })
      for (const payload of malformedPayloads) {
        for (const { deposits } of items) expect(await ability().isOffer(payload, deposits.length), payload).toBe(false)
        const offers = items.map(() => payload)
        await expect(draft(items, offers), payload).rejects.toThrow(refused)
        await expect((await begin(items)).finish(payload), payload).rejects.toThrow(refused)
        await expect(ability().verify(payload, items, run.solver.signer), payload).rejects.toThrow(refused)
      }
    })
  })
}
