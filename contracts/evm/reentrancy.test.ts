// Reentrancy: a callee of a payment finds the order settled already, whichever function it calls.
import { encodeFunctionData, type Hex, hexToBigInt } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { reentrantAccount } from './artifacts/reentrant-account.ts'
import { reentrantToken } from './artifacts/reentrant-token.ts'
import { createHtlcScene, type HtlcScene } from './htlc.fixture.ts'
import { type HtlcOrder, htlcCall, initiateTypedData, refundTypedData } from './htlc-order.fixture.ts'

type Way = (order: HtlcOrder, consent: Hex) => Hex

const settlements: Readonly<Record<string, Way>> = {
  redeem: htlcCall.redeem,
  redeemBatch: (order) => htlcCall.redeemBatch(order.redeemer, [order, order]),
  refund: htlcCall.refund,
  instantRefund: htlcCall.instantRefund,
}
const pairs = Object.keys(settlements).flatMap((outer) => Object.keys(settlements).map((inner) => [outer, inner] as const))

/** Reads a boolean without parameters. */
async function flag(scene: HtlcScene, of: Hex, functionName: 'attempted' | 'callSucceeded'): Promise<boolean> {
  return hexToBigInt(await scene.fixture.read(of, encodeFunctionData({ abi: reentrantAccount.abi, functionName }))) === 1n
}

describe('a token that calls back while it pays', () => {
  let scene: HtlcScene
  beforeAll(async () => {
    scene = await createHtlcScene('ERC-20', reentrantToken)
    await scene.open()
  })
  const arm = (data: Hex, withheld = 0n) =>
    scene.fixture.send({
      from: scene.stranger,
      to: scene.token,
      data: encodeFunctionData({ abi: reentrantToken.abi, functionName: 'arm', args: [scene.htlc, data, withheld] }),
    })

  it.each(pairs)('during %s gains nothing by %s', async (outer, inner) => {
    const order = await scene.open()
    const consent = await scene.redeemer.signTypedData(refundTypedData(scene.domain, order))
    await scene.expire(order)
    await arm(settlements[inner]?.(order, consent) ?? '0x')
    const locked = await scene.balance(scene.htlc)
    await scene.send(scene.stranger, settlements[outer]?.(order, consent) ?? '0x')
    expect(await scene.balance(scene.htlc)).toBe(locked - order.amount)
    expect(await flag(scene, scene.token, 'callSucceeded')).toBe(inner === 'redeemBatch')
  })

  it.each(Object.keys(settlements))(
    'cannot have an order initiated again during its %s, though the signature has no end',
    async (outer) => {
      const order = await scene.open()
      const consent = await scene.redeemer.signTypedData(refundTypedData(scene.domain, order))
      const signature = await scene.initiator.signTypedData(initiateTypedData(scene.domain, order))
      await scene.expire(order)
      await arm(htlcCall.initiateWithSignature(order, signature))
      const locked = await scene.balance(scene.htlc)
      await scene.send(scene.stranger, settlements[outer]?.(order, consent) ?? '0x')
      expect(await scene.balance(scene.htlc)).toBe(locked - order.amount)
      expect(await flag(scene, scene.token, 'callSucceeded')).toBe(false)
    },
  )

  it.each(['redeem', 'redeemBatch', 'instantRefund'])('cannot %s an order whose money has not arrived', async (inner) => {
    const order = scene.newOrder()
    const consent = await scene.redeemer.signTypedData(refundTypedData(scene.domain, order))
    await arm(settlements[inner]?.(order, consent) ?? '0x')
    const locked = await scene.balance(scene.htlc)
    await expect(scene.initiate(order)).rejects.toThrow('HTLC__AmountNotReceived')
    expect(await scene.balance(scene.htlc)).toBe(locked)
    await arm('0x')
    await expect(scene.initiate(order)).resolves.toBeDefined()
  })

  it('cannot pass a balance that shrank for one that grew', async () => {
    const paidOut = await scene.open()
    const order = scene.newOrder()
    const locked = await scene.balance(scene.htlc)
    await arm(htlcCall.redeem(paidOut), order.amount)
    await expect(scene.initiate(order)).rejects.toThrow('HTLC__AmountNotReceived')
    expect(await scene.state(order)).toBe(0n)
    expect(await scene.balance(scene.htlc)).toBe(locked)
    await arm('0x')
    await scene.send(scene.stranger, htlcCall.redeem(paidOut))
  })

  it('cannot initiate an order twice for one payment', async () => {
    const order = scene.newOrder()
    const signature = await scene.initiator.signTypedData(initiateTypedData(scene.domain, order))
    const locked = await scene.balance(scene.htlc)
    await arm(htlcCall.initiateWithSignature(order, signature))
    await scene.initiate(order)
    expect(await flag(scene, scene.token, 'callSucceeded')).toBe(false)
    expect(await scene.balance(scene.htlc)).toBe(locked + order.amount)
  })
})

