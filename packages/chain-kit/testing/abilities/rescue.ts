/** Tests a family whose users can refund deposits with only a refund package. */
import { createSecret } from '@tandem/protocol/secret.ts'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { RescueRequest } from '../../port/abilities/rescue.ts'
import type { SpendableDeposit } from '../../port/spend.ts'
import { type ConformanceRun, required, type Swap } from '../run.fixture.ts'

export function rescueSuite(run: ConformanceRun): void {
  describe('rescue', () => {
    const rescue = () => required(run.family.rescue, 'rescue')

    const userKey = () => required(run.fixture.orderKeys, 'orderKeys in the fixture').privateKey
    function packageOf({ terms }: Swap, key: string | null, refundAddress: string | null) {
      const { refundPackage } = required(run.fixture.client.orderKeys, 'orderKeys')
      return JSON.parse(JSON.stringify(refundPackage(terms, key, refundAddress)))
    }
    async function rescued() {
      const swap = await run.fundedByUser()
      return { swap, kept: packageOf(swap, userKey(), run.user.address) }
    }
    async function requested() {
      const { swap, kept } = await rescued()
      const node = rescue().connect(kept, required(run.fixture.rescueEndpoints, 'rescueEndpoints'))
      const feeRate = await node.feeRate()
      await node.close()
      const { deposits } = await run.spendOf(swap, '')
      return { swap, kept, request: { deposits, to: null, feeRate, privateKey: null } satisfies RescueRequest }
    }
    /** The error must have this `code`, and must not contain the user's key. */
    function expectRefused(work: () => unknown, words: RegExp, code = 'bad_request'): void {
      expect(work).toThrow(expect.objectContaining({ code, message: expect.stringMatching(words) }))
      expect(work).toThrow(expect.objectContaining({ message: expect.not.stringContaining(userKey()) }))
    }

    it('finds the deposit and refunds it after the timelock, not before', async () => {
      const { swap, kept } = await rescued()
      const node = rescue().connect(kept, required(run.fixture.rescueEndpoints, 'rescueEndpoints'))
      onTestFinished(() => node.close())
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
      expect((await run.readSwap(swap)).swap.phase).toBe('refunded')
      expect((await run.balanceOf(run.user)) - before).toBe(refund.pays)
    })

    it('searches only the named deposits', async () => {
      const { swap, kept } = await rescued()
      const elsewhere = await run.fundedByUser()
      const node = rescue().connect(kept, required(run.fixture.rescueEndpoints, 'rescueEndpoints'))
      onTestFinished(() => node.close())
      const [own, other] = [await run.spendOf(swap, ''), await run.spendOf(elsewhere, '')].map(({ deposits }) =>
        deposits.map(({ id }) => id),
      )
      expect((await node.deposits([...(other ?? []), ...(own ?? [])])).map(({ id }) => id)).toEqual(own)
      expect(await node.deposits(other)).toEqual([])
    })

    it('needs the key of the initiator where the package has none, and accepts no other', async () => {
      const { swap, request } = await requested()
      const kept = packageOf(swap, null, run.user.address)
      expectRefused(() => rescue().refund(kept, request), /has no private key/)
      expectRefused(() => rescue().refund(kept, { ...request, privateKey: createSecret() }), /does not belong to this refund package/)
      expectRefused(() => rescue().refund(kept, { ...request, privateKey: userKey().slice(1) }), /./)
      expect(rescue().refund(kept, { ...request, privateKey: userKey() }).pays).toBeGreaterThan(0n)
    })

    it('pays to the requested address, which must be one of this chain, or to that of the package', async () => {
      const { swap, kept, request } = await requested()
      expect(rescue().refund(kept, request).to).toBe(run.user.address)
      expect(rescue().refund(kept, { ...request, to: run.solver.address }).to).toBe(run.solver.address)
      for (const to of run.fixture.addresses.wrongNetwork)
        expectRefused(() => rescue().refund(kept, { ...request, to }), /./, 'invalid_address')
      expectRefused(() => rescue().refund(packageOf(swap, userKey(), null), request), /has no refund address/)
    })

    it('refuses a request without deposits, with one twice, of nothing, or without an id', async () => {
      const { kept, request } = await requested()
      const [deposit] = request.deposits
      if (deposit === undefined) throw new Error('the swap has a deposit')
      const refund = (deposits: readonly SpendableDeposit[]) => () => rescue().refund(kept, { ...request, deposits })
      expectRefused(refund([]), /no deposit to refund/)
      expectRefused(refund([deposit, deposit]), /named twice/)
      expectRefused(refund([{ ...deposit, amount: 0n }]), /is not a deposit/)
      expectRefused(refund([{ ...deposit, id: 'nonsense' }]), /is not a deposit/)
    })

    it('refuses a package of another family, or without its terms', async () => {
      const { kept, request } = await requested()
      expectRefused(() => rescue().refund({ ...kept, family: 'another' }, request), /./)
      expectRefused(() => rescue().refund({ family: kept.family, chain: kept.chain }, request), /./)
    })
  })
}
