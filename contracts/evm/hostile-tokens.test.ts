// Misbehaving tokens: an order is funded by what arrived, and settled by what left.
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
import { createHtlcScene, type HtlcScene } from './htlc.fixture.ts'
import { htlcCall, initiateTypedData } from './htlc-order.fixture.ts'

const open = 3n

describe('a token that', () => {
  it('returns nothing works', async () => {
    const scene = await createHtlcScene('ERC-20', noReturnToken)
    const order = await scene.open()
    expect(await scene.balance(scene.htlc)).toBe(order.amount)
    await scene.send(scene.stranger, htlcCall.redeem(order))
    expect(await scene.balance(scene.redeemer.address)).toBe(order.amount)
  })

  it('returns false funds nothing and settles nothing', async () => {
    const scene = await createHtlcScene('ERC-20', falseReturnToken)
    const setFailing = (failing: boolean) =>
      scene.fixture.send({
        from: scene.stranger,
        to: scene.token,
        data: encodeFunctionData({ abi: falseReturnToken.abi, functionName: 'setFailing', args: [failing] }),
      })
    const order = await scene.open()
    await setFailing(true)
    await expect(scene.initiate(scene.newOrder())).rejects.toThrow('HTLC__TransferFailed')
    await expect(scene.send(scene.stranger, htlcCall.redeem(order))).rejects.toThrow('HTLC__TransferFailed')
    expect(await scene.state(order)).toBeGreaterThanOrEqual(open)
    await setFailing(false)
    await scene.send(scene.stranger, htlcCall.redeem(order))
    expect(await scene.balance(scene.redeemer.address)).toBe(order.amount)
  })

  it('says it moved money and did not funds nothing', async () => {
    const scene = await createHtlcScene('ERC-20', lyingToken)
    for (const amount of [1n, 100n, 2n ** 256n - 1n]) {
      await expect(scene.initiate(scene.newOrder({ amount }))).rejects.toThrow('HTLC__AmountNotReceived')
    }
  })

  it('keeps a fee cannot be locked', async () => {
    const scene = await createHtlcScene('ERC-20', feeToken)
    const order = scene.newOrder()
    await expect(scene.initiate(order)).rejects.toThrow('HTLC__AmountNotReceived')
    await expect(scene.send(scene.stranger, htlcCall.initiateOnBehalf(order))).rejects.toThrow('HTLC__AmountNotReceived')
    const signature = await scene.initiator.signTypedData(initiateTypedData(scene.domain, order))
    await expect(scene.send(scene.stranger, htlcCall.initiateWithSignature(order, signature))).rejects.toThrow('HTLC__AmountNotReceived')
    expect(await scene.state(order)).toBe(0n)
    expect(await scene.balance(scene.htlc)).toBe(0n)
  })

  it('refuses the redeemer leaves the order open for the refund, and blocks no other', async () => {
    const scene = await createHtlcScene('ERC-20', blacklistToken)
    const [blocked, other] = [await scene.open(), await scene.open({ redeemer: scene.stranger.address })]
    await scene.fixture.send({
      from: scene.stranger,
      to: scene.token,
      data: encodeFunctionData({ abi: blacklistToken.abi, functionName: 'setBlacklisted', args: [scene.redeemer.address, true] }),
    })
    await expect(scene.send(scene.stranger, htlcCall.redeem(blocked))).rejects.toThrow('HTLC__TransferFailed')
    await scene.send(scene.stranger, htlcCall.redeem(other))
    expect(await scene.state(blocked)).toBeGreaterThanOrEqual(open)
    await scene.expire(blocked)
    await scene.send(scene.stranger, htlcCall.refund(blocked))
    expect(await scene.balance(scene.htlc)).toBe(0n)
  })

  it('refuses the initiator does not keep the redeemer from the money, and pays the refund once it relents', async () => {
    const scene = await createHtlcScene('ERC-20', blacklistToken)
    const block = (blacklisted: boolean) =>
      scene.fixture.send({
        from: scene.stranger,
        to: scene.token,
        data: encodeFunctionData({ abi: blacklistToken.abi, functionName: 'setBlacklisted', args: [scene.initiator.address, blacklisted] }),
      })
    const [redeemed, refunded] = [await scene.open(), await scene.open()]
    await block(true)
    await scene.send(scene.stranger, htlcCall.redeem(redeemed))
    expect(await scene.balance(scene.redeemer.address)).toBe(redeemed.amount)
    await expect(scene.send(scene.redeemer, htlcCall.instantRefund(refunded, '0x'))).rejects.toThrow('HTLC__TransferFailed')
    await scene.expire(refunded)
    await expect(scene.send(scene.stranger, htlcCall.refund(refunded))).rejects.toThrow('HTLC__TransferFailed')
    expect(await scene.state(refunded)).toBeGreaterThanOrEqual(open)
    await block(false)
    await scene.send(scene.stranger, htlcCall.refund(refunded))
    expect(await scene.balance(scene.htlc)).toBe(0n)
  })

  it('pays a blacklisted account in a batch for nobody, and for everybody once it relents', async () => {
    const scene = await createHtlcScene('ERC-20', blacklistToken)
    const orders = [await scene.open(), await scene.open()]
    const block = (blacklisted: boolean) =>
      scene.fixture.send({
        from: scene.stranger,
        to: scene.token,
        data: encodeFunctionData({ abi: blacklistToken.abi, functionName: 'setBlacklisted', args: [scene.redeemer.address, blacklisted] }),
      })
    await block(true)
    const batch = htlcCall.redeemBatch(scene.redeemer.address, orders)
    await expect(scene.send(scene.stranger, batch)).rejects.toThrow('HTLC__TransferFailed')
    for (const order of orders) expect(await scene.state(order)).toBeGreaterThanOrEqual(open)
    await block(false)
    await scene.send(scene.stranger, batch)
    expect(await scene.balance(scene.htlc)).toBe(0n)
  })

  it('shrinks all balances pays orders whole or not at all, and the rest once the money is made good', async () => {
    const { scene, rebase } = await rebasing()
    const [first, second] = [await scene.open(), await scene.open()]
    await rebase(50n)
    await scene.send(scene.stranger, htlcCall.redeem(first))
    await expect(scene.send(scene.stranger, htlcCall.redeem(second))).rejects.toThrow('HTLC__TransferFailed')
    await scene.expire(second)
    await expect(scene.send(scene.stranger, htlcCall.refund(second))).rejects.toThrow('HTLC__TransferFailed')
    expect(await scene.state(second)).toBeGreaterThanOrEqual(open)
    const makeGood = encodeFunctionData({ abi: rebasingToken.abi, functionName: 'transfer', args: [scene.htlc, second.amount] })
    await scene.fixture.send({ from: scene.initiator, to: scene.token, data: makeGood })
    await scene.send(scene.stranger, htlcCall.refund(second))
    expect(await scene.balance(scene.redeemer.address)).toBe(first.amount)
    expect(await scene.balance(scene.htlc)).toBe(0n)
  })

  it('grows all balances pays no order more than its amount, and does not fund another with what grew', async () => {
    const { scene, rebase } = await rebasing()
    const order = await scene.open()
    await rebase(200n)
    const unpaid = scene.newOrder({ initiator: scene.redeemer.address, redeemer: scene.stranger.address })
    await expect(scene.send(scene.redeemer, htlcCall.initiate(unpaid))).rejects.toThrow('HTLC__TransferFailed')
    await scene.send(scene.stranger, htlcCall.redeem(order))
    expect(await scene.balance(scene.redeemer.address)).toBe(order.amount)
    expect(await scene.balance(scene.htlc)).toBe(order.amount)
  })

  it('the payer has not approved, or has too little of, funds nothing', async () => {
    const scene = await createHtlcScene('ERC-20')
    const revoke = encodeFunctionData({ abi: testToken.abi, functionName: 'approve', args: [scene.htlc, 0n] })
    await expect(scene.initiate(scene.newOrder({ amount: 10n ** 12n + 1n }))).rejects.toThrow('HTLC__TransferFailed')
    await scene.fixture.send({ from: scene.initiator, to: scene.token, data: revoke })
    const order = scene.newOrder()
    await expect(scene.initiate(order)).rejects.toThrow('HTLC__TransferFailed')
    expect(await scene.state(order)).toBe(0n)
  })

  it('is not a contract cannot be chosen', async () => {
    const scene = await createHtlcScene('ERC-20')
    await expect(scene.fixture.deploy(htlcErc20, [scene.stranger.address])).rejects.toThrow('reverted')
  })

  it('is plain, sent with native coin, refuses the coin', async () => {
    const scene = await createHtlcScene('ERC-20')
    const order = scene.newOrder()
    await expect(scene.send(scene.initiator, htlcCall.initiate(order), 1n)).rejects.toThrow()
    await expect(scene.send(scene.initiator, '0x', 1n)).rejects.toThrow()
    expect(await scene.fixture.nativeBalance(scene.htlc)).toBe(0n)
  })
})

async function rebasing(): Promise<{ scene: HtlcScene; rebase(percent: bigint): Promise<unknown> }> {
  const scene = await createHtlcScene('ERC-20', rebasingToken)
  const rebase = (percent: bigint) =>
    scene.fixture.send({
      from: scene.stranger,
      to: scene.token,
      data: encodeFunctionData({ abi: rebasingToken.abi, functionName: 'rebase', args: [percent] }),
    })
  return { scene, rebase }
}
