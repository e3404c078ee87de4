// Replay: a signature is valid once, on one chain, for one contract and one order. Front-running it gains nothing.
import { encodeFunctionData, type Hex, numberToHex, type PrivateKeyAccount } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { htlcErc20 } from './artifacts/htlc-erc20.ts'
import { testToken } from './artifacts/test-token.ts'
import { type ContractFixture, createContractFixture } from './contract.fixture.ts'
import { createHtlcScene, type HtlcScene } from './htlc.fixture.ts'
import { createOrder, type HtlcDomain, type HtlcOrder, htlcCall, initiateTypedData, refundTypedData } from './htlc-order.fixture.ts'

const invalidSignature = 'HTLC__InvalidSignature'

let scene: HtlcScene
beforeAll(async () => {
  scene = await createHtlcScene('ERC-20')
})
const sign = (order: HtlcOrder) => scene.initiator.signTypedData(initiateTypedData(scene.domain, order))
const relay = (order: HtlcOrder, signature: Hex) => scene.send(scene.stranger, htlcCall.initiateWithSignature(order, signature))

describe('on another chain', () => {
  /** Money and permission, so that nothing but the signature can stop an initiation. */
  async function fund(fixture: ContractFixture, token: Hex, htlc: Hex, payer: PrivateKeyAccount) {
    const mint = encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [payer.address, 10n ** 12n] })
    const approve = encodeFunctionData({ abi: testToken.abi, functionName: 'approve', args: [htlc, 10n ** 12n] })
    await fixture.request({ method: 'hardhat_setBalance', params: [payer.address, '0xde0b6b3a7640000'] })
    for (const data of [mint, approve]) await fixture.send({ from: payer, to: token, data })
  }

  it('neither signature counts at the same contract with the same address', async () => {
    const here = scene.fixture
    const there = await createContractFixture({ chainId: 99, deployer: here.deployer })
    const token = await there.deploy(testToken, ['Test', 'TEST', 8])
    const htlc = await there.deploy(htlcErc20, [token])
    expect([token, htlc]).toEqual([scene.token, scene.htlc])
    await fund(there, token, htlc, scene.initiator)

    const order = scene.newOrder()
    const sendThere = (data: Hex) => there.send({ from: there.accounts[0], to: htlc, data })
    await relay(order, await sign(order))
    await expect(sendThere(htlcCall.initiateWithSignature(order, await sign(order)))).rejects.toThrow(invalidSignature)
    const domain: HtlcDomain = { ...scene.domain, chainId: 99 }
    const signature = await scene.initiator.signTypedData(initiateTypedData(domain, order))
    await sendThere(htlcCall.initiateWithSignature(order, signature))

    const consent = await scene.redeemer.signTypedData(refundTypedData(scene.domain, order))
    await expect(sendThere(htlcCall.instantRefund(order, consent))).rejects.toThrow(invalidSignature)
    await scene.send(scene.stranger, htlcCall.instantRefund(order, consent))
    await expect(relay(order, await sign(order))).rejects.toThrow('HTLC__DuplicateOrder')
  })

  it('a signature counts on one branch only after a chain split', async () => {
    const branch = await createContractFixture({ chainId: 99 })
    for (const address of [scene.htlc, scene.token]) {
      const code = await scene.fixture.request({ method: 'eth_getCode', params: [address, 'latest'] })
      await branch.request({ method: 'hardhat_setCode', params: [address, code] })
    }
    const [signer, redeemer, relayer] = branch.accounts
    await fund(branch, scene.token, scene.htlc, signer)
    const order = createOrder({ initiator: signer.address, redeemer: redeemer.address })
    const relayOnBranch = async (chainId: number) => {
      const signature = await signer.signTypedData(initiateTypedData({ ...scene.domain, chainId }, order))
      return branch.send({ from: relayer, to: scene.htlc, data: htlcCall.initiateWithSignature(order, signature) })
    }
    await expect(relayOnBranch(scene.fixture.chainId)).rejects.toThrow(invalidSignature)
    await relayOnBranch(99)

    // What was open before the split is settled under the same id on both branches.
    const old = scene.newOrder()
    const initiatedAt = numberToHex(1_700_000_000n, { size: 32 })
    await branch.request({ method: 'hardhat_setStorageAt', params: [scene.htlc, scene.orderId(old), initiatedAt] })
    await branch.send({ from: relayer, to: scene.htlc, data: htlcCall.redeem(old) })
  })
})

describe('at another contract', () => {
  it('a consent to an instant refund is refused, though the order has the same terms', async () => {
    const twin = await scene.fixture.deploy(htlcErc20, [scene.token])
    const approve = encodeFunctionData({ abi: testToken.abi, functionName: 'approve', args: [twin, 10n ** 12n] })
    await scene.fixture.send({ from: scene.initiator, to: scene.token, data: approve })
    const order = await scene.open()
    const atTwin = (data: Hex) => scene.fixture.send({ from: scene.stranger, to: twin, data })
    await scene.fixture.send({ from: scene.initiator, to: twin, data: htlcCall.initiate(order) })
    const consent = await scene.redeemer.signTypedData(refundTypedData(scene.domain, order))
    await expect(atTwin(htlcCall.instantRefund(order, consent))).rejects.toThrow(invalidSignature)
    await scene.send(scene.stranger, htlcCall.instantRefund(order, consent))
    await atTwin(htlcCall.redeem(order))
  })
})

describe('a front-runner of a signed or sponsored order', () => {
  it('who funds it pays for it: the order is open, a refund goes to the initiator, and the signature is used up', async () => {
    const order = scene.newOrder()
    const signature = await sign(order)
    const before = await scene.balance(scene.initiator.address)
    await scene.send(scene.stranger, htlcCall.initiateOnBehalf(order))
    await expect(relay(order, signature)).rejects.toThrow('HTLC__DuplicateOrder')
    await expect(scene.initiate(order)).rejects.toThrow('HTLC__DuplicateOrder')
    await scene.expire(order)
    await scene.send(scene.stranger, htlcCall.refund(order))
    expect(await scene.balance(scene.initiator.address)).toBe(before + order.amount)
    await expect(relay(order, signature)).rejects.toThrow('HTLC__DuplicateOrder')
  })

  it('who relays the signature creates exactly the order that was signed', async () => {
    const order = scene.newOrder()
    const signature = await sign(order)
    await scene.send(scene.redeemer, htlcCall.initiateWithSignature(order, signature))
    await expect(relay(order, signature)).rejects.toThrow('HTLC__DuplicateOrder')
    const before = await scene.balance(scene.redeemer.address)
    await scene.send(scene.stranger, htlcCall.redeem(order))
    expect(await scene.balance(scene.redeemer.address)).toBe(before + order.amount)
  })

  it('cannot block the order with a like one of another initiator, amount, timelock or redeemer: that has another id', async () => {
    const order = scene.newOrder()
    const likes: HtlcOrder[] = [
      { ...order, initiator: scene.stranger.address },
      { ...order, amount: 1n },
      { ...order, timelock: 1n },
      { ...order, redeemer: scene.stranger.address },
    ]
    for (const like of likes) await scene.send(scene.stranger, htlcCall.initiateOnBehalf(like))
    await relay(order, await sign(order))
    const ids = [order, ...likes].map(scene.orderId)
    expect(new Set(ids).size).toBe(ids.length)
    const locked = await scene.balance(scene.htlc)
    await scene.send(scene.stranger, htlcCall.redeem(order))
    expect(await scene.balance(scene.htlc)).toBe(locked - order.amount)
  })
})
