// Tests behaviour that all HTLCs share, for tokens and for the native coin.
import { decodeFunctionResult, encodeFunctionData, type Hex, hexToBigInt, zeroAddress, zeroHash } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { htlcErc20 } from './artifacts/htlc-erc20.ts'
import { createHtlcSetup, type HtlcSetup, htlcKinds } from './htlc.fixture.ts'
import { type HtlcOrder, htlcCall, refundTypedData } from './htlc-order.fixture.ts'

const redeemed = 1n
const refunded = 2n
const maxTimelock = 30n * 86_400n

describe.each(htlcKinds)('%s HTLC', (kind) => {
  let setup: HtlcSetup
  beforeEach(async () => {
    setup = await createHtlcSetup(kind)
  })
  const valueToSend = (order: HtlcOrder) => (kind === 'native' ? order.amount : 0n)
  const initiateOnBehalf = (order: HtlcOrder) => setup.send(setup.stranger, htlcCall.initiateOnBehalf(order), valueToSend(order))

  it('names its token and its EIP-712 domain', async () => {
    const token = await setup.fixture.read(setup.htlc, encodeFunctionData({ abi: htlcErc20.abi, functionName: 'token' }))
    expect(hexToBigInt(token)).toBe(hexToBigInt(setup.token))
    const answer = await setup.fixture.read(setup.htlc, encodeFunctionData({ abi: htlcErc20.abi, functionName: 'eip712Domain' }))
    expect(decodeFunctionResult({ abi: htlcErc20.abi, functionName: 'eip712Domain', data: answer })).toEqual([
      '0x0f',
      setup.domain.name,
      '1',
      31337n,
      expect.stringMatching(new RegExp(`^${setup.htlc}$`, 'i')),
      zeroHash,
      [],
    ])
  })

  it('has the order id that both parties compute beforehand', async () => {
    const order = setup.newOrder()
    const args = [order.initiator, order.redeemer, order.timelock, order.amount, order.secretHash] as const
    const id = await setup.fixture.read(setup.htlc, encodeFunctionData({ abi: htlcErc20.abi, functionName: 'orderId', args }))
    expect(id).toBe(setup.orderId(order))
  })

  describe('initiate', () => {
    it('takes the amount, stores the time and emits all terms', async () => {
      const order = setup.newOrder()
      expect(await setup.state(order)).toBe(0n)
      const receipt = await setup.initiate(order)
      expect(await setup.balance(setup.htlc)).toBe(order.amount)
      const block = (await setup.fixture.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })) as { timestamp: Hex }
      expect(await setup.state(order)).toBe(hexToBigInt(block.timestamp))
      const { secret: _, ...terms } = order
      expect(setup.events(receipt)).toEqual([{ eventName: 'Initiated', args: { ...terms, orderId: setup.orderId(order) } }])
    })

    it('lets anyone pay for an order that refunds to its initiator', async () => {
      const order = setup.newOrder()
      const before = await setup.balance(setup.initiator.address)
      const receipt = await initiateOnBehalf(order)
      expect(await setup.balance(setup.initiator.address)).toBe(before)
      expect(await setup.balance(setup.htlc)).toBe(order.amount)
      const { secret: _, ...terms } = order
      expect(setup.events(receipt)).toEqual([{ eventName: 'Initiated', args: { ...terms, orderId: setup.orderId(order) } }])
      await setup.expire(order)
      await setup.send(setup.stranger, htlcCall.refund(order))
      expect(await setup.balance(setup.initiator.address)).toBe(before + order.amount)
    })

    it('refuses a repetition while open, after redemption and after refund', async () => {
      const order = await setup.open()
      await expect(setup.initiate(order)).rejects.toThrow('HTLC__DuplicateOrder')
      await expect(initiateOnBehalf(order)).rejects.toThrow('HTLC__DuplicateOrder')
      await setup.send(setup.stranger, htlcCall.redeem(order))
      await expect(setup.initiate(order)).rejects.toThrow('HTLC__DuplicateOrder')
      const other = await setup.open()
      await setup.send(setup.redeemer, htlcCall.instantRefund(other, '0x'))
      await expect(setup.initiate(other)).rejects.toThrow('HTLC__DuplicateOrder')
      await expect(initiateOnBehalf(other)).rejects.toThrow('HTLC__DuplicateOrder')
      expect(await setup.balance(setup.htlc)).toBe(0n)
    })

    it.each([
      ['a zero redeemer', { redeemer: zeroAddress }, 'HTLC__ZeroAddressRedeemer'],
      ['a zero amount', { amount: 0n }, 'HTLC__ZeroAmount'],
      ['a zero timelock', { timelock: 0n }, 'HTLC__InvalidTimelock'],
      ['a timelock above the cap', { timelock: maxTimelock + 1n }, 'HTLC__InvalidTimelock'],
      ['the largest timelock there is', { timelock: 2n ** 256n - 1n }, 'HTLC__InvalidTimelock'],
    ])('refuses %s', async (_, terms, error) => {
      const order = setup.newOrder(terms)
      await expect(setup.initiate(order)).rejects.toThrow(error)
      await expect(initiateOnBehalf(order)).rejects.toThrow(error)
    })

    it('accepts timelocks up to the cap', async () => {
      for (const timelock of [1n, maxTimelock]) expect(await setup.state(await setup.open({ timelock }))).toBeGreaterThan(refunded)
    })

    it('refuses equal parties and the zero address', async () => {
      await expect(setup.initiate(setup.newOrder({ redeemer: setup.initiator.address }))).rejects.toThrow('HTLC__SameInitiatorAndRedeemer')
      await expect(initiateOnBehalf(setup.newOrder({ initiator: setup.redeemer.address }))).rejects.toThrow(
        'HTLC__SameInitiatorAndRedeemer',
      )
      await expect(initiateOnBehalf(setup.newOrder({ initiator: zeroAddress }))).rejects.toThrow('HTLC__ZeroAddressInitiator')
    })
  })

  describe('redeem', () => {
    it('pays the redeemer, whoever calls, and emits the secret', async () => {
      const order = await setup.open()
      const before = await setup.balance(setup.redeemer.address)
      const receipt = await setup.send(setup.stranger, htlcCall.redeem(order))
      expect(await setup.balance(setup.redeemer.address)).toBe(before + order.amount)
      expect(await setup.balance(setup.htlc)).toBe(0n)
      expect(await setup.state(order)).toBe(redeemed)
      expect(setup.events(receipt)).toEqual([{ eventName: 'Redeemed', args: { orderId: setup.orderId(order), secret: order.secret } }])
    })

    it('refuses a wrong secret or any other wrong parameter', async () => {
      const order = await setup.open()
      const wrong: Partial<HtlcOrder>[] = [
        { secret: zeroHash },
        { secret: order.secretHash },
        { initiator: setup.stranger.address },
        { redeemer: setup.stranger.address },
        { timelock: order.timelock + 1n },
        { amount: order.amount - 1n },
      ]
      for (const terms of wrong) {
        await expect(setup.send(setup.redeemer, htlcCall.redeem({ ...order, ...terms }))).rejects.toThrow('HTLC__OrderNotInitiated')
      }
      expect(await setup.balance(setup.htlc)).toBe(order.amount)
    })

    it('happens once', async () => {
      const order = await setup.open()
      await setup.open()
      await setup.send(setup.redeemer, htlcCall.redeem(order))
      await expect(setup.send(setup.redeemer, htlcCall.redeem(order))).rejects.toThrow('HTLC__OrderSettled')
      expect(await setup.balance(setup.htlc)).toBe(order.amount)
    })

    it('stays possible after expiry, until the refund', async () => {
      const late = await setup.open()
      const refundedFirst = await setup.open()
      await setup.expire(refundedFirst)
      await setup.send(setup.stranger, htlcCall.redeem(late))
      await setup.send(setup.stranger, htlcCall.refund(refundedFirst))
      await expect(setup.send(setup.redeemer, htlcCall.redeem(refundedFirst))).rejects.toThrow('HTLC__OrderSettled')
      expect(await setup.state(late)).toBe(redeemed)
    })
  })

  describe('redeemBatch', () => {
    it('pays all orders at once and emits every secret', async () => {
      const orders = [await setup.open(), await setup.open({ amount: 7n }), await setup.open({ timelock: 60n })]
      const before = await setup.balance(setup.redeemer.address)
      const receipt = await setup.send(setup.stranger, htlcCall.redeemBatch(setup.redeemer.address, orders))
      const total = orders.reduce((sum, order) => sum + order.amount, 0n)
      expect(await setup.balance(setup.redeemer.address)).toBe(before + total)
      expect(setup.events(receipt)).toEqual(
        orders.map((order) => ({
          eventName: 'Redeemed',
          args: { orderId: setup.orderId(order), secret: order.secret },
        })),
      )
      for (const order of orders) expect(await setup.state(order)).toBe(redeemed)
    })

    it('skips orders that are settled, unknown, wrong, repeated or of another redeemer', async () => {
      const good = await setup.open()
      const alreadyRedeemed = await setup.open()
      await setup.send(setup.stranger, htlcCall.redeem(alreadyRedeemed))
      const alreadyRefunded = await setup.open()
      await setup.send(setup.redeemer, htlcCall.instantRefund(alreadyRefunded, '0x'))
      const wrongSecret = await setup.open()
      const ofAnother = await setup.open({ redeemer: setup.stranger.address })
      const before = await setup.balance(setup.redeemer.address)
      const batch = [alreadyRedeemed, alreadyRefunded, { ...wrongSecret, secret: zeroHash }, good, good, ofAnother, setup.newOrder()]
      const receipt = await setup.send(setup.stranger, htlcCall.redeemBatch(setup.redeemer.address, batch))
      expect(await setup.balance(setup.redeemer.address)).toBe(before + good.amount)
      expect(setup.events(receipt)).toHaveLength(1)
      expect(await setup.state(good)).toBe(redeemed)
      expect(await setup.state(wrongSecret)).toBeGreaterThan(refunded)
      expect(await setup.state(ofAnother)).toBeGreaterThan(refunded)
      expect(await setup.balance(setup.htlc)).toBe(wrongSecret.amount + ofAnother.amount)
    })

    it('returns the amount that it would pay, and does nothing if that is zero', async () => {
      const orders = [await setup.open(), setup.newOrder()]
      const data = htlcCall.redeemBatch(setup.redeemer.address, orders)
      expect(hexToBigInt(await setup.fixture.read(setup.htlc, data))).toBe(orders[0]?.amount)
      await setup.send(setup.stranger, data)
      const repeated = await setup.send(setup.stranger, data)
      expect(repeated.logs).toEqual([])
      await setup.send(setup.stranger, htlcCall.redeemBatch(setup.redeemer.address, []))
    })
  })

  describe('refund', () => {
    it('pays the initiator from the second of expiry on, whoever calls', async () => {
      const order = await setup.open()
      const before = await setup.balance(setup.initiator.address)
      await setup.expire(order)
      const receipt = await setup.send(setup.stranger, htlcCall.refund(order))
      expect(await setup.balance(setup.initiator.address)).toBe(before + order.amount)
      expect(await setup.state(order)).toBe(refunded)
      expect(setup.events(receipt)).toEqual([{ eventName: 'Refunded', args: { orderId: setup.orderId(order) } }])
    })

    it('fails a second earlier', async () => {
      const order = await setup.open()
      await setup.expire(order, 1n)
      await expect(setup.send(setup.initiator, htlcCall.refund(order))).rejects.toThrow('HTLC__OrderNotExpired')
      expect(await setup.balance(setup.htlc)).toBe(order.amount)
    })

    it('happens once, and not after a redemption or for an unknown order', async () => {
      const order = await setup.open()
      const other = await setup.open()
      await setup.send(setup.redeemer, htlcCall.redeem(other))
      await setup.expire(order)
      await setup.send(setup.stranger, htlcCall.refund(order))
      await expect(setup.send(setup.stranger, htlcCall.refund(order))).rejects.toThrow('HTLC__OrderSettled')
      await expect(setup.send(setup.stranger, htlcCall.refund(other))).rejects.toThrow('HTLC__OrderSettled')
      await expect(setup.send(setup.stranger, htlcCall.refund(setup.newOrder()))).rejects.toThrow('HTLC__OrderNotInitiated')
      await expect(setup.send(setup.stranger, htlcCall.refund({ ...order, timelock: 1n }))).rejects.toThrow('HTLC__OrderNotInitiated')
    })
  })

  describe('instantRefund', () => {
    it('pays the initiator at once when the redeemer calls', async () => {
      const order = await setup.open()
      const before = await setup.balance(setup.initiator.address)
      const receipt = await setup.send(setup.redeemer, htlcCall.instantRefund(order, '0x'))
      expect(await setup.balance(setup.initiator.address)).toBe(before + order.amount)
      expect(await setup.state(order)).toBe(refunded)
      expect(setup.events(receipt)).toEqual([{ eventName: 'Refunded', args: { orderId: setup.orderId(order) } }])
    })

    it("pays the initiator at once with the redeemer's signature", async () => {
      const order = await setup.open()
      const before = await setup.balance(setup.initiator.address)
      const signature = await setup.redeemer.signTypedData(refundTypedData(setup.domain, order))
      await setup.send(setup.stranger, htlcCall.instantRefund(order, signature))
      expect(await setup.balance(setup.initiator.address)).toBe(before + order.amount)
    })

    it('refuses anyone else, and a signature for anything else', async () => {
      const order = await setup.open()
      const other = await setup.open()
      const ofInitiator = await setup.initiator.signTypedData(refundTypedData(setup.domain, order))
      const forOther = await setup.redeemer.signTypedData(refundTypedData(setup.domain, other))
      const elsewhere = await setup.redeemer.signTypedData(refundTypedData({ ...setup.domain, chainId: 1 }, order))
      for (const signature of ['0x', ofInitiator, forOther, elsewhere] as const) {
        await expect(setup.send(setup.initiator, htlcCall.instantRefund(order, signature))).rejects.toThrow('HTLC__InvalidSignature')
      }
      expect(await setup.balance(setup.htlc)).toBe(order.amount + other.amount)
    })

    it('happens once, and not for settled or unknown orders', async () => {
      const order = await setup.open()
      await setup.open()
      const call = htlcCall.instantRefund(order, '0x')
      await setup.send(setup.redeemer, call)
      await expect(setup.send(setup.redeemer, call)).rejects.toThrow('HTLC__OrderSettled')
      await expect(setup.send(setup.redeemer, htlcCall.redeem(order))).rejects.toThrow('HTLC__OrderSettled')
      await expect(setup.send(setup.redeemer, htlcCall.instantRefund(setup.newOrder(), '0x'))).rejects.toThrow('HTLC__OrderNotInitiated')
    })
  })

  it('keeps orders apart that share a secret hash', async () => {
    const order = await setup.open()
    const twin = await setup.open({ secret: order.secret, amount: order.amount + 1n })
    await setup.send(setup.stranger, htlcCall.redeem(order))
    expect(await setup.state(twin)).toBeGreaterThan(refunded)
    expect(await setup.balance(setup.htlc)).toBe(twin.amount)
  })
})
