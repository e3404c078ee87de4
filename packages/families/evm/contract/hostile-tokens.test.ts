// Tests misbehaving tokens: the HTLC trusts only balance changes, when it is funded and when it pays out.
import { encodeFunctionData } from 'viem'
import { describe, expect, it } from 'vitest'
import { blacklistToken } from './artifacts/blacklist-token.ts'
import { falseReturnToken } from './artifacts/false-return-token.ts'
import { feeToken } from './artifacts/fee-token.ts'
import { htlcErc20 } from './artifacts/htlc-erc20.ts'
import { lyingToken } from './artifacts/lying-token.ts'
import { noReturnToken } from './artifacts/no-return-token.ts'
import { rebasingToken } from './artifacts/rebasing-token.ts'
import { testToken } from './artifacts/test-token.ts'
import { createHtlcSetup, type HtlcSetup } from './htlc.fixture.ts'
import { htlcCall, initiateTypedData } from './htlc-order.fixture.ts'

const open = 3n

describe('a token that', () => {
  it('returns nothing works', async () => {
    const setup = await createHtlcSetup('ERC-20', noReturnToken)
    const order = await setup.open()
    expect(await setup.balance(setup.htlc)).toBe(order.amount)
    await setup.send(setup.stranger, htlcCall.redeem(order))
    expect(await setup.balance(setup.redeemer.address)).toBe(order.amount)
  })

  it('returns false funds nothing and settles nothing', async () => {
    const setup = await createHtlcSetup('ERC-20', falseReturnToken)
    const setFailing = (failing: boolean) =>
      setup.fixture.send({
        from: setup.stranger,
        to: setup.token,
        data: encodeFunctionData({ abi: falseReturnToken.abi, functionName: 'setFailing', args: [failing] }),
      })
    const order = await setup.open()
    await setFailing(true)
    await expect(setup.initiate(setup.newOrder())).rejects.toThrow('HTLC__TransferFailed')
    await expect(setup.send(setup.stranger, htlcCall.redeem(order))).rejects.toThrow('HTLC__TransferFailed')
    expect(await setup.state(order)).toBeGreaterThanOrEqual(open)
    await setFailing(false)
    await setup.send(setup.stranger, htlcCall.redeem(order))
    expect(await setup.balance(setup.redeemer.address)).toBe(order.amount)
  })

  it('returns true without a transfer funds nothing', async () => {
    const setup = await createHtlcSetup('ERC-20', lyingToken)
    for (const amount of [1n, 100n, 2n ** 256n - 1n]) {
      await expect(setup.initiate(setup.newOrder({ amount }))).rejects.toThrow('HTLC__AmountNotReceived')
    }
  })

  it('takes a transfer fee cannot be locked', async () => {
    const setup = await createHtlcSetup('ERC-20', feeToken)
    const order = setup.newOrder()
    await expect(setup.initiate(order)).rejects.toThrow('HTLC__AmountNotReceived')
    await expect(setup.send(setup.stranger, htlcCall.initiateOnBehalf(order))).rejects.toThrow('HTLC__AmountNotReceived')
    const signature = await setup.initiator.signTypedData(initiateTypedData(setup.domain, order))
    await expect(setup.send(setup.stranger, htlcCall.initiateWithSignature(order, signature))).rejects.toThrow('HTLC__AmountNotReceived')
    expect(await setup.state(order)).toBe(0n)
    expect(await setup.balance(setup.htlc)).toBe(0n)
  })

  it('refuses to pay the redeemer leaves the order open for the refund, and blocks no other order', async () => {
    const setup = await createHtlcSetup('ERC-20', blacklistToken)
    const [blocked, other] = [await setup.open(), await setup.open({ redeemer: setup.stranger.address })]
    await setup.fixture.send({
      from: setup.stranger,
      to: setup.token,
      data: encodeFunctionData({ abi: blacklistToken.abi, functionName: 'setBlacklisted', args: [setup.redeemer.address, true] }),
    })
    await expect(setup.send(setup.stranger, htlcCall.redeem(blocked))).rejects.toThrow('HTLC__TransferFailed')
    await setup.send(setup.stranger, htlcCall.redeem(other))
    expect(await setup.state(blocked)).toBeGreaterThanOrEqual(open)
    await setup.expire(blocked)
    await setup.send(setup.stranger, htlcCall.refund(blocked))
    expect(await setup.balance(setup.htlc)).toBe(0n)
  })

  it('refuses to pay the initiator does not block the redeem, and pays the refund once it allows it again', async () => {
    const setup = await createHtlcSetup('ERC-20', blacklistToken)
    const block = (blacklisted: boolean) =>
      setup.fixture.send({
        from: setup.stranger,
        to: setup.token,
        data: encodeFunctionData({ abi: blacklistToken.abi, functionName: 'setBlacklisted', args: [setup.initiator.address, blacklisted] }),
      })
    const [redeemed, refunded] = [await setup.open(), await setup.open()]
    await block(true)
    await setup.send(setup.stranger, htlcCall.redeem(redeemed))
    expect(await setup.balance(setup.redeemer.address)).toBe(redeemed.amount)
    await expect(setup.send(setup.redeemer, htlcCall.instantRefund(refunded, '0x'))).rejects.toThrow('HTLC__TransferFailed')
    await setup.expire(refunded)
    await expect(setup.send(setup.stranger, htlcCall.refund(refunded))).rejects.toThrow('HTLC__TransferFailed')
    expect(await setup.state(refunded)).toBeGreaterThanOrEqual(open)
    await block(false)
    await setup.send(setup.stranger, htlcCall.refund(refunded))
    expect(await setup.balance(setup.htlc)).toBe(0n)
  })

  it('blacklists the redeemer of a batch pays none of it, and all of it once the redeemer is allowed again', async () => {
    const setup = await createHtlcSetup('ERC-20', blacklistToken)
    const orders = [await setup.open(), await setup.open()]
    const block = (blacklisted: boolean) =>
      setup.fixture.send({
        from: setup.stranger,
        to: setup.token,
        data: encodeFunctionData({ abi: blacklistToken.abi, functionName: 'setBlacklisted', args: [setup.redeemer.address, blacklisted] }),
      })
    await block(true)
    const batch = htlcCall.redeemBatch(setup.redeemer.address, orders)
    await expect(setup.send(setup.stranger, batch)).rejects.toThrow('HTLC__TransferFailed')
    for (const order of orders) expect(await setup.state(order)).toBeGreaterThanOrEqual(open)
    await block(false)
    await setup.send(setup.stranger, batch)
    expect(await setup.balance(setup.htlc)).toBe(0n)
  })

  it('shrinks all balances pays each order in full or not at all, and the unpaid ones once the balance is restored', async () => {
    const { setup, rebase } = await rebasing()
    const [first, second] = [await setup.open(), await setup.open()]
    await rebase(50n)
    await setup.send(setup.stranger, htlcCall.redeem(first))
    await expect(setup.send(setup.stranger, htlcCall.redeem(second))).rejects.toThrow('HTLC__TransferFailed')
    await setup.expire(second)
    await expect(setup.send(setup.stranger, htlcCall.refund(second))).rejects.toThrow('HTLC__TransferFailed')
    expect(await setup.state(second)).toBeGreaterThanOrEqual(open)
    const makeGood = encodeFunctionData({ abi: rebasingToken.abi, functionName: 'transfer', args: [setup.htlc, second.amount] })
    await setup.fixture.send({ from: setup.initiator, to: setup.token, data: makeGood })
    await setup.send(setup.stranger, htlcCall.refund(second))
    expect(await setup.balance(setup.redeemer.address)).toBe(first.amount)
    expect(await setup.balance(setup.htlc)).toBe(0n)
  })

  it('grows all balances pays no order more than its amount, and the surplus funds no other order', async () => {
    const { setup, rebase } = await rebasing()
    const order = await setup.open()
    await rebase(200n)
    const unpaid = setup.newOrder({ initiator: setup.redeemer.address, redeemer: setup.stranger.address })
    await expect(setup.send(setup.redeemer, htlcCall.initiate(unpaid))).rejects.toThrow('HTLC__TransferFailed')
    await setup.send(setup.stranger, htlcCall.redeem(order))
    expect(await setup.balance(setup.redeemer.address)).toBe(order.amount)
    expect(await setup.balance(setup.htlc)).toBe(order.amount)
  })

  it('the payer has not approved, or holds too little of, funds nothing', async () => {
    const setup = await createHtlcSetup('ERC-20')
    const revoke = encodeFunctionData({ abi: testToken.abi, functionName: 'approve', args: [setup.htlc, 0n] })
    await expect(setup.initiate(setup.newOrder({ amount: 10n ** 12n + 1n }))).rejects.toThrow('HTLC__TransferFailed')
    await setup.fixture.send({ from: setup.initiator, to: setup.token, data: revoke })
    const order = setup.newOrder()
    await expect(setup.initiate(order)).rejects.toThrow('HTLC__TransferFailed')
    expect(await setup.state(order)).toBe(0n)
  })

  it('is not a contract funds nothing', async () => {
    const setup = await createHtlcSetup('ERC-20')
    const htlc = await setup.fixture.deploy(htlcErc20, ['0x00000000000000000000000000000000000000aa'])
    const order = { from: setup.initiator, to: htlc, data: htlcCall.initiate(setup.newOrder()) }
    await expect(setup.fixture.send(order)).rejects.toThrow('HTLC__TransferFailed')
  })

  it('is plain has an HTLC that refuses native coin', async () => {
    const setup = await createHtlcSetup('ERC-20')
    const order = setup.newOrder()
    await expect(setup.send(setup.initiator, htlcCall.initiate(order), 1n)).rejects.toThrow()
    await expect(setup.send(setup.initiator, '0x', 1n)).rejects.toThrow()
    expect(await setup.fixture.nativeBalance(setup.htlc)).toBe(0n)
  })
})

async function rebasing(): Promise<{ setup: HtlcSetup; rebase(percent: bigint): Promise<unknown> }> {
  const setup = await createHtlcSetup('ERC-20', rebasingToken)
  const rebase = (percent: bigint) =>
    setup.fixture.send({
      from: setup.stranger,
      to: setup.token,
      data: encodeFunctionData({ abi: rebasingToken.abi, functionName: 'rebase', args: [percent] }),
    })
  return { setup, rebase }
}
