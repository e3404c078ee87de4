/** A family where both parties together can refund deposits before the timelock ends. */
import { describe, expect, it } from 'vitest'
import type { HtlcTerms } from '../../../protocol/htlc.ts'
import type { InstantRefund, SignedInstantRefund } from '../../../protocol/order.ts'
import type { Cosigning } from '../../port/abilities/instant-refund.ts'
import type { SpendableDeposit } from '../../port/spend.ts'
import { type ConformanceRun, failureOf, malformedPayloads, required, type Swap } from '../run.fixture.ts'

export function instantRefundSuite(run: ConformanceRun): void {
  describe('instant refund', () => {
    const ability = () => required(run.fixture.client.instantRefund, 'instantRefund')

    /** Deposits of different amounts, mined together. Where terms are used once there is one, and tests of several do not apply. */
    async function funded(deposits: 1 | 2 = 1): Promise<Swap> {
      if (deposits === 1) return run.fundedByUser()
      const swap = await run.propose(run.user, run.solver)
      const funding = await run.fundingOf(swap)
      await run.fixture.fund(funding)
      await run.fixture.underfund(swap.terms, funding)
      await run.confirm()
      expect((await run.readSwap(swap)).swap.deposits).toHaveLength(2)
      return swap
    }
    const itWithSeveral = (title: string, test: () => Promise<void>) =>
      it(title, async () => {
        if (!run.fixture.termsAreUsedOnce) await test()
      })

    async function proposed(signing: Cosigning, swap?: Swap): Promise<{ readonly swap: Swap; readonly refunds: readonly InstantRefund[] }> {
      const of = swap ?? (await funded())
      const unspent = (await run.readSwap(of)).swap.deposits.filter(({ spend }) => spend === null)
      const spend = { deposits: unspent.map(({ id, amount }) => ({ id, amount })), to: run.user.address }
      return { swap: of, refunds: await ability().propose(of.terms, spend, signing) }
    }
    /** The only refund of a new swap with one deposit. */
    async function proposedOne(signing: Cosigning) {
      const { swap, refunds } = await proposed(signing)
      const [refund] = refunds
      if (refund === undefined) throw new Error('no refund was proposed')
      return { swap, terms: swap.terms, refund }
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
    const signedTogether = async (of?: Swap) => {
      const { swap, refunds } = await proposed('together', of)
      return { swap, signed: await together(swap, refunds) }
    }

    const send = (swap: Swap, signed: readonly SignedInstantRefund[]) =>
      ability().send(swap.terms, signed, run.solver.outbox.open(`${swap.key}/refund`))
    const attempts = (swap: Swap) => run.solver.outbox.attempts(`${swap.key}/refund`)
    const paid = (refunds: readonly InstantRefund[]) => refunds.reduce((sum, { pays }) => sum + pays, 0n)
    /** The redeem of these deposits with the secret, as nodes know it. */
    async function redeemed(swap: Swap, deposits: readonly SpendableDeposit[]): Promise<string> {
      const { client } = run.fixture
      const spend = { deposits, to: run.solver.address, secret: swap.secret }
      const tx = await client.redeem(swap.terms, spend, run.outboxOf(run.solver, swap, 'redeem'))
      // Without a mempool to search, it is seen in a block.
      if (client.unconfirmedEvents === undefined) await run.fixture.mine(1)
      return tx
    }
    /** One change for each part that a signature must cover. */
    const othersOf = (refund: InstantRefund, deposit: string): readonly InstantRefund[] => [
      { ...refund, pays: refund.pays - 1n },
      { ...refund, amount: refund.amount + 1n },
      { ...refund, to: run.solver.address },
      { ...refund, deposit },
    ]
    const refused = expect.objectContaining({ name: 'TandemError' })
    const wrong = expect.objectContaining({ code: 'invalid_signature' })

    it.each([
      ['together', together],
      ['apart', apart],
    ] as const)('pays the initiator before the timelock ends, once, signed %s', async (way, sign) => {
      const { swap, refunds } = await proposed(way)
      expect(await failureOf(run.refund(swap))).toBe('would-fail')
      const before = await run.balanceOf(run.user)
      const signed = await sign(swap, refunds)
      const tx = await send(swap, signed)
      expect(await send(swap, signed)).toBe(tx)
      await run.fixture.mine(1)
      expect((await run.readSwap(swap)).swap).toMatchObject({ phase: 'refunded', secret: null })
      expect((await run.balanceOf(run.user)) - before).toBe(paid(refunds))
      expect(refunds.every(({ amount, pays }) => amount - pays <= run.fixture.feeAllowance)).toBe(true)
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

    it.each([false, true])('rebroadcasts after a reorg, with the same transaction; dropped by the nodes: %s', async (drop) => {
      const { swap, signed } = await signedTogether()
      const tx = await send(swap, signed)
      await run.fixture.mine(1)
      await run.fixture.reorg(1, { drop })
      expect(await send(swap, signed)).toBe(tx)
      expect(attempts(swap)).toHaveLength(1)
      await run.fixture.mine(1)
      expect((await run.readSwap(swap)).swap.phase).toBe('refunded')
    })

    it('is superseded if a reorg removed its deposit', async () => {
      const swap = await run.propose(run.user, run.solver)
      await run.fixture.fund(await run.fundingOf(swap))
      await run.fixture.mine(1)
      const { signed } = await signedTogether(swap)
      await run.fixture.reorg(1, { drop: true })
      expect(await failureOf(send(swap, signed))).toBe('superseded')
      expect(attempts(swap)).toEqual([])
    })

    it('is superseded by a redeem, and does not compete with it', async () => {
      const { swap, signed } = await signedTogether()
      await redeemed(swap, (await run.spendOf(swap, '')).deposits)
      expect(await failureOf(send(swap, signed))).toBe('superseded')
      expect(attempts(swap)).toEqual([])
      await run.fixture.mine(1)
      expect((await run.readSwap(swap)).swap).toMatchObject({ phase: 'redeemed', secret: swap.secret })
    })

    itWithSeveral('leaves out deposits that it or somebody else has spent since', async () => {
      const { swap, signed: early } = await signedTogether()
      const tx = await send(swap, early)
      await run.fixture.mine(1)
      const funding = await run.fundingOf(swap)
      await run.fixture.fund(funding)
      await run.fixture.underfund(swap.terms, funding)
      await run.fixture.mine(1)
      const { signed: later } = await signedTogether(swap)
      const [taken, left] = later
      if (taken === undefined || left === undefined) throw new Error('two more refunds were signed')
      const redeem = await redeemed(swap, [{ id: taken.deposit, amount: taken.amount }])
      const rest = await send(swap, [...early, ...later])
      expect(rest).not.toBe(tx)
      await run.fixture.mine(1)
      const { deposits } = (await run.readSwap(swap)).swap
      const spends = new Map(deposits.map(({ id, spend }) => [id, spend?.tx]))
      expect([...early, taken, left].map(({ deposit }) => spends.get(deposit))).toEqual([tx, redeem, rest])
      expect(await send(swap, early)).toBe(tx)
      expect(await send(swap, [left])).toBe(rest)
      await expect(send(swap, [taken])).rejects.toMatchObject({
        kind: 'superseded',
        message: expect.stringContaining(`${taken.deposit} was spent by ${redeem}`),
      })
    })

    it('sends nothing without a valid signature for every refund', async () => {
      const { swap, signed } = await signedTogether()
      const [refund] = signed
      if (refund === undefined) throw new Error('a refund was signed')
      const others = [
        { ...refund, pays: refund.pays - 1n },
        { ...refund, to: run.solver.address },
        { ...refund, signature: '' },
      ]
      for (const given of [...others.map((other) => [other]), []]) expect(await failureOf(send(swap, given))).toBe('would-fail')
      expect(attempts(swap)).toEqual([])
      await run.fixture.mine(1)
      expect((await run.readSwap(swap)).swap.phase).toBe('initiated')
    })

    if (run.part === 'nodes') return

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

    it('refuses malformed payloads with a TandemError', async () => {
      const { swap, refunds } = await proposed('together')
      const { terms } = swap
      const initiator = await userSignatures(swap, refunds)
      const redeemer = await ability().sign(terms, refunds, run.solver.signer)
      for (const payload of malformedPayloads) {
        await expect(ability().answer(terms, refunds, payload, run.solver.signer), payload).rejects.toThrow(refused)
        const session = await ability().begin(terms, refunds, run.user.signer)
        await expect(session.finish(payload), payload).rejects.toThrow(refused)
        await expect(ability().combine(terms, refunds, { initiator, redeemer: payload }), payload).rejects.toThrow(refused)
        const spoiled = { initiator: refunds.map(() => payload), redeemer }
        await expect(ability().combine(terms, refunds, spoiled), payload).rejects.toThrow(refused)
      }
    })

    it('the redeemer answers for these refunds and terms only', async () => {
      const { terms, refund } = await proposedOne('together')
      const { refund: elsewhere } = await proposedOne('together')
      for (const other of othersOf(refund, elsewhere.deposit)) {
        const session = await ability().begin(terms, [refund], run.user.signer)
        const answer = await ability().answer(terms, [other], session.offer, run.solver.signer)
        await expect(session.finish(answer)).rejects.toThrow(wrong)
      }
      const session = await ability().begin(terms, [refund], run.user.signer)
      const ofOthers = await ability().answer({ ...terms, timelock: terms.timelock + 1n }, [refund], session.offer, run.solver.signer)
      await expect(session.finish(ofOthers)).rejects.toThrow(wrong)
    })

    itWithSeveral('refuses answers that are missing, too many or reordered', async () => {
      const { swap, refunds } = await proposed('together', await funded(2))
      const { terms } = swap
      const begin = (of: readonly InstantRefund[]) => ability().begin(terms, of, run.user.signer)
      const answer = (of: readonly InstantRefund[], offer: string) => ability().answer(terms, of, offer, run.solver.signer)
      const [one, both] = [refunds.slice(0, 1), refunds]
      const badRequest = expect.objectContaining({ code: 'bad_request' })
      await expect((await begin(both)).finish(await answer(one, (await begin(one)).offer))).rejects.toThrow(badRequest)
      await expect((await begin(one)).finish(await answer(both, (await begin(both)).offer))).rejects.toThrow(badRequest)
      await expect(answer(both, (await begin(one)).offer)).rejects.toThrow(badRequest)
      const session = await begin(both)
      await expect(session.finish(await answer(both.toReversed(), session.offer))).rejects.toThrow(wrong)
    })

    it('accepts separate signatures for exactly this refund and these terms only', async () => {
      const { swap, terms, refund } = await proposedOne('apart')
      const { refund: elsewhere } = await proposedOne('apart')
      const [initiator = ''] = await userSignatures(swap, [refund])
      const redeemer = await ability().sign(terms, [refund], run.solver.signer)
      const combine = (of: HtlcTerms, other: InstantRefund) => ability().combine(of, [other], { initiator: [initiator], redeemer })
      await ability().verifyInitiatorSignature(terms, refund, initiator)
      expect(await combine(terms, refund)).toHaveLength(1)
      for (const malformed of ['', 'nonsense', initiator.slice(2)])
        await expect(ability().verifyInitiatorSignature(terms, refund, malformed)).rejects.toThrow(
          expect.objectContaining({ code: 'bad_request' }),
        )
      for (const other of othersOf(refund, elsewhere.deposit)) {
        await expect(ability().verifyInitiatorSignature(terms, other, initiator)).rejects.toThrow(wrong)
        await expect(combine(terms, other)).rejects.toThrow(wrong)
      }
      const later = { ...terms, timelock: terms.timelock + 1n }
      await expect(ability().verifyInitiatorSignature(later, refund, initiator)).rejects.toThrow(wrong)
      await expect(combine(later, refund)).rejects.toThrow(wrong)
    })

    it('lets each party sign on its own side only', async () => {
      const { terms, refund } = await proposedOne('together')
      const { offer } = await ability().begin(terms, [refund], run.user.signer)
      await expect(ability().begin(terms, [refund], run.solver.signer)).rejects.toThrow('only the initiator')
      await expect(ability().answer(terms, [refund], offer, run.user.signer)).rejects.toThrow('only the redeemer')
      await expect(ability().sign(terms, [refund], run.user.signer)).rejects.toThrow('only the redeemer')
    })
  })
}
