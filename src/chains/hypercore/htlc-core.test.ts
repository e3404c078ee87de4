/** The HTLC for tokens of HyperCore, on the simulator: every way in which HyperCore could silently lose a payout, and the deposit address of an order. */
import { type Address, decodeFunctionResult, encodeFunctionData, erc20Abi, type Hex, numberToHex } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { contractAccount } from '../../../contracts/evm/artifacts/contract-account.ts'
import { htlcCore } from '../../../contracts/evm/artifacts/htlc-core.ts'
import { reentrantToken } from '../../../contracts/evm/artifacts/reentrant-token.ts'
import { testToken } from '../../../contracts/evm/artifacts/test-token.ts'
import { coreTokens } from '../../../devnet/hypercore/core-state-machine.ts'
import { CORE_USER_EXISTS, CORE_WRITER, systemAddressOf } from './core.ts'
import { depositAddressOf } from './htlc.ts'
import {
  type CoreOrder,
  createCoreOrder,
  type OrderChange,
  on,
  onDeposit,
  redeeming,
  refusalOf,
  transfer,
} from './htlc-core-order.fixture.ts'
import { createHypercoreFixture, EVM_PER_CORE, type HypercoreFixture, ON_EVM, type TestParty } from './hypercore.fixture.ts'

const AMOUNT = 1_000_000n
/** Seconds in which an order may be funded. */
const WINDOW = 3_600n

let fixture: HypercoreFixture
/** The HTLC under test. */
let contract: HypercoreFixture['contract']
let now: bigint
let snapshot: unknown
beforeAll(async () => {
  fixture = await createHypercoreFixture()
})
afterAll(() => fixture.close())
beforeEach(async () => {
  snapshot = await fixture.local.request({ method: 'evm_snapshot' })
  contract = fixture.contract
  now = await timeNow()
})
afterEach(async () => {
  await fixture.local.request({ method: 'evm_revert', params: [snapshot] })
})

async function timeNow(): Promise<bigint> {
  const block = (await fixture.local.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })) as { timestamp: Hex }
  return BigInt(block.timestamp)
}

/** Another HTLC of the token, or of another token, with an account on HyperCore of its own. */
async function makeTwin(coreToken: bigint = coreTokens.purr, token = fixture.contract.token): Promise<void> {
  contract = { ...contract, address: await fixture.deploy(htlcCore, [coreToken]), token }
  await fixture.faucet.fundSpot(contract.address, coreTokens.usdc, 1n)
}

const newOrder = (change: OrderChange = {}) =>
  createCoreOrder(fixture, { redeemer: fixture.solver.address, amount: AMOUNT, ...change }, now + WINDOW)

/** Mined together with all pending transactions. */
async function send(
  party: TestParty,
  to: Address,
  data: Hex,
  more: { readonly value?: bigint; readonly gas?: bigint } = {},
): Promise<boolean> {
  const hash = await fixture.sendAs(party, { to, data, ...more })
  await fixture.mine()
  const receipt = (await fixture.local.request({ method: 'eth_getTransactionReceipt', params: [hash] })) as { status: Hex }
  return receipt.status === '0x1'
}

const call = (party: TestParty, data: Hex) => send(party, contract.address, data)
const pay = (order: CoreOrder, evmAmount: bigint) =>
  send(fixture.user, contract.token, transfer(depositAddressOf(contract, order.swap), evmAmount))

const refusal = (from: Address, data: Hex, to: Address | null = contract.address) => refusalOf(fixture, from, data, to)

async function opened(change: OrderChange = {}): Promise<CoreOrder> {
  const order = newOrder(change)
  expect(await pay(order, order.swap.terms.amount * EVM_PER_CORE)).toBe(true)
  expect(await call(fixture.relay, onDeposit('initiateFromDeposit', order))).toBe(true)
  return order
}

/** The change on each side of an account, in its own units. */
async function gainOf(owner: Address, act: () => Promise<unknown>): Promise<{ readonly spot: bigint; readonly evm: bigint }> {
  const before = [await fixture.spotBalance(owner), await fixture.evmBalance(owner)] as const
  const stranded = await fixture.spotBalance(contract.address)
  await act()
  // Nothing may stay in the contract's own account on HyperCore: nothing can be sent from there.
  expect(await fixture.spotBalance(contract.address)).toBe(stranded)
  return { spot: (await fixture.spotBalance(owner)) - before[0], evm: (await fixture.evmBalance(owner)) - before[1] }
}

