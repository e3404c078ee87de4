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
    function together({ terms }: Swap, refunds: readonly InstantRefund[]): readonly SignedInstantRefund[] {
      const session = ability().begin(terms, refunds, run.user.signer)
      return session.finish(ability().answer(terms, refunds, session.offer, run.solver.signer))
    }
    const userSignatures = ({ terms }: Swap, refunds: readonly InstantRefund[]) =>
      ability()
        .hashes(terms, refunds)
        .map((hash) => required(run.fixture.signRefundHash, 'signRefundHash')(hash))
    const apart = (swap: Swap, refunds: readonly InstantRefund[]) =>
      ability().combine(swap.terms, refunds, {
        initiator: userSignatures(swap, refunds),
        redeemer: ability().sign(swap.terms, refunds, run.solver.signer),
      })

    it.each([
      ['together', together],
      ['apart', apart],
    ] as const)('pays the initiator before the timelock ends, once, signed %s', async (way, sign) => {
      const { swap, refunds } = await proposed(way)
      expect(await failureOf(run.refund(swap))).toBe('would-fail')
      const before = await run.balanceOf(run.user)
      const signed = sign(swap, refunds)
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
      const session = begin()
      expect(begin().offer).not.toBe(session.offer)
      const answer = ability().answer(swap.terms, refunds, session.offer, run.solver.signer)
      expect(() => begin().finish(answer)).toThrow()
      expect(session.finish(answer)).toHaveLength(refunds.length)
      expect(() => session.finish(answer)).toThrow()
    })

    it.each(['', 'nonsense', '[]', '{}', 'null', '00'])('refuses the payload "%s" with a TandemError', async (payload) => {
      const { swap, refunds } = await proposed('together')
      const { terms } = swap
      const refused = expect.objectContaining({ name: 'TandemError' })
      expect(() => ability().answer(terms, refunds, payload, run.solver.signer)).toThrow(refused)
      expect(() => ability().begin(terms, refunds, run.user.signer).finish(payload)).toThrow(refused)
      const initiator = userSignatures(swap, refunds)
      expect(() => ability().combine(terms, refunds, { initiator, redeemer: payload })).toThrow(refused)
      const redeemer = ability().sign(terms, refunds, run.solver.signer)
      expect(() => ability().combine(terms, refunds, { initiator: refunds.map(() => payload), redeemer })).toThrow(refused)
    })

    it('accepts signatures only for exactly these refunds, by their own parties', async () => {
      const { swap, refunds } = await proposed('apart')
      const { terms } = swap
      const [signature = ''] = userSignatures(swap, refunds)
      const [refund] = refunds
      if (refund === undefined) throw new Error('a refund was proposed')
      ability().verifyInitiatorSignature(terms, refund, signature)
      for (const malformed of ['', 'nonsense', signature.slice(2)])
        expect(() => ability().verifyInitiatorSignature(terms, refund, malformed)).toThrow(expect.objectContaining({ code: 'bad_request' }))
      const others: readonly InstantRefund[] = [
        { ...refund, pays: refund.pays - 1n },
        { ...refund, amount: refund.amount + 1n },
        { ...refund, to: run.solver.address },
      ]
      for (const other of others) {
        const wrong = expect.objectContaining({ code: 'invalid_signature' })
        expect(() => ability().verifyInitiatorSignature(terms, other, signature)).toThrow(wrong)
        const session = ability().begin(terms, [other], run.user.signer)
        const answer = ability().answer(terms, [refund], session.offer, run.solver.signer)
        expect(() => session.finish(answer)).toThrow()
      }
      expect(() => ability().sign(terms, refunds, run.user.signer)).toThrow()
      expect(() => ability().begin(terms, refunds, run.solver.signer)).toThrow()
    })
  })
}
