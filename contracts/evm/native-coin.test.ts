// What is particular to locking the native coin: values, and recipients that are contracts.
import { encodeFunctionData } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { contractAccount } from './artifacts/contract-account.ts'
import { rejectingAccount } from './artifacts/rejecting-account.ts'
import { createHtlcScene, type HtlcScene } from './htlc.fixture.ts'
import { htlcCall } from './htlc-order.fixture.ts'

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

it('pays contracts that take the coin, by whatever way it leaves', async () => {
  const account = await scene.fixture.deploy(contractAccount)
  const [redeemed, batched] = [await scene.open({ redeemer: account }), await scene.open({ redeemer: account })]
  await scene.send(scene.stranger, htlcCall.redeem(redeemed))
  await scene.send(scene.stranger, htlcCall.redeemBatch(account, [batched]))
  const [refunded, instantly] = [scene.newOrder({ initiator: account }), scene.newOrder({ initiator: account })]
  for (const order of [refunded, instantly]) await scene.send(scene.stranger, htlcCall.initiateOnBehalf(order), order.amount)
  await scene.send(scene.redeemer, htlcCall.instantRefund(instantly, '0x'))
  await scene.expire(refunded)
  await scene.send(scene.stranger, htlcCall.refund(refunded))
  expect(await scene.balance(account)).toBe(redeemed.amount + batched.amount + refunded.amount + instantly.amount)
  expect(await scene.balance(scene.htlc)).toBe(0n)
})
