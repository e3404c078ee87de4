/** Tests a family where the initiator signs an instant refund too: together with the redeemer in one round trip, or apart. */
import type { Signer } from '@tandem/keys/key.ts'
import type { InstantRefund } from '@tandem/protocol/order.ts'
import { describe, expect, it } from 'vitest'
import { refundsOf } from '../refunds.fixture.ts'
import { type ConformanceRun, malformedPayloads } from '../run.fixture.ts'

export function cosignedRefundSuite(run: ConformanceRun): void {
  describe('cosigned refund', () => {
    const {
      cosigning,
      funded,
      proposed,
      proposedOne,
      begin,
      answer,
      together,
      userSignatures,
      apart,
      send,
      paid,
      othersOf,
      itWithSeveral,
    } = refundsOf(run)
    const refused = expect.objectContaining({ name: 'TandemError' })
    const wrong = expect.objectContaining({ code: 'invalid_signature' })

    it('pays the initiator with one signature of both', async () => {
      const { swap, refunds } = await proposed('together')
      const before = await run.balanceOf(run.user)
      const signed = await together(swap, refunds)
      const tx = await send(swap, signed)
      expect(await send(swap, signed)).toBe(tx)
      await run.fixture.mine(1)
      expect((await run.readSwap(swap)).swap).toMatchObject({ phase: 'refunded', secret: null })
      expect((await run.balanceOf(run.user)) - before).toBe(paid(refunds))
      expect(await send(swap, signed)).toBe(tx)
    })

    itWithSeveral('refunds several deposits in one transaction, each signed in its own way', async () => {
      const { swap, refunds } = await proposed('apart', await funded(2))
      expect(refunds).toHaveLength(2)
      const before = await run.balanceOf(run.user)
      const tx = await send(swap, [...(await together(swap, refunds.slice(0, 1))), ...(await apart(swap, refunds.slice(1)))])
      await run.fixture.mine(1)
      const { phase, deposits } = (await run.readSwap(swap)).swap
      expect(phase).toBe('refunded')
      expect(deposits.map(({ spend }) => spend?.tx)).toEqual([tx, tx])
      expect((await run.balanceOf(run.user)) - before).toBe(paid(refunds))
    })

    if (run.part !== 'whole') return

    it('finishes a session once, and starts each session anew', async () => {
      const { swap, refunds } = await proposed('together')
      const session = await begin(swap, refunds)
      expect((await begin(swap, refunds)).offer).not.toBe(session.offer)
      const answered = await answer(swap, refunds, session.offer)
      await expect((await begin(swap, refunds)).finish(answered)).rejects.toThrow()
      expect(await session.finish(answered)).toHaveLength(refunds.length)
      await expect(session.finish(answered)).rejects.toThrow()
    })

    it('refuses malformed offers and answers with a TandemError', async () => {
      const { swap, refunds } = await proposed('together')
      for (const payload of malformedPayloads) {
        await expect(answer(swap, refunds, payload), payload).rejects.toThrow(refused)
        const session = await begin(swap, refunds)
        await expect(session.finish(payload), payload).rejects.toThrow(refused)
      }
    })

    it('the redeemer answers for these refunds and terms only', async () => {
      const { swap, terms, refund } = await proposedOne('together')
      const { refund: elsewhere } = await proposedOne('together')
      for (const other of othersOf(refund, elsewhere.deposit)) {
        const session = await begin(swap, [refund])
        await expect(session.finish(await answer(swap, [other], session.offer))).rejects.toThrow(wrong)
      }
      const session = await begin(swap, [refund])
      const ofOthers = await answer({ ...swap, terms: { ...terms, timelock: terms.timelock + 1n } }, [refund], session.offer)
      await expect(session.finish(ofOthers)).rejects.toThrow(wrong)
    })

    itWithSeveral('refuses answers that are missing, too many or reordered', async () => {
      const { swap, refunds } = await proposed('together', await funded(2))
      const [one, both] = [refunds.slice(0, 1), refunds]
      const badRequest = expect.objectContaining({ code: 'bad_request' })
      const offerOf = async (of: readonly InstantRefund[]) => (await begin(swap, of)).offer
      await expect((await begin(swap, both)).finish(await answer(swap, one, await offerOf(one)))).rejects.toThrow(badRequest)
      await expect((await begin(swap, one)).finish(await answer(swap, both, await offerOf(both)))).rejects.toThrow(badRequest)
      await expect(answer(swap, both, await offerOf(one))).rejects.toThrow(badRequest)
      const session = await begin(swap, both)
      await expect(session.finish(await answer(swap, both.toReversed(), session.offer))).rejects.toThrow(wrong)
    })

    it('accepts an initiator signature for exactly this refund and these terms only', async () => {
      const { swap, terms, refund } = await proposedOne('apart')
      const { refund: elsewhere } = await proposedOne('apart')
      const [initiator = ''] = await userSignatures(swap, [refund])
      await cosigning().verifyInitiatorSignature(terms, refund, initiator)
      for (const malformed of ['', 'nonsense', initiator.slice(2)])
        await expect(cosigning().verifyInitiatorSignature(terms, refund, malformed)).rejects.toThrow(
          expect.objectContaining({ code: 'bad_request' }),
        )
      for (const other of othersOf(refund, elsewhere.deposit))
        await expect(cosigning().verifyInitiatorSignature(terms, other, initiator)).rejects.toThrow(wrong)
      await expect(cosigning().verifyInitiatorSignature({ ...terms, timelock: terms.timelock + 1n }, refund, initiator)).rejects.toThrow(
        wrong,
      )
    })

    it('lets each party sign on its own side only', async () => {
      const { swap, terms, refund } = await proposedOne('together')
      const { offer } = await begin(swap, [refund])
      const [user, solver] = [run.user, run.solver].map((who) => run.signerOf(who, swap, 'instant-refund')) as [Signer, Signer]
      await expect(cosigning().begin(terms, [refund], solver)).rejects.toThrow('only the initiator')
      await expect(cosigning().answer(terms, [refund], offer, user)).rejects.toThrow('only the redeemer')
    })
  })
}
