/** A family whose users can refund deposits with only a refund package. */
import { describe, expect, it } from 'vitest'
import { type ConformanceRun, required } from '../run.fixture.ts'

export function rescueSuite(run: ConformanceRun): void {
  describe('rescue', () => {
    const rescue = () => required(run.family.rescue, 'rescue')

    async function rescued() {
      const swap = await run.fundedByUser()
      const { privateKey } = required(run.fixture.orderKeys, 'orderKeys in the fixture')
      const { refundPackage } = required(run.fixture.client.orderKeys, 'orderKeys')
      // As read from its owner's file.
      return { swap, kept: JSON.parse(JSON.stringify(refundPackage(swap.terms, privateKey, run.user.address))) }
    }

    it('finds the deposit and refunds it after the timelock, not before', async () => {
      const { swap, kept } = await rescued()
      const node = rescue().connect(kept, required(run.fixture.rescueEndpoints, 'rescueEndpoints'))
      try {
        const [early] = await node.deposits()
        expect(early).toMatchObject({ amount: swap.terms.amount })
        expect(early?.unitsLeft).toBeGreaterThan(0n)
        const request = { deposits: early === undefined ? [] : [early], to: null, feeRate: await node.feeRate(), privateKey: null }
        const refund = rescue().refund(kept, request)
        expect(refund).toMatchObject({ to: run.user.address, pays: swap.terms.amount - refund.fee, timelock: swap.terms.timelock })
        await expect(node.broadcast(refund.transaction)).rejects.toMatchObject({ name: 'ChainFailure' })
        await run.fixture.expire(swap.terms)
        const before = await run.balanceOf(run.user)
        await node.broadcast(refund.transaction)
        await run.fixture.mine(1)
        expect(await node.deposits()).toEqual([])
        expect((await run.look(swap)).swap.phase).toBe('refunded')
        expect((await run.balanceOf(run.user)) - before).toBe(refund.pays)
      } finally {
        await node.close()
      }
    })

    it('refuses a package of another family, or without its terms', async () => {
      const { swap, kept } = await rescued()
      const deposits = (await run.spendOf(swap, '')).deposits
      const request = { deposits, to: null, feeRate: 2_000n, privateKey: null }
      const refused = expect.objectContaining({ code: 'bad_request' })
      expect(() => rescue().refund({ ...kept, family: 'another' }, request)).toThrow(refused)
      expect(() => rescue().refund({ family: kept.family, chain: kept.chain }, request)).toThrow(refused)
    })
  })
}
