/** Tests how some families spend HTLCs beyond the core. */

import { orderPurpose } from '@tandem/keys/purpose.ts'
import { describe, expect, it } from 'vitest'
import { type ConformanceRun, expectRepeatHarmless, expectWithin, failureOf, type Party, required, type Swap } from '../run.fixture.ts'

export function payoutFeeSuite(run: ConformanceRun): void {
  describe('payout fee', () => {
    it('is the maximum that a redeem takes out of its amount, even under time pressure', async () => {
      const { client, asset } = run.fixture
      const payoutFee = required(client.payoutFee, 'payoutFee')
      const fees = [await payoutFee(asset)]
      const swap = await run.fundedByUser()
      const before = await run.balanceOf(run.solver)
      const outbox = run.solver.outbox.open(`${swap.key}/redeem`, { purpose: run.purposeOf(swap, 'redeem'), secondsLeft: 1n })
      await client.redeem(swap.terms, { ...(await run.spendOf(swap, run.solver.address)), secret: swap.secret }, outbox)
      await run.fixture.mine(1)
      // A node's estimate may change while the test runs.
      fees.push(await payoutFee(asset))
      const maxFee = fees.reduce((highest, fee) => (fee > highest ? fee : highest))
      expectWithin(swap.terms.amount - ((await run.balanceOf(run.solver)) - before), 1n, maxFee)
    })

    it('fails for an asset that the chain does not have', async () => {
      const { client } = run.fixture
      await expect(required(client.payoutFee, 'payoutFee')(`${client.chain.id}:nothing`)).rejects.toThrow(/nothing/)
    })
  })
}

export function payoutGasSuite(run: ConformanceRun): void {
  describe('gas with the payout', () => {
    const coins = (address: string) => run.fixture.client.balance(run.fixture.client.chain.nativeAsset, address)
    const minAmount = () => required(run.fixture.client.payoutGas, 'payoutGas').minAmount
    const giving = (swap: Swap, gas: bigint) => {
      const action = { order: swap.key, leg: 'destination', verb: 'redeem', terms: swap.terms, gas } as const
      return run.user.outbox.open(`${swap.key}/redeem`, { purpose: orderPurpose(run.fixture.client.chain.id, action) })
    }
    /** The solver has paid in for a new account. The user's key stands for the relay key. */
    const fundedForNewAccount = async () => {
      const recipient = await required(run.fixture.emptyRecipient, 'emptyRecipient in the fixture')()
      const swap = await run.propose(run.solver, recipient)
      await run.initiate(swap)
      await run.confirm()
      const spend = await run.spendOf(swap, recipient.address)
      const redeem = (gas: bigint) => run.fixture.client.redeem(swap.terms, { ...spend, secret: swap.secret, gas }, giving(swap, gas))
      return { recipient, swap, redeem }
    }

    it('gives an account that has none exactly the amount, with the payout, once', async () => {
      const { client, asset } = run.fixture
      const { recipient, swap, redeem } = await fundedForNewAccount()
      expect(await coins(recipient.address)).toBe(0n)
      const gas = minAmount() + 12_345n
      const before = await coins(run.user.address)
      const tx = await redeem(gas)
      expect(await redeem(gas)).toBe(tx)
      await run.confirm()
      expect(await coins(recipient.address)).toBe(gas)
      expect(await client.balance(asset, recipient.address)).toBe(swap.terms.amount)
      expect(before - (await coins(run.user.address))).toBeGreaterThanOrEqual(gas)
      await expectRepeatHarmless(redeem(gas), tx)
      await run.fixture.mine(1)
      expect(await coins(recipient.address)).toBe(gas)
      expect((await run.readSwap(swap)).swap).toMatchObject({ phase: 'redeemed', secret: swap.secret })
    })

    it('gives nothing if the HTLC is not redeemed by this transaction', async () => {
      const { recipient, swap, redeem } = await fundedForNewAccount()
      const first = run.solver.outbox.open(`${swap.key}/redeem`, { purpose: run.purposeOf(swap, 'redeem') })
      const spend = await run.spendOf(swap, recipient.address)
      await run.fixture.client.redeem(swap.terms, { ...spend, secret: swap.secret }, first)
      await run.confirm()
      expect(await failureOf(redeem(minAmount() + 1n))).toBe('superseded')
      expect(await coins(recipient.address)).toBe(0n)
    })
  })
}

export function orderKeysSuite(run: ConformanceRun): void {
  describe('order keys', () => {
    const ability = () => required(run.fixture.client.orderKeys, 'orderKeys')

    it("parses the user's public key as a party of an HTLC, and returns null for other texts", () => {
      const key = ability().parseUserKey(run.user.identity)
      expect(key?.identity).toBe(run.user.identity)
      expect(run.fixture.client.text.parseAddress(key?.address ?? '')).toBe(key?.address)
      for (const text of ['', 'nonsense', run.user.address, run.user.identity.slice(2)]) expect(ability().parseUserKey(text)).toBeNull()
    })

    it('accepts a proof only for its address and its message', () => {
      const { proveAddress } = required(run.fixture.orderKeys, 'orderKeys in the fixture')
      const proof = proveAddress(run.user.address, 'a message')
      const { verifyMessage } = ability()
      expect(() => verifyMessage(run.user.address, 'a message', proof)).not.toThrow()
      const refused = expect.objectContaining({ code: 'invalid_signature' })
      expect(() => verifyMessage(run.user.address, 'another message', proof)).toThrow(refused)
      expect(() => verifyMessage(run.solver.address, 'a message', proof)).toThrow(refused)
      for (const nonsense of ['', 'nonsense']) expect(() => verifyMessage(run.user.address, 'a message', nonsense)).toThrow(refused)
    })

    it('creates a refund package that names its family and chain, and survives JSON', async () => {
      const { privateKey } = required(run.fixture.orderKeys, 'orderKeys in the fixture')
      const { terms } = await run.propose(run.user, run.solver)
      const refundPackage = ability().refundPackage(terms, privateKey, run.user.address)
      expect(refundPackage).toMatchObject({ family: run.family.name, chain: run.fixture.client.chain.id })
      expect(JSON.parse(JSON.stringify(refundPackage))).toEqual(refundPackage)
      expect(JSON.stringify(ability().refundPackage(terms, null, null))).not.toContain(privateKey)
    })
  })
}

