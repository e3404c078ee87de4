/** Tests a family where one transaction that all parties sign can redeem several HTLCs. */
import { describe, expect, it } from 'vitest'
import { type ConformanceRun, expectWithin, malformedPayloads, type Party, required } from '../run.fixture.ts'

type Batch = Pick<Awaited<ReturnType<ConformanceRun['fundedBatch']>>, 'swaps' | 'items'>

export function cosignedRedeemSuite(run: ConformanceRun): void {
  describe('cosigned redeem', () => {
    const ability = () => required(run.fixture.client.cosignedRedeem, 'cosignedRedeem')

    const signerOf = ({ key }: Party, { swaps }: Batch) => key.signerFor(run.batchPurposeOf(swaps, 'cosigned-redeem'))
    const begin = (batch: Batch) =>
      ability().cosign(batch.items.map(({ terms, deposits }) => ({ terms, deposits, signer: signerOf(run.user, batch) })))
    const draft = (batch: Batch, offers: readonly string[], by = run.solver) =>
      ability().draft(
        batch.items.map((item, index) => ({ ...item, offer: offers[index] ?? '' })),
        signerOf(by, batch),
      )

    it('redeems by a cosigned transaction, which shows no secret', async () => {
      const batch = await run.fundedBatch()
      const { swaps, items, total } = batch
      const before = await run.balanceOf(run.solver)
      const session = await begin(batch)
      const { transaction, deposits } = await session.finish(await draft(batch, session.offers))
      expect(deposits.toSorted()).toEqual(items.flatMap((item) => item.deposits.map(({ id }) => id)).toSorted())
      await ability().verify(transaction, items, run.solver.key)
      await ability().send(items, transaction, run.solver.outbox.open(`${swaps[0]?.key}/batch`, { purpose: run.batchPurposeOf(swaps) }))
      await run.fixture.mine(1)
      for (const swap of swaps) expect((await run.readSwap(swap)).swap).toMatchObject({ phase: 'redeemed', secret: null })
      expectWithin((await run.balanceOf(run.solver)) - before, total - run.fixture.feeAllowance, total)
    })

    if (run.part !== 'whole') return

    it('cosigns once, for these items and this redeemer only', async () => {
      const batch = await run.fundedBatch()
      const { items } = batch
      const session = await begin(batch)
      for (const [index, { deposits }] of items.entries()) {
        expect(await ability().isOffer(session.offers[index] ?? '', deposits.length)).toBe(true)
        expect(await ability().isOffer(session.offers[index] ?? '', deposits.length + 1)).toBe(false)
      }
      const drafted = await draft(batch, session.offers)
      await expect((await begin(batch)).finish(drafted)).rejects.toThrow()
      const { transaction } = await session.finish(drafted)
      await expect(session.finish(drafted)).rejects.toThrow()
      const refused = expect.objectContaining({ code: 'bad_request' })
      await expect(ability().verify(transaction, items.slice(1), run.solver.key)).rejects.toThrow(refused)
      await expect(ability().verify(transaction, items, run.user.key)).rejects.toThrow(refused)
      await expect(draft({ ...batch, items: items.slice(0, 1) }, session.offers, run.user)).rejects.toThrow()
    })

    it('refuses malformed payloads with a TandemError', async () => {
      const batch = await run.fundedBatch()
      const { items } = batch
      const refused = expect.objectContaining({ name: 'TandemError' })
      for (const payload of malformedPayloads) {
        for (const { deposits } of items) expect(await ability().isOffer(payload, deposits.length), payload).toBe(false)
        const offers = items.map(() => payload)
        await expect(draft(batch, offers), payload).rejects.toThrow(refused)
        await expect((await begin(batch)).finish(payload), payload).rejects.toThrow(refused)
        await expect(ability().verify(payload, items, run.solver.key), payload).rejects.toThrow(refused)
      }
    })
  })
}
