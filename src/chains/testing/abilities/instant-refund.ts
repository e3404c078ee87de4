/** A family where both parties together can refund deposits before the timelock ends. */
import { describe, expect, it } from 'vitest'
import type { InstantRefund, SignedInstantRefund } from '../../../protocol/order.ts'
import { type ConformanceRun, failureOf, required, type Swap } from '../run.fixture.ts'

export function instantRefundSuite(run: ConformanceRun): void {
  describe('instant refund', () => {
    const ability = () => required(run.fixture.client.instantRefund, 'instantRefund')

    async function proposed(signing: 'together' | 'apart', swap?: Swap) {
      const funded = swap ?? (await run.fundedByUser())
      const spend = { ...(await run.spendOf(funded, run.user.address)), to: run.user.address }
      return { swap: funded, refunds: await ability().propose(funded.terms, spend, signing) }
    }
    async function together({ terms }: Swap, refunds: readonly InstantRefund[]): Promise<readonly SignedInstantRefund[]> {
      const session = await ability().begin(terms, refunds, run.user.signer)
      return session.finish(await ability().answer(terms, refunds, session.offer, run.solver.signer))
    }
    const userSignatures = async ({ terms }: Swap, refunds: readonly InstantRefund[]) =>
      (await ability().hashes(terms, refunds)).map((hash) => required(run.fixture.signRefundHash, 'signRefundHash')(hash))
    const apart = async (swap: Swap, refunds: readonly InstantRefund[]) =>
      ability().combine(swap.terms, refunds, {
        initiator: await userSignatures(swap, refunds),
        redeemer: await ability().sign(swap.terms, refunds, run.solver.signer),
      })

    it.each([
      ['together', together],
      ['apart', apart],
    ] as const)('pays the initiator before the timelock ends, once, signed %s', async (way, sign) => {
      const { swap, refunds } = await proposed(way)
      expect(await failureOf(run.refund(swap))).toBe('would-fail')
      const before = await run.balanceOf(run.user)
      const signed = await sign(swap, refunds)
      const send = () => ability().send(swap.terms, signed, run.solver.outbox.open(`${swap.key}/refund`))
      const tx = await send()
      expect(await send()).toBe(tx)
      await run.fixture.mine(1)
      expect((await run.look(swap)).swap).toMatchObject({ phase: 'refunded', secret: null })
      expect((await run.balanceOf(run.user)) - before).toBe(refunds.reduce((sum, { pays }) => sum + pays, 0n))
      expect(refunds.every(({ amount, pays }) => amount - pays <= run.fixture.feeAllowance)).toBe(true)
      expect(await send()).toBe(tx)
    })

    it('finishes a session once, and starts each session anew', async () => {
      const { swap, refunds } = await proposed('together')
      const begin = () => ability().begin(swap.terms, refunds, run.user.signer)
      const session = await begin()
      expect((await begin()).offer).not.toBe(session.offer)
      const answer = await ability().answer(swap.terms, refunds, session.offer, run.solver.signer)
      await expect((await begin()).finish(answer)).rejects.toThrow()
      expect(await session.finish(answer)).toHaveLength(refunds.length)
      await expect(session.finish(answer)).rejects.toThrow()
    })

    it.each(['', 'nonsense', '[]', '{}', 'null', '00'])('refuses the payload "%s" with a TandemError', async (payload) => {
      const { swap, refunds } = await proposed('together')
      const { terms } = swap
      const refused = expect.objectContaining({ name: 'TandemError' })
      await expect(ability().answer(terms, refunds, payload, run.solver.signer)).rejects.toThrow(refused)
      await expect((await ability().begin(terms, refunds, run.user.signer)).finish(payload)).rejects.toThrow(refused)
      const initiator = await userSignatures(swap, refunds)
      await expect(ability().combine(terms, refunds, { initiator, redeemer: payload })).rejects.toThrow(refused)
      const redeemer = await ability().sign(terms, refunds, run.solver.signer)
      await expect(ability().combine(terms, refunds, { initiator: refunds.map(() => payload), redeemer })).rejects.toThrow(refused)
    })

    it('accepts signatures only for exactly these refunds, by their own parties', async () => {
      const { swap, refunds } = await proposed('apart')
      const { terms } = swap
      const [signature = ''] = await userSignatures(swap, refunds)
      const [refund] = refunds
      if (refund === undefined) throw new Error('a refund was proposed')
      await ability().verifyInitiatorSignature(terms, refund, signature)
      for (const malformed of ['', 'nonsense', signature.slice(2)])
        await expect(ability().verifyInitiatorSignature(terms, refund, malformed)).rejects.toThrow(
          expect.objectContaining({ code: 'bad_request' }),
        )
      const others: readonly InstantRefund[] = [
        { ...refund, pays: refund.pays - 1n },
        { ...refund, amount: refund.amount + 1n },
        { ...refund, to: run.solver.address },
      ]
      for (const other of others) {
        const wrong = expect.objectContaining({ code: 'invalid_signature' })
        await expect(ability().verifyInitiatorSignature(terms, other, signature)).rejects.toThrow(wrong)
        const session = await ability().begin(terms, [other], run.user.signer)
        const answer = await ability().answer(terms, [refund], session.offer, run.solver.signer)
        await expect(session.finish(answer)).rejects.toThrow()
      }
      await expect(ability().sign(terms, refunds, run.user.signer)).rejects.toThrow()
      await expect(ability().begin(terms, refunds, run.solver.signer)).rejects.toThrow()
    })
  })
}
