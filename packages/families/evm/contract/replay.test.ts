// Tests replay: a signature or a deposit is good once, on one chain, for one contract and one order. Front-running it gains nothing.
import { type Address, encodeFunctionData, type Hex, hexToBigInt, numberToHex, type PrivateKeyAccount } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { htlcErc20 } from './artifacts/htlc-erc20.ts'
import { testToken } from './artifacts/test-token.ts'
import { type ContractFixture, createContractFixture } from './contract.fixture.ts'
import { createDepositSetup, type DepositSetup } from './deposit.fixture.ts'
import { createOrder, type HtlcDomain, type HtlcOrder, htlcCall, initiateTypedData, refundTypedData } from './htlc-order.fixture.ts'

const invalidSignature = 'HTLC__InvalidSignature'

let setup: DepositSetup
beforeAll(async () => {
  setup = await createDepositSetup('ERC-20')
})
const sign = (order: HtlcOrder) => setup.initiator.signTypedData(initiateTypedData(setup.domain, order))
const mint = (to: Address, amount: bigint) => encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [to, amount] })
const relay = (order: HtlcOrder, signature: Hex) => setup.send(setup.stranger, htlcCall.initiateWithSignature(order, signature))

describe('on another chain', () => {
  /** The payer has balance and allowance, so that only the signature can stop an initiation. */
  async function fund(fixture: ContractFixture, token: Hex, htlc: Hex, payer: PrivateKeyAccount) {
    const approve = encodeFunctionData({ abi: testToken.abi, functionName: 'approve', args: [htlc, 10n ** 12n] })
    await fixture.request({ method: 'hardhat_setBalance', params: [payer.address, '0xde0b6b3a7640000'] })
    for (const data of [mint(payer.address, 10n ** 12n), approve]) await fixture.send({ from: payer, to: token, data })
  }

  /** Both contracts have the addresses that they have here. */
  async function deployThere() {
    const there = await createContractFixture({ chainId: 99, deployer: setup.fixture.deployer })
    const token = await there.deploy(testToken, ['Test', 'TEST', 8])
    const htlc = await there.deploy(htlcErc20, [token])
    expect([token, htlc]).toEqual([setup.token, setup.htlc])
    return { there, token, htlc, sendThere: (data: Hex, to = htlc) => there.send({ from: there.accounts[0], to, data }) }
  }

  it('neither signature is valid at the same contract with the same address', async () => {
    const { there, token, htlc, sendThere } = await deployThere()
    await fund(there, token, htlc, setup.initiator)
    const order = setup.newOrder()
    await relay(order, await sign(order))
    await expect(sendThere(htlcCall.initiateWithSignature(order, await sign(order)))).rejects.toThrow(invalidSignature)
    const domain: HtlcDomain = { ...setup.domain, chainId: 99 }
    const signature = await setup.initiator.signTypedData(initiateTypedData(domain, order))
    await sendThere(htlcCall.initiateWithSignature(order, signature))

    const consent = await setup.redeemer.signTypedData(refundTypedData(setup.domain, order))
    await expect(sendThere(htlcCall.instantRefund(order, consent))).rejects.toThrow(invalidSignature)
    await setup.send(setup.stranger, htlcCall.instantRefund(order, consent))
    await expect(relay(order, await sign(order))).rejects.toThrow('HTLC__DuplicateOrder')
  })

  it('what is paid to the same deposit address opens nothing and goes back, and opens its order here', async () => {
    const { there, token, sendThere } = await deployThere()
    const deposit = await setup.paid()
    const { initiator, amount } = deposit.order
    await sendThere(mint(await setup.addressOf(deposit), amount), token)
    await expect(sendThere(htlcCall.initiateDeposit(deposit))).rejects.toThrow('HTLC__OtherChain')
    await setup.initiateDeposit(deposit)
    await expect(sendThere(htlcCall.initiateDeposit(deposit))).rejects.toThrow('HTLC__OtherChain')
    await sendThere(htlcCall.reclaimDeposited(deposit, token))
    const balance = encodeFunctionData({ abi: testToken.abi, functionName: 'balanceOf', args: [initiator] })
    expect(hexToBigInt(await there.read(token, balance))).toBe(amount)
  })

  it('after a chain split a signature is valid on one branch only', async () => {
    const branch = await createContractFixture({ chainId: 99 })
    for (const address of [setup.htlc, setup.token]) {
      const code = await setup.fixture.request({ method: 'eth_getCode', params: [address, 'latest'] })
      await branch.request({ method: 'hardhat_setCode', params: [address, code] })
    }
    const [signer, redeemer, relayer] = branch.accounts
    await fund(branch, setup.token, setup.htlc, signer)
    const order = createOrder({ initiator: signer.address, redeemer: redeemer.address })
    const relayOnBranch = async (chainId: number) => {
      const signature = await signer.signTypedData(initiateTypedData({ ...setup.domain, chainId }, order))
      return branch.send({ from: relayer, to: setup.htlc, data: htlcCall.initiateWithSignature(order, signature) })
    }
    await expect(relayOnBranch(setup.fixture.chainId)).rejects.toThrow(invalidSignature)
    await relayOnBranch(99)

    // An order that was open before the split is settled under the same id on both branches.
    const old = setup.newOrder()
    const initiatedAt = numberToHex(1_700_000_000n, { size: 32 })
    await branch.request({ method: 'hardhat_setStorageAt', params: [setup.htlc, setup.orderId(old), initiatedAt] })
    await branch.send({ from: relayer, to: setup.htlc, data: htlcCall.redeem(old) })

    // A deposit of before the split opens the same order on both branches.
    const deposit = await setup.paid()
    await branch.send({ from: relayer, to: setup.token, data: mint(await setup.addressOf(deposit), deposit.order.amount) })
    for (const data of [htlcCall.initiateDeposit(deposit), htlcCall.redeem(deposit.order)]) {
      await branch.send({ from: relayer, to: setup.htlc, data })
      await setup.send(setup.stranger, data)
    }
  })
})