export function batchRedeemSuite(run: ConformanceRun): void {
  describe('batch redeem', () => {
    const ability = () => required(run.fixture.client.batchRedeem, 'batchRedeem')

    it('redeems several HTLCs in one transaction, once, and shows every secret', async () => {
      const { swaps, items, total } = await run.fundedBatch()
      const before = await run.balanceOf(run.solver)
      const key = `${swaps[0]?.key}/batch`
      const redeem = () => ability().redeem(items, run.solver.outbox.open(key, { purpose: run.batchPurposeOf(swaps) }))
      const tx = await redeem()
      expect(await redeem()).toBe(tx)
      expect(run.solver.outbox.attempts(key)).toHaveLength(1)
      await run.fixture.mine(1)
      for (const swap of swaps) expect((await run.readSwap(swap)).swap).toMatchObject({ phase: 'redeemed', secret: swap.secret })
      expectWithin((await run.balanceOf(run.solver)) - before, total - run.fixture.feeAllowance, total)
    })

    it('says which cannot be redeemed, where it can tell, and pays the others when one was settled meanwhile', async () => {
      const { swaps, items } = await run.fundedBatch()
      const [settled, open] = swaps
      if (settled === undefined || open === undefined) throw new Error('expected two')
      expect(await ability().areRedeemable(items)).toEqual([true, true])
      await run.redeem(settled)
      await run.fixture.mine(1)
      expect((await ability().areRedeemable(items))[1]).toBe(true)
      await ability().redeem(items, run.solver.outbox.open(`${open.key}/batch`, { purpose: run.batchPurposeOf(swaps) }))
      await run.fixture.mine(1)
      for (const swap of swaps) expect((await run.readSwap(swap)).swap).toMatchObject({ phase: 'redeemed' })
    })
  })
}

export function rentSuite(run: ConformanceRun): void {
  describe('rent', () => {
    const ability = () => required(run.fixture.client.rent, 'rent')
    const giveBack = (swap: Swap) => ability().giveBack(swap.terms, run.outboxOf(run.solver, swap, 'close'))
    const attempts = (swap: Swap) => run.solver.outbox.attempts(`${swap.key}/close`)
    const coins = ({ address }: Party) => run.fixture.client.balance(run.fixture.client.chain.nativeAsset, address)
    /** The user funded the swap and thereby paid the rent. The solver redeemed it. */
    const settled = async (): Promise<Swap> => {
      const swap = await run.fundedByUser()
      await run.redeem(swap)
      await run.confirm()
      return swap
    }

    it('the chain says that it has this ability', () => {
      expect(run.fixture.client.chain.settledHtlcKeepsRent).toBe(true)
    })

    it('a swap without an account keeps none; an open one cannot be closed', async () => {
      const swap = await run.propose(run.user, run.solver)
      expect(await ability().keptUntil(swap.terms)).toBeNull()
      expect(await failureOf(giveBack(swap))).toBe('superseded')
      const open = await run.fundedByUser()
      expect(await failureOf(giveBack(open))).toBe('would-fail')
      expect([...attempts(swap), ...attempts(open)]).toEqual([])
    })

    it('is kept until its time, and then goes back to its payer, once', async () => {
      const swap = await settled()
      const until = required((await ability().keptUntil(swap.terms)) ?? undefined, 'the rent of a settled swap')
      expect(await failureOf(giveBack(swap))).toBe('would-fail')
      expect(attempts(swap)).toEqual([])
      await required(run.fixture.passTime, 'passTime in the fixture')(until)
      const [user, solver] = [await coins(run.user), await coins(run.solver)]
      const tx = await giveBack(swap)
      expect(await giveBack(swap)).toBe(tx)
      await run.confirm()
      expect(await ability().keptUntil(swap.terms)).toBeNull()
      expect(await coins(run.user)).toBeGreaterThan(user)
      // The solver pays only the fee.
      expect((solver - (await coins(run.solver))) * 100n).toBeLessThan((await coins(run.user)) - user)
      expect(await failureOf(giveBack(swap))).toBe('superseded')
      expect(attempts(swap)).toHaveLength(1)
      expect((await run.readSwap(swap)).swap.phase).toBe('redeemed')
    })

    it('states order, leg and terms as its purpose', async () => {
      const swap = await settled()
      await required(run.fixture.passTime, 'passTime in the fixture')((await ability().keptUntil(swap.terms)) ?? 0n)
      await run.expectPurpose(run.solver, swap, 'close', () => giveBack(swap))
      await run.confirm()
    })
  })
}
