/** A family where anyone may send any amount to an HTLC: the redeemer signs which deposits it pays for. */
import { describe, expect, it } from 'vitest'
import type { Fill } from '../../../protocol/fill.ts'
import { type ConformanceRun, required } from '../run.fixture.ts'

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
      const { deposits } = (await run.look(swap)).swap
      expect(deposits.map(({ amount }) => amount === swap.terms.amount).toSorted()).toEqual([false, true])
      expect(new Set(deposits.map(({ id }) => id)).size).toBe(2)
    })

    it('signs a fill that every party can verify, valid for exactly that order and fill', async () => {
      const { terms } = await run.propose(run.user, run.solver)
      const fill: Fill = { deposits: ['first', 'second'], blockHash: 'ab'.repeat(32), destinationAmount: 990_000n }
      const signature = ability().signFill(terms, orderId, fill, run.solver.signer)
      const { verifyFill } = required(run.fixture.secondClient.partialDeposits, 'partialDeposits')
      expect(verifyFill(terms, orderId, fill, signature)).toBe(true)
      const another = await run.propose(run.user, run.solver)
      for (const [ofTerms, ofOrder, ofFill, given] of [
        [another.terms, orderId, fill, signature],
        [{ ...terms, redeemer: terms.initiator }, orderId, fill, signature],
        [terms, 'cd'.repeat(32), fill, signature],
        [terms, orderId, { ...fill, deposits: ['first'] }, signature],
        [terms, orderId, { ...fill, deposits: ['second', 'first'] }, signature],
        [terms, orderId, { ...fill, blockHash: 'cd'.repeat(32) }, signature],
        [terms, orderId, { ...fill, destinationAmount: 990_001n }, signature],
        [terms, orderId, fill, ''],
        [terms, orderId, fill, 'nonsense'],
        [terms, orderId, fill, signature.toUpperCase()],
        [terms, orderId, fill, `${signature}00`],
        [terms, orderId, fill, signature.slice(2)],
      ] as const)
        expect(verifyFill(ofTerms, ofOrder, ofFill, given)).toBe(false)
    })

    it('signs only with the key of the redeemer', async () => {
      const { terms } = await run.propose(run.user, run.solver)
      const fill: Fill = { deposits: ['first'], blockHash: '', destinationAmount: 1n }
      expect(() => ability().signFill(terms, orderId, fill, run.user.signer)).toThrow()
    })
  })
}