describe('at another contract', () => {
  it('a consent to an instant refund is refused, though the order has the same terms', async () => {
    const twin = await setup.fixture.deploy(htlcErc20, [setup.token])
    const approve = encodeFunctionData({ abi: testToken.abi, functionName: 'approve', args: [twin, 10n ** 12n] })
    await setup.fixture.send({ from: setup.initiator, to: setup.token, data: approve })
    const order = await setup.open()
    const atTwin = (data: Hex) => setup.fixture.send({ from: setup.stranger, to: twin, data })
    await setup.fixture.send({ from: setup.initiator, to: twin, data: htlcCall.initiate(order) })
    const consent = await setup.redeemer.signTypedData(refundTypedData(setup.domain, order))
    await expect(atTwin(htlcCall.instantRefund(order, consent))).rejects.toThrow(invalidSignature)
    await setup.send(setup.stranger, htlcCall.instantRefund(order, consent))
    await atTwin(htlcCall.redeem(order))
  })

  it('a deposit opens nothing and is not returned, and opens its order here', async () => {
    const twin = await setup.fixture.deploy(htlcErc20, [setup.token])
    const deposit = await setup.paid()
    const atTwin = (data: Hex) => setup.fixture.send({ from: setup.initiator, to: twin, data })
    await expect(atTwin(htlcCall.initiateDeposit(deposit))).rejects.toThrow('HTLC__TransferFailed')
    await expect(atTwin(htlcCall.reclaimDeposited(deposit, setup.token))).rejects.toThrow('HTLC__NothingToReturn')
    await setup.initiateDeposit(deposit)
    expect(await setup.held(deposit)).toBe(0n)
  })
})

