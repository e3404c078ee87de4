// Tests the native coin only: call values, and recipients that are contracts.
import { encodeFunctionData } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { contractAccount } from './artifacts/contract-account.ts'
import { rejectingAccount } from './artifacts/rejecting-account.ts'
import { createHtlcSetup, type HtlcSetup } from './htlc.fixture.ts'
import { htlcCall } from './htlc-order.fixture.ts'

const settled = 2n
let setup: HtlcSetup
beforeEach(async () => {
  setup = await createHtlcSetup('native')
})

describe('value', () => {
  it('must be the amount', async () => {
    const order = setup.newOrder()
    for (const value of [0n, order.amount - 1n, order.amount + 1n]) {
      await expect(setup.send(setup.initiator, htlcCall.initiate(order), value)).rejects.toThrow('HTLC__WrongValue')
      await expect(setup.send(setup.stranger, htlcCall.initiateOnBehalf(order), value)).rejects.toThrow('HTLC__WrongValue')
    }
  })

  it('is refused by functions that take no payment', async () => {
    const order = await setup.open()
    await expect(setup.send(setup.stranger, '0x', 1n)).rejects.toThrow()
    await expect(setup.send(setup.stranger, htlcCall.redeem(order), 1n)).rejects.toThrow()
    await expect(setup.send(setup.redeemer, htlcCall.instantRefund(order, '0x'), 1n)).rejects.toThrow()
    expect(await setup.balance(setup.htlc)).toBe(order.amount)
  })
})

describe('a recipient that refuses the coin', () => {
  it('as redeemer leaves the order open, for a later attempt or the refund', async () => {
    const account = await setup.fixture.deploy(rejectingAccount)
    const [first, second, other] = [await setup.open({ redeemer: account }), await setup.open({ redeemer: account }), await setup.open()]
    await expect(setup.send(setup.stranger, htlcCall.redeem(first))).rejects.toThrow('HTLC__TransferFailed')
    await expect(setup.send(setup.stranger, htlcCall.redeemBatch(account, [first, second]))).rejects.toThrow('HTLC__TransferFailed')
    await setup.send(setup.stranger, htlcCall.redeem(other))
    const accept = encodeFunctionData({ abi: rejectingAccount.abi, functionName: 'setAccepting', args: [true] })
    await setup.fixture.send({ from: setup.stranger, to: account, data: accept })
    await setup.send(setup.stranger, htlcCall.redeem(first))
    await setup.expire(second)
    await setup.send(setup.stranger, htlcCall.refund(second))
    expect(await setup.balance(account)).toBe(first.amount)
    expect(await setup.balance(setup.htlc)).toBe(0n)
  })

  it('as initiator does not lose its refund', async () => {
    const account = await setup.fixture.deploy(rejectingAccount)
    const order = setup.newOrder({ initiator: account })
    await setup.send(setup.stranger, htlcCall.initiateOnBehalf(order), order.amount)
    await setup.expire(order)
    await expect(setup.send(setup.stranger, htlcCall.refund(order))).rejects.toThrow('HTLC__TransferFailed')
    expect(await setup.state(order)).toBeGreaterThan(settled)
    const accept = encodeFunctionData({ abi: rejectingAccount.abi, functionName: 'setAccepting', args: [true] })
    await setup.fixture.send({ from: setup.stranger, to: account, data: accept })
    await setup.send(setup.stranger, htlcCall.refund(order))
    expect(await setup.balance(account)).toBe(order.amount)
  })
})

it('pays contracts that accept the coin, by every function that pays', async () => {
  const account = await setup.fixture.deploy(contractAccount)
  const [redeemed, batched] = [await setup.open({ redeemer: account }), await setup.open({ redeemer: account })]
  await setup.send(setup.stranger, htlcCall.redeem(redeemed))
  await setup.send(setup.stranger, htlcCall.redeemBatch(account, [batched]))
  const [refunded, instantly] = [setup.newOrder({ initiator: account }), setup.newOrder({ initiator: account })]
  for (const order of [refunded, instantly]) await setup.send(setup.stranger, htlcCall.initiateOnBehalf(order), order.amount)
  await setup.send(setup.redeemer, htlcCall.instantRefund(instantly, '0x'))
  await setup.expire(refunded)
  await setup.send(setup.stranger, htlcCall.refund(refunded))
  expect(await setup.balance(account)).toBe(redeemed.amount + batched.amount + refunded.amount + instantly.amount)
  expect(await setup.balance(setup.htlc)).toBe(0n)
})
