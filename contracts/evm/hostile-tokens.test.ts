// Tokens that do not do what they were asked for: an order is funded by what arrived, and settled by what left.
import { encodeFunctionData } from 'viem'
import { describe, expect, it } from 'vitest'
import { blacklistToken } from './artifacts/blacklist-token.ts'
import { falseReturnToken } from './artifacts/false-return-token.ts'
import { feeToken } from './artifacts/fee-token.ts'
import { htlcErc20 } from './artifacts/htlc-erc20.ts'
import { lyingToken } from './artifacts/lying-token.ts'
import { noReturnToken } from './artifacts/no-return-token.ts'
import { reentrantToken } from './artifacts/reentrant-token.ts'
import { testToken } from './artifacts/test-token.ts'
import { type HtlcOrder, htlcCall, initiateTypedData } from './htlc-order.ts'
import { createHtlcScene, type HtlcScene } from './htlc-scene.ts'

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

describe('a token that calls back in the middle of a transfer', () => {
  async function armed(scene: HtlcScene, data: `0x${string}`, withheld = 0n): Promise<void> {
    const arm = encodeFunctionData({ abi: reentrantToken.abi, functionName: 'arm', args: [scene.htlc, data, withheld] })
    await scene.fixture.send({ from: scene.stranger, to: scene.token, data: arm })
  }
  const callSucceeded = async (scene: HtlcScene) =>
    BigInt(await scene.fixture.read(scene.token, encodeFunctionData({ abi: reentrantToken.abi, functionName: 'callSucceeded' }))) === 1n

  it.each<[string, (order: HtlcOrder) => `0x${string}`]>([
    ['redeem', htlcCall.redeem],
    ['redeem in a batch', (order) => htlcCall.redeemBatch(order.redeemer, [order])],
    ['refund', htlcCall.refund],
  ])('cannot %s an order while it is being redeemed', async (_, reentry) => {
    const scene = await createHtlcScene('ERC-20', reentrantToken)
    const order = await scene.open()
    const bystander = await scene.open()
    await scene.expire(order)
    await armed(scene, reentry(order))
    await scene.send(scene.stranger, htlcCall.redeem(order))
    expect(await scene.balance(scene.redeemer.address)).toBe(order.amount)
    expect(await scene.balance(scene.htlc)).toBe(bystander.amount)
  })

  it('cannot redeem an order whose money has not arrived', async () => {
    const scene = await createHtlcScene('ERC-20', reentrantToken)
    const bystander = await scene.open()
    const order = scene.newOrder()
    await armed(scene, htlcCall.redeem(order))
    await expect(scene.initiate(order)).rejects.toThrow('HTLC__AmountNotReceived')
    expect(await scene.balance(scene.htlc)).toBe(bystander.amount)
  })

  it('cannot pass a balance that shrank for one that grew', async () => {
    const scene = await createHtlcScene('ERC-20', reentrantToken)
    const paidOut = await scene.open()
    const order = scene.newOrder()
    await armed(scene, htlcCall.redeem(paidOut), order.amount)
    await expect(scene.initiate(order)).rejects.toThrow('HTLC__AmountNotReceived')
    expect(await scene.state(order)).toBe(0n)
    expect(await scene.balance(scene.htlc)).toBe(paidOut.amount)
  })

  it('cannot initiate an order twice for one payment', async () => {
    const scene = await createHtlcScene('ERC-20', reentrantToken)
    const order = scene.newOrder()
    const signature = await scene.initiator.signTypedData(initiateTypedData(scene.domain, order))
    await armed(scene, htlcCall.initiateWithSignature(order, signature))
    await scene.initiate(order)
    expect(await callSucceeded(scene)).toBe(false)
    expect(await scene.balance(scene.htlc)).toBe(order.amount)
  })
})
