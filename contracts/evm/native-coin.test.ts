// What is particular to locking the native coin: values, recipients that refuse it, and recipients that call back.
import { encodeFunctionData } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { reentrantAccount } from './artifacts/reentrant-account.ts'
import { rejectingAccount } from './artifacts/rejecting-account.ts'
import { type HtlcOrder, htlcCall } from './htlc-order.ts'
import { createHtlcScene, type HtlcScene } from './htlc-scene.ts'

const settled = 2n
let scene: HtlcScene
beforeEach(async () => {
  scene = await createHtlcScene('native')
})

describe('value', () => {
  it('must be the amount', async () => {
    const order = scene.newOrder()
    for (const value of [0n, order.amount - 1n, order.amount + 1n]) {
      await expect(scene.send(scene.initiator, htlcCall.initiate(order), value)).rejects.toThrow('HTLC__WrongValue')
      await expect(scene.send(scene.stranger, htlcCall.initiateOnBehalf(order), value)).rejects.toThrow('HTLC__WrongValue')
    }
  })

  it('is refused where no order would account for it', async () => {
    const order = await scene.open()
    await expect(scene.send(scene.stranger, '0x', 1n)).rejects.toThrow()
    await expect(scene.send(scene.stranger, htlcCall.redeem(order), 1n)).rejects.toThrow()
    await expect(scene.send(scene.redeemer, htlcCall.instantRefund(order, '0x'), 1n)).rejects.toThrow()
    expect(await scene.balance(scene.htlc)).toBe(order.amount)
  })
})

describe('a recipient that refuses the coin', () => {
  it('as redeemer leaves the order open, for a later attempt or the refund', async () => {
    const account = await scene.fixture.deploy(rejectingAccount)
    const [first, second, other] = [await scene.open({ redeemer: account }), await scene.open({ redeemer: account }), await scene.open()]
    await expect(scene.send(scene.stranger, htlcCall.redeem(first))).rejects.toThrow('HTLC__TransferFailed')
    await expect(scene.send(scene.stranger, htlcCall.redeemBatch(account, [first, second]))).rejects.toThrow('HTLC__TransferFailed')
    await scene.send(scene.stranger, htlcCall.redeem(other))
    const accept = encodeFunctionData({ abi: rejectingAccount.abi, functionName: 'setAccepting', args: [true] })
    await scene.fixture.send({ from: scene.stranger, to: account, data: accept })
    await scene.send(scene.stranger, htlcCall.redeem(first))
    await scene.expire(second)
    await scene.send(scene.stranger, htlcCall.refund(second))
    expect(await scene.balance(account)).toBe(first.amount)
    expect(await scene.balance(scene.htlc)).toBe(0n)
  })

  it('as initiator does not lose its refund', async () => {
    const account = await scene.fixture.deploy(rejectingAccount)
    const order = scene.newOrder({ initiator: account })
    await scene.send(scene.stranger, htlcCall.initiateOnBehalf(order), order.amount)
    await scene.expire(order)
    await expect(scene.send(scene.stranger, htlcCall.refund(order))).rejects.toThrow('HTLC__TransferFailed')
    expect(await scene.state(order)).toBeGreaterThan(settled)
    const accept = encodeFunctionData({ abi: rejectingAccount.abi, functionName: 'setAccepting', args: [true] })
    await scene.fixture.send({ from: scene.stranger, to: account, data: accept })
    await scene.send(scene.stranger, htlcCall.refund(order))
    expect(await scene.balance(account)).toBe(order.amount)
  })
})

describe('a recipient that calls back', () => {
  it.each<[string, (order: HtlcOrder) => `0x${string}`]>([
    ['redeem', htlcCall.redeem],
    ['redeem in a batch', (order) => htlcCall.redeemBatch(order.redeemer, [order])],
    ['refund', htlcCall.refund],
    ['instantly refund', (order) => htlcCall.instantRefund(order, '0x')],
  ])('cannot %s an order that is being redeemed', async (_, reentry) => {
    const account = await scene.fixture.deploy(reentrantAccount)
    const order = await scene.open({ redeemer: account })
    const bystander = await scene.open()
    await scene.expire(order)
    const arm = encodeFunctionData({ abi: reentrantAccount.abi, functionName: 'arm', args: [scene.htlc, reentry(order)] })
    await scene.fixture.send({ from: scene.stranger, to: account, data: arm })
    await scene.send(scene.stranger, htlcCall.redeem(order))
    const attempted = encodeFunctionData({ abi: reentrantAccount.abi, functionName: 'attempted' })
    expect(BigInt(await scene.fixture.read(account, attempted))).toBe(1n)
    expect(await scene.balance(account)).toBe(order.amount)
    expect(await scene.balance(scene.htlc)).toBe(bystander.amount)
  })
})