const onCore = { spot: AMOUNT, evm: 0n }
const onEvm = { spot: 0n, evm: AMOUNT * EVM_PER_CORE }

describe('a payout', () => {
  test('reaches the spot account of the redeemer, and after the timelock that of the initiator', async () => {
    const [redeemed, refunded] = [await opened(), await opened()]
    expect(await gainOf(fixture.solver.address, () => call(fixture.relay, redeeming(redeemed)))).toEqual(onCore)
    await fixture.passSeconds(600n)
    expect(await gainOf(fixture.user.address, () => call(fixture.relay, on('refund', refunded)))).toEqual(onCore)
    expect(await fixture.evmBalance(contract.address)).toBe(0n)
  })

  test('of an instant refund reaches the spot account, too', async () => {
    const { args } = await opened()
    const data = encodeFunctionData({ abi: htlcCore.abi, functionName: 'instantRefund', args: [...args, '0x'] })
    expect(await gainOf(fixture.user.address, () => call(fixture.solver, data))).toEqual(onCore)
  })

  test('stays on HyperEVM when the payee has no account on HyperCore: sending there would cost a fee', async () => {
    const stranger = await fixture.party()
    const order = await opened({ redeemer: stranger.address })
    expect(await gainOf(stranger.address, () => call(fixture.relay, redeeming(order)))).toEqual(onEvm)
  })

  test('stays on HyperEVM when the HTLC itself has no account on HyperCore: it could not forward the credit', async () => {
    contract = { ...contract, address: await fixture.deploy(htlcCore, [coreTokens.purr]) }
    const order = await opened()
    expect(await gainOf(fixture.solver.address, () => call(fixture.relay, redeeming(order)))).toEqual(onEvm)
  })

  test('stays on HyperEVM when the bridge has too little on HyperCore, where it would be lost', async () => {
    const order = await opened()
    await fixture.local.setBridgeBalance(coreTokens.purr, AMOUNT - 1n)
    expect(await gainOf(fixture.solver.address, () => call(fixture.relay, redeeming(order)))).toEqual(onEvm)
  })

  /** Somebody else moves the amount to HyperCore in the same block, before the redeem. */
  const redeemBehind = async (order: CoreOrder, crossing: bigint) => {
    await fixture.sendAs(fixture.relay, { to: contract.address, data: redeeming(order) })
    const data = transfer(systemAddressOf(coreTokens.purr), crossing * EVM_PER_CORE)
    await fixture.sendAs(fixture.solver, { to: contract.token, data, tip: 50_000_000_000n })
    await fixture.mine()
  }

  test('is not lost to other transfers in the same block when the bridge has less on HyperCore than circulates on HyperEVM', async () => {
    const onHyperEvm = 2n * ON_EVM
    await fixture.local.setBridgeBalance(coreTokens.purr, (onHyperEvm * 3n) / 4n)
    await makeTwin()
    const stranger = await fixture.party()
    await fixture.faucet.fundSpot(stranger.address, coreTokens.usdc, 1n)
    const amount = (ON_EVM * 6n) / 10n
    const order = await opened({ amount, redeemer: stranger.address })
    const gain = await gainOf(stranger.address, () => redeemBehind(order, ON_EVM))
    expect(gain).toEqual({ spot: 0n, evm: amount * EVM_PER_CORE })
  })

  test('is not lost either when more of the ERC-20 was minted than the bridge holds', async () => {
    const order = await opened()
    const mint = encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [fixture.relay.address, 10n ** 28n + 1n] })
    await send(fixture.relay, contract.token, mint)
    await gainOf(fixture.solver.address, () => redeemBehind(order, ON_EVM))
    expect(await fixture.evmBalance(fixture.solver.address)).toBe(AMOUNT * EVM_PER_CORE)
  })

  test('reaches the spot account despite other transfers in the same block when the bridge covers the whole supply', async () => {
    await fixture.local.setBridgeBalance(coreTokens.purr, 2n * ON_EVM)
    await makeTwin()
    const order = await opened()
    expect((await gainOf(fixture.solver.address, () => redeemBehind(order, ON_EVM))).spot).toBe(AMOUNT + ON_EVM)
  })

  test('stays on HyperEVM when the payee is a contract, even if it has an account on HyperCore', async () => {
    const account = await fixture.deploy(contractAccount)
    await fixture.faucet.fundSpot(account, coreTokens.usdc, 1n)
    const order = await opened({ redeemer: account })
    expect(await gainOf(account, () => call(fixture.relay, redeeming(order)))).toEqual(onEvm)
  })

  test.each([
    { what: 'the writer of actions is gone', at: CORE_WRITER, code: '0x' },
    { what: 'the writer of actions refuses', at: CORE_WRITER, code: '0x5f5ffd' },
    { what: 'a read burns all gas it is given', at: CORE_USER_EXISTS, code: '0xfe' },
    { what: 'a read answers nothing', at: CORE_USER_EXISTS, code: '0x' },
  ])('stays on HyperEVM, within the gas that we pay for, when $what', async ({ at, code }) => {
    const order = await opened()
    await fixture.local.request({ method: 'hardhat_setCode', params: [at, code] })
    const redeem = () => send(fixture.relay, contract.address, redeeming(order), { gas: 300_000n })
    expect(await gainOf(fixture.solver.address, redeem)).toEqual(onEvm)
  })

  test('is not diverted to HyperEVM by a sender that gives too little gas', async () => {
    const order = await opened()
    const request = { from: fixture.relay.address, to: contract.address, data: redeeming(order) }
    const enough = BigInt((await fixture.local.request({ method: 'eth_estimateGas', params: [request] })) as Hex)
    expect(enough).toBeLessThan(200_000n)
    for (let gas = enough - 90_000n; gas < enough; gas += 6_000n) {
      const start = await fixture.local.request({ method: 'evm_snapshot' })
      const { evm } = await gainOf(fixture.solver.address, () => send(fixture.relay, contract.address, redeeming(order), { gas }))
      expect(evm, `with ${gas} gas`).toBe(0n)
      await fixture.local.request({ method: 'evm_revert', params: [start] })
    }
  })

  test('stays on HyperEVM when the orders of a batch together exceed the largest amount of HyperCore', async () => {
    const amount = 2n ** 63n
    const mint = encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [fixture.user.address, 2n * amount * EVM_PER_CORE] })
    await send(fixture.user, contract.token, mint)
    await fixture.local.setBridgeBalance(coreTokens.purr, 2n ** 65n)
    await makeTwin()
    const orders = [await opened({ amount }), await opened({ amount })]
    const items = orders.map(({ args: [initiator, , timelock], secret }) => ({ initiator, timelock, amount, secret }))
    const data = encodeFunctionData({ abi: htlcCore.abi, functionName: 'redeemBatch', args: [fixture.solver.address, items] })
    expect(await gainOf(fixture.solver.address, () => call(fixture.relay, data))).toEqual({ spot: 0n, evm: 2n * amount * EVM_PER_CORE })
    expect(await fixture.evmBalance(contract.address)).toBe(0n)
    const alone = await opened({ amount: 2n ** 20n })
    expect((await gainOf(fixture.solver.address, () => call(fixture.relay, redeeming(alone)))).spot).toBe(2n ** 20n)
  })
})