describe('a recipient of native coin that calls back while it is paid', () => {
  let scene: HtlcScene
  beforeAll(async () => {
    scene = await createHtlcScene('native')
    await scene.open()
  })

  /** The payee attacks: the redeemer of what is redeemed, the initiator of what is refunded. */
  async function attack(outer: string, reentry: (order: HtlcOrder, consent: Hex) => Hex, value = 0n) {
    const account = await scene.fixture.deploy(reentrantAccount)
    const order = outer.startsWith('redeem') ? scene.newOrder({ redeemer: account }) : scene.newOrder({ initiator: account })
    await scene.send(scene.stranger, htlcCall.initiateOnBehalf(order), order.amount)
    const consent = await scene.redeemer.signTypedData(refundTypedData(scene.domain, order))
    const arm = encodeFunctionData({ abi: reentrantAccount.abi, functionName: 'arm', args: [scene.htlc, reentry(order, consent), value] })
    await scene.fixture.send({ from: scene.stranger, to: account, data: arm })
    await scene.expire(order)
    const locked = await scene.balance(scene.htlc)
    await scene.send(scene.stranger, settlements[outer]?.(order, consent) ?? '0x')
    expect(await flag(scene, account, 'attempted')).toBe(true)
    const succeeded = await flag(scene, account, 'callSucceeded')
    return { order, account, succeeded, paidOut: locked - (await scene.balance(scene.htlc)) }
  }

  it.each(pairs)('during %s gains nothing by %s', async (outer, inner) => {
    const { order, account, succeeded, paidOut } = await attack(outer, (of, consent) => settlements[inner]?.(of, consent) ?? '0x')
    expect(paidOut).toBe(order.amount)
    expect(await scene.balance(account)).toBe(order.amount)
    expect(succeeded).toBe(inner === 'redeemBatch')
  })

  it.each(Object.keys(settlements))('cannot have an order initiated again during its %s', async (outer) => {
    const { order, account, succeeded, paidOut } = await attack(outer, htlcCall.initiateOnBehalf, 100_000_000n)
    expect(succeeded).toBe(false)
    expect(paidOut).toBe(order.amount)
    expect(await scene.balance(account)).toBe(order.amount)
  })

  it.each(Object.keys(settlements))('may lock what %s pays in a new order, and gets it back once', async (outer) => {
    const next = scene.newOrder()
    const { order, account, succeeded, paidOut } = await attack(outer, () => htlcCall.initiateOnBehalf(next), next.amount)
    expect(succeeded).toBe(true)
    expect(paidOut).toBe(order.amount - next.amount)
    expect(await scene.balance(account)).toBe(0n)
    await scene.send(scene.stranger, htlcCall.redeem(next))
    await expect(scene.send(scene.stranger, htlcCall.redeem(next))).rejects.toThrow('HTLC__OrderSettled')
  })
})
