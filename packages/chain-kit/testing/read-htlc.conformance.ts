/** Tests `readHtlc`: what the nodes say of an HTLC at this moment, for its exact terms. */
import { containsSecret } from '@tandem/party/engine/evidence/contains-secret.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { describe, expect, it } from 'vitest'
import type { DepositReading } from '../port/htlc-reading.ts'
import type { ConformanceRun, Swap } from './run.fixture.ts'

const OVER = ['redeemed', 'refunded', 'gone']

export function describeReadHtlc(run: ConformanceRun): void {
  describe('reading an HTLC', () => {
    const depositsOf = async (swap: Swap) => (await run.readSwap(swap)).swap.deposits.map(({ id }) => id)
    const read = async (terms: HtlcTerms, deposits: readonly string[]): Promise<readonly DepositReading[]> => {
      const { client } = run.fixture
      const reading = await client.readHtlc(terms, deposits)
      expect(reading).toMatchObject({ chain: client.chain.id, swapId: client.swapId(terms) })
      expect(reading.asOfMs).toBeLessThanOrEqual(performance.now())
      return reading.deposits
    }

    it('is not open before it is initiated, open with its amount after, and over after a redeem', async () => {
      const swap = await run.propose(run.user, run.solver)
      expect((await read(swap.terms, [])).map(({ state }) => state).filter((state) => state !== 'absent')).toEqual([])
      await run.fixture.fund(await run.fundingOf(swap))
      await run.confirm()
      const ids = await depositsOf(swap)
      expect(ids).toHaveLength(1)
      expect(await read(swap.terms, ids)).toEqual([{ id: ids[0], state: 'open', amount: swap.terms.amount }])
      await run.redeem(swap)
      await run.fixture.mine(1)
      const [redeemed] = await read(swap.terms, ids)
      expect(OVER).toContain(redeemed?.state)
      expect(redeemed?.state).not.toBe('refunded')
    })

    it('is redeemed by a transaction that is recognized as one that shows its secret', async () => {
      const swap = await run.fundedByUser()
      await run.redeem(swap)
      const attempts = run.solver.outbox.attempts(`${swap.key}/redeem`)
      expect(attempts.length).toBeGreaterThan(0)
      expect(attempts.map(({ raw }) => [containsSecret(raw, swap.secret), containsSecret(raw, createSecret())])).toContainEqual([
        true,
        false,
      ])
      await run.fixture.mine(1)
    })

    it('is over after a refund', async () => {
      const swap = await run.fundedByUser()
      const ids = await depositsOf(swap)
      await run.fixture.expire(swap.terms)
      await run.refund(swap)
      await run.fixture.mine(1)
      const [refunded] = await read(swap.terms, ids)
      expect(OVER).toContain(refunded?.state)
      expect(refunded?.state).not.toBe('redeemed')
    })

    it('is open for no other terms than its own', async () => {
      const { terms, ...swap } = await run.fundedByUser()
      const ids = await depositsOf({ terms, ...swap })
      const others: readonly HtlcTerms[] = [
        { ...terms, secretHash: hashSecret(createSecret()) },
        { ...terms, initiator: terms.redeemer, redeemer: terms.initiator },
        ...(run.fixture.client.chain.deposits.kind === 'exact' ? [{ ...terms, amount: terms.amount + 1n }] : []),
      ]
      for (const other of others) expect((await read(other, ids)).filter(({ state }) => state === 'open')).toEqual([])
    })

    it('is not open after a reorg dropped it', async () => {
      const swap = await run.propose(run.user, run.solver)
      await run.fixture.fund(await run.fundingOf(swap))
      await run.fixture.mine(1)
      const ids = await depositsOf(swap)
      expect((await read(swap.terms, ids)).map(({ state }) => state)).toEqual(['open'])
      await run.fixture.reorg(1, { drop: true })
      expect((await read(swap.terms, ids)).map(({ state }) => state)).not.toContain('open')
    })
  })
}
