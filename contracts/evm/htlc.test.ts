// What both HTLCs promise, whatever they lock.
import { decodeFunctionResult, encodeFunctionData, type Hex, hexToBigInt, zeroAddress, zeroHash } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { htlcErc20 } from './artifacts/htlc-erc20.ts'
import { createHtlcScene, type HtlcKind, type HtlcScene } from './htlc.fixture.ts'
import { type HtlcOrder, htlcCall, refundTypedData } from './htlc-order.fixture.ts'

const redeemed = 1n
const refunded = 2n
const maxTimelock = 30n * 86_400n

describe.each<HtlcKind>(['ERC-20', 'native'])('%s HTLC', (kind) => {
  let scene: HtlcScene
  beforeEach(async () => {
    scene = await createHtlcScene(kind)
  })
  const valueToSend = (order: HtlcOrder) => (kind === 'native' ? order.amount : 0n)
  const initiateOnBehalf = (order: HtlcOrder) => scene.send(scene.stranger, htlcCall.initiateOnBehalf(order), valueToSend(order))

  it('names its token and its EIP-712 domain', async () => {
    const token = await scene.fixture.read(scene.htlc, encodeFunctionData({ abi: htlcErc20.abi, functionName: 'token' }))
    expect(hexToBigInt(token)).toBe(hexToBigInt(scene.token))
    const answer = await scene.fixture.read(scene.htlc, encodeFunctionData({ abi: htlcErc20.abi, functionName: 'eip712Domain' }))
    expect(decodeFunctionResult({ abi: htlcErc20.abi, functionName: 'eip712Domain', data: answer })).toEqual([
      '0x0f',
      scene.domain.name,
      '1',
      31337n,
      expect.stringMatching(new RegExp(`^${scene.htlc}$`, 'i')),
      zeroHash,
      [],
    ])
  })

  it('has the order id that both parties compute beforehand', async () => {
    const order = scene.newOrder()
    const args = [order.initiator, order.redeemer, order.timelock, order.amount, order.secretHash] as const
    const id = await scene.fixture.read(scene.htlc, encodeFunctionData({ abi: htlcErc20.abi, functionName: 'orderId', args }))
    expect(id).toBe(scene.orderId(order))
  })

  describe('initiate', () => {
    it('takes the money, notes the time and tells everything', async () => {
      const order = scene.newOrder()
      expect(await scene.state(order)).toBe(0n)
      const receipt = await scene.initiate(order)
      expect(await scene.balance(scene.htlc)).toBe(order.amount)
      const block = (await scene.fixture.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })) as { timestamp: Hex }
      expect(await scene.state(order)).toBe(hexToBigInt(block.timestamp))
      const { secret: _, ...terms } = order
      expect(scene.events(receipt)).toEqual([{ eventName: 'Initiated', args: { ...terms, orderId: scene.orderId(order) } }])
    })

    it('lets anyone pay for an order that refunds to its initiator', async () => {
      const order = scene.newOrder()
      const before = await scene.balance(scene.initiator.address)
      const receipt = await initiateOnBehalf(order)
      expect(await scene.balance(scene.initiator.address)).toBe(before)
      expect(await scene.balance(scene.htlc)).toBe(order.amount)
      const { secret: _, ...terms } = order
      expect(scene.events(receipt)).toEqual([{ eventName: 'Initiated', args: { ...terms, orderId: scene.orderId(order) } }])
      await scene.expire(order)
      await scene.send(scene.stranger, htlcCall.refund(order))
      expect(await scene.balance(scene.initiator.address)).toBe(before + order.amount)
    })

    it('refuses a repetition while open, after redemption and after refund', async () => {
      const order = await scene.open()
      await expect(scene.initiate(order)).rejects.toThrow('HTLC__DuplicateOrder')
      await expect(initiateOnBehalf(order)).rejects.toThrow('HTLC__DuplicateOrder')
      await scene.send(scene.stranger, htlcCall.redeem(order))
      await expect(scene.initiate(order)).rejects.toThrow('HTLC__DuplicateOrder')
      const other = await scene.open()
      await scene.send(scene.redeemer, htlcCall.instantRefund(other, '0x'))
      await expect(scene.initiate(other)).rejects.toThrow('HTLC__DuplicateOrder')
      await expect(initiateOnBehalf(other)).rejects.toThrow('HTLC__DuplicateOrder')
      expect(await scene.balance(scene.htlc)).toBe(0n)
    })

    it.each([
      ['a zero redeemer', { redeemer: zeroAddress }, 'HTLC__ZeroAddressRedeemer'],
      ['a zero amount', { amount: 0n }, 'HTLC__ZeroAmount'],
      ['a zero timelock', { timelock: 0n }, 'HTLC__InvalidTimelock'],
      ['a timelock above the cap', { timelock: maxTimelock + 1n }, 'HTLC__InvalidTimelock'],
      ['the largest timelock there is', { timelock: 2n ** 256n - 1n }, 'HTLC__InvalidTimelock'],
    ])('refuses %s', async (_, terms, error) => {
      const order = scene.newOrder(terms)
      await expect(scene.initiate(order)).rejects.toThrow(error)
      await expect(initiateOnBehalf(order)).rejects.toThrow(error)
    })

    it('accepts timelocks up to the cap', async () => {
      for (const timelock of [1n, maxTimelock]) expect(await scene.state(await scene.open({ timelock }))).toBeGreaterThan(refunded)
    })

    it('refuses parties that are the same or nobody', async () => {
      await expect(scene.initiate(scene.newOrder({ redeemer: scene.initiator.address }))).rejects.toThrow('HTLC__SameInitiatorAndRedeemer')
      await expect(initiateOnBehalf(scene.newOrder({ initiator: scene.redeemer.address }))).rejects.toThrow(
        'HTLC__SameInitiatorAndRedeemer',
      )
      await expect(initiateOnBehalf(scene.newOrder({ initiator: zeroAddress }))).rejects.toThrow('HTLC__ZeroAddressInitiator')
    })
  })

  describe('redeem', () => {
    it('pays the redeemer whoever calls, and publishes the secret', async () => {
      const order = await scene.open()
      const before = await scene.balance(scene.redeemer.address)
      const receipt = await scene.send(scene.stranger, htlcCall.redeem(order))
      expect(await scene.balance(scene.redeemer.address)).toBe(before + order.amount)
      expect(await scene.balance(scene.htlc)).toBe(0n)
      expect(await scene.state(order)).toBe(redeemed)
      expect(scene.events(receipt)).toEqual([{ eventName: 'Redeemed', args: { orderId: scene.orderId(order), secret: order.secret } }])
    })

    it('refuses a wrong secret or any other wrong parameter', async () => {
      const order = await scene.open()
      const wrong: Partial<HtlcOrder>[] = [
        { secret: zeroHash },
        { secret: order.secretHash },
        { initiator: scene.stranger.address },
        { redeemer: scene.stranger.address },
        { timelock: order.timelock + 1n },
        { amount: order.amount - 1n },
      ]
      for (const terms of wrong) {
        await expect(scene.send(scene.redeemer, htlcCall.redeem({ ...order, ...terms }))).rejects.toThrow('HTLC__OrderNotInitiated')
      }
      expect(await scene.balance(scene.htlc)).toBe(order.amount)
    })

    it('happens once', async () => {
      const order = await scene.open()
      await scene.open()
      await scene.send(scene.redeemer, htlcCall.redeem(order))
      await expect(scene.send(scene.redeemer, htlcCall.redeem(order))).rejects.toThrow('HTLC__OrderSettled')
      expect(await scene.balance(scene.htlc)).toBe(order.amount)
    })

    it('stays possible after expiry, until the refund', async () => {
      const late = await scene.open()
      const refundedFirst = await scene.open()
      await scene.expire(refundedFirst)
      await scene.send(scene.stranger, htlcCall.redeem(late))
      await scene.send(scene.stranger, htlcCall.refund(refundedFirst))
      await expect(scene.send(scene.redeemer, htlcCall.redeem(refundedFirst))).rejects.toThrow('HTLC__OrderSettled')
      expect(await scene.state(late)).toBe(redeemed)
    })
  })

  describe('redeemBatch', () => {
    it('pays all orders at once and publishes every secret', async () => {
      const orders = [await scene.open(), await scene.open({ amount: 7n }), await scene.open({ timelock: 60n })]
      const before = await scene.balance(scene.redeemer.address)
      const receipt = await scene.send(scene.stranger, htlcCall.redeemBatch(scene.redeemer.address, orders))
      const total = orders.reduce((sum, order) => sum + order.amount, 0n)
      expect(await scene.balance(scene.redeemer.address)).toBe(before + total)
      expect(scene.events(receipt)).toEqual(
        orders.map((order) => ({
          eventName: 'Redeemed',
          args: { orderId: scene.orderId(order), secret: order.secret },
        })),
      )
      for (const order of orders) expect(await scene.state(order)).toBe(redeemed)
    })

    it('skips what is settled, unknown, wrong, repeated or for someone else', async () => {
      const good = await scene.open()
      const alreadyRedeemed = await scene.open()
      await scene.send(scene.stranger, htlcCall.redeem(alreadyRedeemed))
      const alreadyRefunded = await scene.open()
      await scene.send(scene.redeemer, htlcCall.instantRefund(alreadyRefunded, '0x'))
      const wrongSecret = await scene.open()
      const ofAnother = await scene.open({ redeemer: scene.stranger.address })
      const before = await scene.balance(scene.redeemer.address)
      const batch = [alreadyRedeemed, alreadyRefunded, { ...wrongSecret, secret: zeroHash }, good, good, ofAnother, scene.newOrder()]
      const receipt = await scene.send(scene.stranger, htlcCall.redeemBatch(scene.redeemer.address, batch))
      expect(await scene.balance(scene.redeemer.address)).toBe(before + good.amount)
      expect(scene.events(receipt)).toHaveLength(1)
      expect(await scene.state(good)).toBe(redeemed)
      expect(await scene.state(wrongSecret)).toBeGreaterThan(refunded)
      expect(await scene.state(ofAnother)).toBeGreaterThan(refunded)
      expect(await scene.balance(scene.htlc)).toBe(wrongSecret.amount + ofAnother.amount)
    })

    it('tells what it would pay, and does nothing when that is nothing', async () => {
      const orders = [await scene.open(), scene.newOrder()]
      const data = htlcCall.redeemBatch(scene.redeemer.address, orders)
      expect(hexToBigInt(await scene.fixture.read(scene.htlc, data))).toBe(orders[0]?.amount)
      await scene.send(scene.stranger, data)
      const repeated = await scene.send(scene.stranger, data)
      expect(repeated.logs).toEqual([])
      await scene.send(scene.stranger, htlcCall.redeemBatch(scene.redeemer.address, []))
    })
  })

  describe('refund', () => {
    it('pays the initiator from the second of expiry on, whoever calls', async () => {
      const order = await scene.open()
      const before = await scene.balance(scene.initiator.address)
      await scene.expire(order)
      const receipt = await scene.send(scene.stranger, htlcCall.refund(order))
      expect(await scene.balance(scene.initiator.address)).toBe(before + order.amount)
      expect(await scene.state(order)).toBe(refunded)
      expect(scene.events(receipt)).toEqual([{ eventName: 'Refunded', args: { orderId: scene.orderId(order) } }])
    })

    it('fails a second earlier', async () => {
      const order = await scene.open()
      await scene.expire(order, 1n)
      await expect(scene.send(scene.initiator, htlcCall.refund(order))).rejects.toThrow('HTLC__OrderNotExpired')
      expect(await scene.balance(scene.htlc)).toBe(order.amount)
    })

    it('happens once, and not after a redemption or for an unknown order', async () => {
      const order = await scene.open()
      const other = await scene.open()
      await scene.send(scene.redeemer, htlcCall.redeem(other))
      await scene.expire(order)
      await scene.send(scene.stranger, htlcCall.refund(order))
      await expect(scene.send(scene.stranger, htlcCall.refund(order))).rejects.toThrow('HTLC__OrderSettled')
      await expect(scene.send(scene.stranger, htlcCall.refund(other))).rejects.toThrow('HTLC__OrderSettled')
      await expect(scene.send(scene.stranger, htlcCall.refund(scene.newOrder()))).rejects.toThrow('HTLC__OrderNotInitiated')
      await expect(scene.send(scene.stranger, htlcCall.refund({ ...order, timelock: 1n }))).rejects.toThrow('HTLC__OrderNotInitiated')
    })
  })

  describe('instantRefund', () => {
    it('pays the initiator at once when the redeemer calls', async () => {
      const order = await scene.open()
      const before = await scene.balance(scene.initiator.address)
      const receipt = await scene.send(scene.redeemer, htlcCall.instantRefund(order, '0x'))
      expect(await scene.balance(scene.initiator.address)).toBe(before + order.amount)
      expect(await scene.state(order)).toBe(refunded)
      expect(scene.events(receipt)).toEqual([{ eventName: 'Refunded', args: { orderId: scene.orderId(order) } }])
    })

    it("pays the initiator at once with the redeemer's signature", async () => {
      const order = await scene.open()
      const before = await scene.balance(scene.initiator.address)
      const signature = await scene.redeemer.signTypedData(refundTypedData(scene.domain, order))
      await scene.send(scene.stranger, htlcCall.instantRefund(order, signature))
      expect(await scene.balance(scene.initiator.address)).toBe(before + order.amount)
    })

    it('refuses anyone else, and a signature for anything else', async () => {
      const order = await scene.open()
      const other = await scene.open()
      const ofInitiator = await scene.initiator.signTypedData(refundTypedData(scene.domain, order))
      const forOther = await scene.redeemer.signTypedData(refundTypedData(scene.domain, other))
      const elsewhere = await scene.redeemer.signTypedData(refundTypedData({ ...scene.domain, chainId: 1 }, order))
      for (const signature of ['0x', ofInitiator, forOther, elsewhere] as const) {
        await expect(scene.send(scene.initiator, htlcCall.instantRefund(order, signature))).rejects.toThrow('HTLC__InvalidSignature')
      }
      expect(await scene.balance(scene.htlc)).toBe(order.amount + other.amount)
    })

    it('happens once, and not for settled or unknown orders', async () => {
      const order = await scene.open()
      await scene.open()
      const call = htlcCall.instantRefund(order, '0x')
      await scene.send(scene.redeemer, call)
      await expect(scene.send(scene.redeemer, call)).rejects.toThrow('HTLC__OrderSettled')
      await expect(scene.send(scene.redeemer, htlcCall.redeem(order))).rejects.toThrow('HTLC__OrderSettled')
      await expect(scene.send(scene.redeemer, htlcCall.instantRefund(scene.newOrder(), '0x'))).rejects.toThrow('HTLC__OrderNotInitiated')
    })
  })

  it('keeps orders apart that share a secret hash', async () => {
    const order = await scene.open()
    const twin = await scene.open({ secret: order.secret, amount: order.amount + 1n })
    await scene.send(scene.stranger, htlcCall.redeem(order))
    expect(await scene.state(twin)).toBeGreaterThan(refunded)
    expect(await scene.balance(scene.htlc)).toBe(twin.amount)
  })
})