describe('the deposit address of an order', () => {
  test('follows from the terms alone, and differs for other terms', async () => {
    const order = newOrder()
    const told = await fixture.local.request({
      method: 'eth_call',
      params: [{ to: contract.address, data: onDeposit('depositAddress', order) }, 'latest'],
    })
    const { terms, deadline } = order.swap
    expect(`0x${(told as Hex).slice(26)}`).toBe(depositAddressOf(contract, order.swap))
    const others = [
      { ...terms, initiator: fixture.relay.address },
      { ...terms, redeemer: fixture.relay.address },
      { ...terms, amount: AMOUNT + 1n },
      { ...terms, timelock: 601n },
      { ...terms, secretHash: '12'.repeat(32) },
    ].map((other) => ({ terms: other, deadline }))
    const all = [order.swap, { terms, deadline: deadline + 1n }, ...others]
    expect(new Set(all.map((swap) => depositAddressOf(contract, swap))).size).toBe(7)
  })

  test('initiates the order with the amount and returns a surplus, on HyperEVM if it is below the smallest unit of HyperCore', async () => {
    const order = newOrder()
    await pay(order, (AMOUNT + 5n) * EVM_PER_CORE + 7n)
    expect(await gainOf(fixture.user.address, () => call(fixture.relay, onDeposit('initiateFromDeposit', order)))).toEqual({
      spot: 5n,
      evm: 7n,
    })
    expect(await fixture.evmBalance(contract.address)).toBe(AMOUNT * EVM_PER_CORE)
    expect(await refusal(fixture.relay.address, onDeposit('initiateFromDeposit', order))).toBe('HTLC__DuplicateOrder')
  })

  test('initiates nothing with less, or with the deposit of another order', async () => {
    const [order, other] = [newOrder(), newOrder()]
    await pay(order, AMOUNT * EVM_PER_CORE - 1n)
    await pay(other, AMOUNT * EVM_PER_CORE)
    expect(await refusal(fixture.relay.address, onDeposit('initiateFromDeposit', order))).toBe('HTLC__AmountNotReceived')
    await pay(order, 1n)
    expect(await call(fixture.relay, onDeposit('initiateFromDeposit', order))).toBe(true)
    expect(await fixture.evmBalance(depositAddressOf(contract, other.swap))).toBe(AMOUNT * EVM_PER_CORE)
  })

  test('is reclaimed to the initiator: only by the initiator before the order is initiated, by anyone afterwards, repeatedly', async () => {
    const order = newOrder()
    const reclaim = onDeposit('reclaimDeposit', order)
    await pay(order, AMOUNT * EVM_PER_CORE)
    expect(await refusal(fixture.solver.address, reclaim)).toBe('HTLC__NotTheInitiator')
    expect(await gainOf(fixture.user.address, () => call(fixture.user, reclaim))).toEqual(onCore)

    await pay(order, AMOUNT * EVM_PER_CORE)
    expect(await call(fixture.relay, onDeposit('initiateFromDeposit', order))).toBe(true)
    await pay(order, AMOUNT * EVM_PER_CORE)
    expect(await gainOf(fixture.user.address, () => call(fixture.solver, reclaim))).toEqual(onCore)
    await call(fixture.relay, redeeming(order))
    await pay(order, AMOUNT * EVM_PER_CORE)
    expect(await gainOf(fixture.user.address, () => call(fixture.solver, reclaim))).toEqual(onCore)
    expect(await gainOf(fixture.user.address, () => call(fixture.solver, reclaim))).toEqual({ spot: 0n, evm: 0n })
    expect(await fixture.evmBalance(contract.address)).toBe(0n)
  })

  test('initiates nothing after its deadline, and anyone may reclaim it to the initiator from then on', async () => {
    const order = newOrder()
    await pay(order, AMOUNT * EVM_PER_CORE)
    await fixture.local.request({ method: 'evm_increaseTime', params: [numberToHex(2n * WINDOW)] })
    await fixture.mine()
    expect(await refusal(fixture.relay.address, onDeposit('initiateFromDeposit', order))).toBe('HTLC__DepositTooLate')
    const later = { ...order, swap: { ...order.swap, deadline: order.swap.deadline + 10n * WINDOW } }
    expect(await refusal(fixture.relay.address, onDeposit('initiateFromDeposit', later))).toBe('HTLC__AmountNotReceived')
    expect(await gainOf(fixture.user.address, () => call(fixture.solver, onDeposit('reclaimDeposit', order)))).toEqual(onCore)
  })

  test('can be read together with many others', async () => {
    const orders = [newOrder(), newOrder(), newOrder()]
    for (const [index, order] of orders.entries()) if (index !== 1) await pay(order, BigInt(index + 1))
    const owners = orders.map(({ swap }) => depositAddressOf(contract, swap))
    const question = { abi: htlcCore.abi, functionName: 'balancesOf', args: [owners] } as const
    const data = await fixture.local.request({
      method: 'eth_call',
      params: [{ to: contract.address, data: encodeFunctionData(question) }, 'latest'],
    })
    expect(decodeFunctionResult({ ...question, data: data as Hex })).toEqual([1n, 0n, 3n])
  })

  test('returns its own surplus, and nothing that arrives for other orders at the same time', async () => {
    const token = await fixture.deploy(reentrantToken)
    await fixture.local.link(coreTokens.hype, { erc20: token, weiDecimals: 18, extraDecimals: 0 })
    await makeTwin(coreTokens.hype, token)
    const mint = encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [fixture.user.address, 10n * AMOUNT] })
    await send(fixture.user, token, mint)
    const [order, other] = [newOrder(), newOrder()]
    await pay(order, AMOUNT + 3n)
    await pay(other, AMOUNT)
    // The token initiates the other order while it moves the deposit of this one.
    const args = [contract.address, onDeposit('initiateFromDeposit', other), 0n] as const
    await send(fixture.user, token, encodeFunctionData({ abi: reentrantToken.abi, functionName: 'arm', args }))
    expect(await call(fixture.relay, onDeposit('initiateFromDeposit', order))).toBe(true)
    expect(await refusal(fixture.relay.address, onDeposit('initiateFromDeposit', other))).toBe('HTLC__DuplicateOrder')
    const balance = await fixture.local.request({
      method: 'eth_call',
      params: [{ to: token, data: encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [contract.address] }) }, 'latest'],
    })
    expect(BigInt(balance as Hex)).toBe(2n * AMOUNT)
  })

  test('returns payments of others for an initiated order to the initiator', async () => {
    const order = newOrder()
    await pay(order, AMOUNT * EVM_PER_CORE)
    const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [contract.address, 2n ** 255n] })
    await send(fixture.solver, contract.token, approve)
    // Somebody initiates the same order with their own money.
    expect(await call(fixture.solver, on('initiateOnBehalf', order))).toBe(true)
    expect(await refusal(fixture.relay.address, onDeposit('initiateFromDeposit', order))).toBe('HTLC__DuplicateOrder')
    expect(await gainOf(fixture.user.address, () => call(fixture.relay, onDeposit('reclaimDeposit', order)))).toEqual(onCore)
  })

  test('returns native coin that was sent there by mistake', async () => {
    const order = newOrder()
    const deposit = depositAddressOf(contract, order.swap)
    await pay(order, AMOUNT * EVM_PER_CORE)
    await send(fixture.solver, deposit, '0x', { value: 10n ** 17n })
    const coins = async () =>
      BigInt((await fixture.local.request({ method: 'eth_getBalance', params: [fixture.user.address, 'latest'] })) as Hex)
    const before = await coins()
    await call(fixture.relay, onDeposit('initiateFromDeposit', order))
    expect((await coins()) - before).toBe(10n ** 17n)
  })
})

test('an order above the largest amount of HyperCore is refused, in every way of funding', async () => {
  const order = newOrder({ amount: 2n ** 64n })
  const { user, relay } = fixture
  expect(await refusal(relay.address, onDeposit('initiateFromDeposit', order))).toBe('HTLC__AmountTooLarge')
  expect(await refusal(user.address, on('initiateOnBehalf', order))).toBe('HTLC__AmountTooLarge')
})

test('there is no HTLC for a token that HyperCore does not know, does not link, or links with fewer decimals', async () => {
  const deployment = (token: bigint) => `${htlcCore.bytecode}${numberToHex(token, { size: 32 }).slice(2)}` as Hex
  const refusedFor = (token: bigint) => refusal(fixture.user.address, deployment(token), null)
  expect(await refusedFor(coreTokens.purr)).toBe('none')
  expect(await refusedFor(coreTokens.usdc)).toBe('HTLC__TokenNotLinked')
  expect(await refusedFor(999n)).toBe('nothing')
  await fixture.local.link(coreTokens.hype, { erc20: contract.token, weiDecimals: 8, extraDecimals: -2 })
  expect(await refusedFor(coreTokens.hype)).toBe('HTLC__TokenNotLinked')
})
