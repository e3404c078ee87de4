/** Tests a family where deposits can be refunded before the timelock ends, with the redeemer's consent. */
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { InstantRefund } from '@tandem/protocol/order.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { refundsOf } from '../refunds.fixture.ts'
import { type ConformanceRun, expectWithin, failureOf, malformedPayloads } from '../run.fixture.ts'

export function instantRefundSuite(run: ConformanceRun): void {
  describe('instant refund', () => {
    const { ability, proposed, proposedOne, userSignatures, apart, signedApart, send, attempts, paid, redeemed, othersOf, itWithSeveral } =
      refundsOf(run)
    const refused = expect.objectContaining({ name: 'TandemError' })

    it('pays the initiator before the timelock ends, once', async () => {
      const { swap, refunds } = await proposed('apart')
      expect(await failureOf(run.refund(swap))).toBe('would-fail')
      const before = await run.balanceOf(run.user)
      const signed = await apart(swap, refunds)
      const tx = await send(swap, signed)
      expect(await send(swap, signed)).toBe(tx)
      await run.fixture.mine(1)
      expect((await run.readSwap(swap)).swap).toMatchObject({ phase: 'refunded', secret: null })
      expectWithin((await run.balanceOf(run.user)) - before, paid(refunds) - run.fixture.feeAllowance, paid(refunds))
      expect(refunds.every(({ amount, pays }) => amount - pays <= run.fixture.feeAllowance)).toBe(true)
      expect(await send(swap, signed)).toBe(tx)
    })

    it.each([false, true])('rebroadcasts after a reorg, with the same transaction; dropped by the nodes: %s', async (drop) => {
      const { swap, signed } = await signedApart()
      const tx = await send(swap, signed)
      await run.fixture.mine(1)
      await run.fixture.reorg(1, { drop })
      expect(await send(swap, signed)).toBe(tx)
      expect(attempts(swap)).toHaveLength(1)
      await run.fixture.mine(1)
      expect((await run.readSwap(swap)).swap.phase).toBe('refunded')
    })

    it('sends nothing if a reorg removed its deposit', async () => {
      const swap = await run.propose(run.user, run.solver)
      await run.fixture.fund(await run.fundingOf(swap))
      await run.fixture.mine(1)
      const { signed } = await signedApart(swap)
      await run.fixture.reorg(1, { drop: true })
      expect(['superseded', 'would-fail']).toContain(await failureOf(send(swap, signed)))
      expect(attempts(swap)).toEqual([])
    })

    it('is superseded by a redeem, and does not compete with it', async () => {
      const { swap, signed } = await signedApart()
      await redeemed(swap, (await run.spendOf(swap, '')).deposits)
      expect(await failureOf(send(swap, signed))).toBe('superseded')
      expect(attempts(swap)).toEqual([])
      await run.fixture.mine(1)
      expect((await run.readSwap(swap)).swap).toMatchObject({ phase: 'redeemed', secret: swap.secret })
    })

    itWithSeveral('leaves out deposits that it or somebody else has spent since', async () => {
      const { swap, signed: early } = await signedApart()
      const tx = await send(swap, early)
      await run.fixture.mine(1)
      const funding = await run.fundingOf(swap)
      await run.fixture.fund(funding)
      await run.fixture.underfund(swap.terms, funding)
      await run.fixture.mine(1)
      const { signed: later } = await signedApart(swap)
      const [taken, left] = later
      if (taken === undefined || left === undefined) throw new Error('two more refunds were signed')
      const redeem = await redeemed(swap, [{ id: taken.deposit, amount: taken.amount }])
      const second = await send(swap, [...early, ...later])
      expect(second).not.toBe(tx)
      await run.fixture.mine(1)
      const { deposits } = (await run.readSwap(swap)).swap
      const spends = new Map(deposits.map(({ id, spend }) => [id, spend?.tx]))
      expect([...early, taken, left].map(({ deposit }) => spends.get(deposit))).toEqual([tx, redeem, second])
      expect(await send(swap, early)).toBe(tx)
      expect(await send(swap, [left])).toBe(second)
      await expect(send(swap, [taken])).rejects.toMatchObject({
        kind: 'superseded',
        message: expect.stringContaining(`${taken.deposit} was spent by ${redeem}`),
      })
    })

    it('sends nothing without a valid signature for every refund', async () => {
      const { swap, signed } = await signedApart()
      const { signed: elsewhere } = await signedApart()
      const [refund] = signed
      if (refund === undefined) throw new Error('a refund was signed')
      const others = [
        { ...refund, pays: refund.pays - 1n },
        { ...refund, to: run.solver.address },
        { ...refund, signature: elsewhere[0]?.signature ?? '' },
        { ...refund, signature: '' },
      ]
      for (const given of [...others.map((other) => [other]), []]) expect(await failureOf(send(swap, given))).toBe('would-fail')
      expect(attempts(swap)).toEqual([])
      await run.fixture.mine(1)
      expect((await run.readSwap(swap)).swap.phase).toBe('initiated')
    })

    if (run.part !== 'whole') return

    it('refuses malformed signatures with a TandemError', async () => {
      const { swap, refunds } = await proposed('apart')
      const { terms } = swap
      const initiator = await userSignatures(swap, refunds)
      const redeemer = await ability().sign(terms, refunds, run.signerOf(run.solver, swap, 'instant-refund'))
      for (const payload of malformedPayloads) {
        await expect(ability().combine(terms, refunds, { initiator, redeemer: payload }), payload).rejects.toThrow(refused)
        const spoiled = { initiator: refunds.map(() => payload), redeemer }
        await expect(ability().combine(terms, refunds, spoiled), payload).rejects.toThrow(refused)
      }
    })

    it('combines signatures for exactly this refund and these terms only', async () => {
      const { swap, terms, refund } = await proposedOne('apart')
      const { refund: elsewhere } = await proposedOne('apart')
      const initiator = await userSignatures(swap, [refund])
      const redeemer = await ability().sign(terms, [refund], run.signerOf(run.solver, swap, 'instant-refund'))
      const combine = (of: HtlcTerms, other: InstantRefund) => ability().combine(of, [other], { initiator, redeemer })
      expect(await combine(terms, refund)).toHaveLength(1)
      for (const other of othersOf(refund, elsewhere.deposit)) await expect(combine(terms, other)).rejects.toThrow(refused)
      await expect(combine({ ...terms, timelock: terms.timelock + 1n }, refund)).rejects.toThrow(refused)
    })

    it('counts for no other HTLC, whatever of its terms differs', async () => {
      const { swap, terms, refund } = await proposedOne('apart')
      const initiator = await userSignatures(swap, [refund])
      const redeemer = await ability().sign(terms, [refund], run.signerOf(run.solver, swap, 'instant-refund'))
      const changes = fc.constantFrom<Partial<HtlcTerms>>(
        { amount: terms.amount + 1n },
        { amount: terms.amount - 1n },
        { timelock: terms.timelock + 1n },
        { timelock: terms.timelock * 2n },
        { secretHash: `${terms.secretHash.slice(0, -1)}${terms.secretHash.endsWith('0') ? '1' : '0'}` },
        { secretHash: '07'.repeat(32) },
      )
      const changed = fc.asyncProperty(fc.array(changes, { minLength: 1, maxLength: 3 }), async (some) => {
        const other: HtlcTerms = Object.assign({}, terms, ...some)
        const { amount } = other
        const same = { ...refund, amount, pays: amount - (refund.amount - refund.pays) }
        // The refund is the one of the other HTLC where its deposit is named by its terms.
        const named = run.fixture.termsAreUsedOnce ? { ...same, deposit: run.fixture.client.swapId(other) } : same
        await expect(ability().combine(other, [named], { initiator, redeemer })).rejects.toThrow(refused)
      })
      await fc.assert(changed, { numRuns: 12 })
    })

    it('is no consent with a digit of it changed', async () => {
      const { swap, terms, refund } = await proposedOne('apart')
      const initiator = await userSignatures(swap, [refund])
      const redeemer = await ability().sign(terms, [refund], run.signerOf(run.solver, swap, 'instant-refund'))
      const changed = fc.asyncProperty(fc.nat(redeemer.length - 1), fc.integer({ min: 0, max: 9 }), async (at, digit) => {
        fc.pre(redeemer[at] !== `${digit}`)
        const other = `${redeemer.slice(0, at)}${digit}${redeemer.slice(at + 1)}`
        await expect(ability().combine(terms, [refund], { initiator, redeemer: other })).rejects.toThrow(refused)
      })
      await fc.assert(changed, { numRuns: 30 })
    })

    it('refunds once, also if a stranger sends the same consent', async () => {
      if (run.fixture.client.cosignedRefund !== undefined) return
      const { swap, signed } = await signedApart()
      const before = await run.balanceOf(run.user)
      const theirs = await ability().send(swap.terms, signed, run.outboxOf(run.solver, swap, 'instant-refund'))
      await run.fixture.mine(1)
      expect(await failureOf(send(swap, signed))).toBe('superseded')
      expect(attempts(swap)).toEqual([])
      expect((await run.readSwap(swap)).swap.deposits.map(({ spend }) => spend?.tx)).toEqual([theirs])
      expect((await run.balanceOf(run.user)) - before).toBe(paid(signed))
    })

    it('lets only the redeemer consent', async () => {
      const { swap, terms, refund } = await proposedOne('apart')
      await expect(ability().sign(terms, [refund], run.signerOf(run.user, swap, 'instant-refund'))).rejects.toThrow('only the redeemer')
    })
  })
}
