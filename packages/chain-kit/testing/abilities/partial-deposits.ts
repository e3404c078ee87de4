/** Tests a family where anyone may send any amount to an HTLC: the redeemer signs which deposits it pays for. */
import type { Fill } from '@tandem/protocol/fill.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { describe, expect, it } from 'vitest'
import { type ConformanceRun, expectWithin, required } from '../run.fixture.ts'

export function partialDepositsSuite(run: ConformanceRun): void {
  describe('partial deposits', () => {
    const ability = () => required(run.fixture.client.partialDeposits, 'partialDeposits')
    const orderId = 'ab'.repeat(32)

    it('sees each deposit separately, of any amount', async () => {
      const swap = await run.propose(run.user, run.solver)
      const funding = await run.fundingOf(swap)
      await run.fixture.underfund(swap.terms, funding)
      await run.fixture.fund(funding)
      await run.confirm()
      const { deposits } = (await run.readSwap(swap)).swap
      expect(deposits.map(({ amount }) => amount === swap.terms.amount).toSorted()).toEqual([false, true])
      expect(new Set(deposits.map(({ id }) => id)).size).toBe(2)
    })

    it('loses only the deposits that a reorg dropped', async () => {
      const swap = await run.propose(run.user, run.solver)
      const funding = await run.fundingOf(swap)
      await run.fixture.fund(funding)
      await run.fixture.mine(1)
      const before = (await run.readSwap(swap)).swap.deposits
      await run.fixture.underfund(swap.terms, funding)
      await run.fixture.mine(1)
      expect((await run.readSwap(swap)).swap.deposits).toHaveLength(2)
      await run.fixture.reorg(1, { drop: true })
      expect((await run.readSwap(swap)).swap.deposits.map(({ id, amount }) => ({ id, amount }))).toEqual(
        before.map(({ id, amount }) => ({ id, amount })),
      )
    })

    it.each(['redeemed', 'refunded'] as const)('several deposits are %s in one transaction', async (phase) => {
      const swap = await run.propose(run.user, run.solver)
      const funding = await run.fundingOf(swap)
      await run.fixture.fund(funding)
      await run.fixture.underfund(swap.terms, funding)
      await run.confirm()
      const deposits = (await run.readSwap(swap)).swap.deposits.map(({ id, amount }) => ({ id, amount }))
      const payee = phase === 'redeemed' ? run.solver : run.user
      if (phase === 'refunded') await run.fixture.expire(swap.terms)
      const before = await run.balanceOf(payee)
      const { client } = run.fixture
      const spend = { deposits, to: payee.address }
      const tx = await (phase === 'redeemed'
        ? client.redeem(swap.terms, { ...spend, secret: swap.secret }, run.outboxOf(run.solver, swap, 'redeem'))
        : client.refund(swap.terms, spend, run.outboxOf(run.user, swap, 'refund')))
      await run.fixture.mine(1)
      const after = (await run.readSwap(swap)).swap
      expect(after.phase).toBe(phase)
      expect(after.deposits.map((deposit) => deposit.spend?.tx)).toEqual([tx, tx])
      const total = deposits.reduce((sum, { amount }) => sum + amount, 0n)
      expectWithin((await run.balanceOf(payee)) - before, total - run.fixture.feeAllowance, total)
    })

    if (run.part !== 'whole') return

    it('signs a fill that every party can verify, valid for exactly that order and fill', async () => {
      const swap = { ...(await run.propose(run.user, run.solver)), key: orderId }
      const { terms } = swap
      const fill: Fill = { deposits: ['first', 'second'], blockHash: 'ab'.repeat(32), destinationAmount: 990_000n }
      const signature = await ability().signFill(terms, orderId, fill, run.signerOf(run.solver, swap, 'fill'))
      const { verifyFill } = required(run.fixture.secondClient.partialDeposits, 'partialDeposits')
      expect(verifyFill(terms, orderId, fill, signature)).toBe(true)
      const another = await run.propose(run.user, run.solver)
      const others: Readonly<Record<string, readonly [HtlcTerms, string, Fill]>> = {
        'another swap': [another.terms, orderId, fill],
        'another redeemer': [{ ...terms, redeemer: terms.initiator }, orderId, fill],
        'another order': [terms, 'cd'.repeat(32), fill],
        'fewer deposits': [terms, orderId, { ...fill, deposits: ['first'] }],
        'other deposits': [terms, orderId, { ...fill, deposits: ['first', 'third'] }],
        'another sequence': [terms, orderId, { ...fill, deposits: ['second', 'first'] }],
        'another spelling of the same list': [terms, orderId, { ...fill, deposits: [fill.deposits.join('","')] }],
        'another block': [terms, orderId, { ...fill, blockHash: 'cd'.repeat(32) }],
        'another amount': [terms, orderId, { ...fill, destinationAmount: 990_001n }],
      }
      for (const [name, [ofTerms, ofOrder, ofFill]] of Object.entries(others))
        expect(verifyFill(ofTerms, ofOrder, ofFill, signature), name).toBe(false)
      const malformed: Readonly<Record<string, string>> = {
        empty: '',
        'no signature': 'nonsense',
        'not hex': 'x'.repeat(signature.length),
        'half a signature': signature.slice(signature.length / 2),
        'capital letters': signature.toUpperCase(),
        'a byte more': `${signature}00`,
        'a byte less': signature.slice(2),
      }
      for (const [name, given] of Object.entries(malformed)) expect(verifyFill(terms, orderId, fill, given), name).toBe(false)
    })

    it('signs only with the key of the redeemer', async () => {
      const swap = { ...(await run.propose(run.user, run.solver)), key: orderId }
      const fill: Fill = { deposits: ['first'], blockHash: '', destinationAmount: 1n }
      await expect(ability().signFill(swap.terms, orderId, fill, run.signerOf(run.user, swap, 'fill'))).rejects.toThrow('only the redeemer')
    })
  })
}