describe('a front-runner of a signed or sponsored order', () => {
  it('a stranger who funds it only pays for it: the order is open, a refund goes to the initiator, and the signature is used up', async () => {
    const order = setup.newOrder()
    const signature = await sign(order)
    const before = await setup.balance(setup.initiator.address)
    await setup.send(setup.stranger, htlcCall.initiateOnBehalf(order))
    await expect(relay(order, signature)).rejects.toThrow('HTLC__DuplicateOrder')
    await expect(setup.initiate(order)).rejects.toThrow('HTLC__DuplicateOrder')
    await setup.expire(order)
    await setup.send(setup.stranger, htlcCall.refund(order))
    expect(await setup.balance(setup.initiator.address)).toBe(before + order.amount)
    await expect(relay(order, signature)).rejects.toThrow('HTLC__DuplicateOrder')
  })

  it('a relayer of the signature creates exactly the order that was signed', async () => {
    const order = setup.newOrder()
    const signature = await sign(order)
    await setup.send(setup.redeemer, htlcCall.initiateWithSignature(order, signature))
    await expect(relay(order, signature)).rejects.toThrow('HTLC__DuplicateOrder')
    const before = await setup.balance(setup.redeemer.address)
    await setup.send(setup.stranger, htlcCall.redeem(order))
    expect(await setup.balance(setup.redeemer.address)).toBe(before + order.amount)
  })

  it('cannot block the order with a like one of another initiator, amount, timelock or redeemer: that has another id', async () => {
    const order = setup.newOrder()
    const likes: HtlcOrder[] = [
      { ...order, initiator: setup.stranger.address },
      { ...order, amount: 1n },
      { ...order, timelock: 1n },
      { ...order, redeemer: setup.stranger.address },
    ]
    for (const like of likes) await setup.send(setup.stranger, htlcCall.initiateOnBehalf(like))
    await relay(order, await sign(order))
    const ids = [order, ...likes].map(setup.orderId)
    expect(new Set(ids).size).toBe(ids.length)
    const locked = await setup.balance(setup.htlc)
    await setup.send(setup.stranger, htlcCall.redeem(order))
    expect(await setup.balance(setup.htlc)).toBe(locked - order.amount)
  })
})

describe('an order that a deposit address was paid for', () => {
  // The clock of the first setup is past its deadlines by now.
  beforeAll(async () => {
    setup = await createDepositSetup('ERC-20')
  })

  it('opens once: after the deposit has opened it no other way does, nor after its refund', async () => {
    const deposit = await setup.paid()
    const { order } = deposit
    const signature = await sign(order)
    await setup.initiateDeposit(deposit)
    await setup.pay(deposit, order.amount)
    for (const state of ['open', 'refunded']) {
      if (state === 'refunded') await setup.send(setup.redeemer, htlcCall.instantRefund(order, '0x'))
      for (const data of [
        htlcCall.initiateWithSignature(order, signature),
        htlcCall.initiateOnBehalf(order),
        htlcCall.initiateDeposit(deposit),
      ])
        await expect(setup.send(setup.stranger, data)).rejects.toThrow('HTLC__DuplicateOrder')
      await expect(setup.initiate(order)).rejects.toThrow('HTLC__DuplicateOrder')
    }
    await setup.expectReturn(deposit, order.amount, setup.stranger)
  })

  it('opens once: after a signature has opened it the deposit only goes back, before its refund and after', async () => {
    const deposit = await setup.paid()
    const { order } = deposit
    await relay(order, await sign(order))
    await expect(setup.initiateDeposit(deposit)).rejects.toThrow('HTLC__DuplicateOrder')
    await setup.expectReturn(deposit, order.amount, setup.stranger)
    await setup.send(setup.redeemer, htlcCall.instantRefund(order, '0x'))
    await setup.pay(deposit, order.amount)
    await expect(setup.initiateDeposit(deposit)).rejects.toThrow('HTLC__DuplicateOrder')
    await setup.expectReturn(deposit, order.amount, setup.stranger)
  })

  it('cannot be refunded through a deposit address of it that nobody paid', async () => {
    const order = await setup.open()
    const deposit = { ...setup.newDeposit(), order }
    for (const caller of [setup.initiator, setup.stranger])
      expect(await setup.attempt(htlcCall.reclaimDeposited(deposit, setup.token), caller)).toBe('HTLC__NothingToReturn')
    await setup.send(setup.stranger, htlcCall.redeem(order))
  })
})
