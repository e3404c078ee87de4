/** The HTLC for tokens of HyperCore, on the simulator: the deposit address of an order, and what is refused. */
import { decodeFunctionResult, encodeFunctionData, erc20Abi, type Hex, numberToHex } from 'viem'
import { describe, expect, test } from 'vitest'
import { htlcCore } from '../../../contracts/evm/artifacts/htlc-core.ts'
import { reentrantToken } from '../../../contracts/evm/artifacts/reentrant-token.ts'
import { testToken } from '../../../contracts/evm/artifacts/test-token.ts'
import { coreTokens } from '../../../devnet/hypercore/core-state-machine.ts'
import { depositAddressOf } from './htlc.ts'
import { AMOUNT, onCore, useHtlcCore, WINDOW } from './htlc-core.fixture.ts'
import { on, onDeposit, redeeming } from './htlc-core-order.fixture.ts'
import { EVM_PER_CORE } from './hypercore.fixture.ts'

const core = useHtlcCore()
const { newOrder, send, call, pay, refusal, gainOf, makeTwin } = core

describe('the deposit address of an order', () => {
  test('follows from the terms alone, and differs for other terms', async () => {
    const order = newOrder()
    const told = await core.fixture.local.request({
      method: 'eth_call',
      params: [{ to: core.contract.address, data: onDeposit('depositAddress', order) }, 'latest'],
    })
    const { terms, deadline } = order.swap
    expect(`0x${(told as Hex).slice(26)}`).toBe(depositAddressOf(core.contract, order.swap))
    const others = [
      { ...terms, initiator: core.fixture.relay.address },
      { ...terms, redeemer: core.fixture.relay.address },
      { ...terms, amount: AMOUNT + 1n },
      { ...terms, timelock: 601n },
      { ...terms, secretHash: '12'.repeat(32) },
    ].map((other) => ({ terms: other, deadline }))
    const all = [order.swap, { terms, deadline: deadline + 1n }, ...others]
    expect(new Set(all.map((swap) => depositAddressOf(core.contract, swap))).size).toBe(7)
  })

  test('initiates the order with the amount and returns a surplus, on HyperEVM if it is below the smallest unit of HyperCore', async () => {
    const order = newOrder()
    await pay(order, (AMOUNT + 5n) * EVM_PER_CORE + 7n)
    expect(await gainOf(core.fixture.user.address, () => call(core.fixture.relay, onDeposit('initiateFromDeposit', order)))).toEqual({
      spot: 5n,
      evm: 7n,
    })
    expect(await core.fixture.evmBalance(core.contract.address)).toBe(AMOUNT * EVM_PER_CORE)
    expect(await refusal(core.fixture.relay.address, onDeposit('initiateFromDeposit', order))).toBe('HTLC__DuplicateOrder')
  })

  test('initiates nothing with less, or with the deposit of another order', async () => {
    const [order, other] = [newOrder(), newOrder()]
    await pay(order, AMOUNT * EVM_PER_CORE - 1n)
    await pay(other, AMOUNT * EVM_PER_CORE)
    expect(await refusal(core.fixture.relay.address, onDeposit('initiateFromDeposit', order))).toBe('HTLC__AmountNotReceived')
    await pay(order, 1n)
    expect(await call(core.fixture.relay, onDeposit('initiateFromDeposit', order))).toBe(true)
    expect(await core.fixture.evmBalance(depositAddressOf(core.contract, other.swap))).toBe(AMOUNT * EVM_PER_CORE)
  })

  test('is reclaimed to the initiator: only by the initiator before the order is initiated, by anyone afterwards, repeatedly', async () => {
    const order = newOrder()
    const reclaim = onDeposit('reclaimDeposit', order)
    await pay(order, AMOUNT * EVM_PER_CORE)
    expect(await refusal(core.fixture.solver.address, reclaim)).toBe('HTLC__NotTheInitiator')
    expect(await gainOf(core.fixture.user.address, () => call(core.fixture.user, reclaim))).toEqual(onCore)

    await pay(order, AMOUNT * EVM_PER_CORE)
    expect(await call(core.fixture.relay, onDeposit('initiateFromDeposit', order))).toBe(true)
    await pay(order, AMOUNT * EVM_PER_CORE)
    expect(await gainOf(core.fixture.user.address, () => call(core.fixture.solver, reclaim))).toEqual(onCore)
    await call(core.fixture.relay, redeeming(order))
    await pay(order, AMOUNT * EVM_PER_CORE)
    expect(await gainOf(core.fixture.user.address, () => call(core.fixture.solver, reclaim))).toEqual(onCore)
    expect(await gainOf(core.fixture.user.address, () => call(core.fixture.solver, reclaim))).toEqual({ spot: 0n, evm: 0n })
    expect(await core.fixture.evmBalance(core.contract.address)).toBe(0n)
  })

  test('initiates nothing after its deadline, and anyone may reclaim it to the initiator from then on', async () => {
    const order = newOrder()
    await pay(order, AMOUNT * EVM_PER_CORE)
    await core.fixture.local.request({ method: 'evm_increaseTime', params: [numberToHex(2n * WINDOW)] })
    await core.fixture.mine()
    expect(await refusal(core.fixture.relay.address, onDeposit('initiateFromDeposit', order))).toBe('HTLC__DepositTooLate')
    const later = { ...order, swap: { ...order.swap, deadline: order.swap.deadline + 10n * WINDOW } }
    expect(await refusal(core.fixture.relay.address, onDeposit('initiateFromDeposit', later))).toBe('HTLC__AmountNotReceived')
    expect(await gainOf(core.fixture.user.address, () => call(core.fixture.solver, onDeposit('reclaimDeposit', order)))).toEqual(onCore)
  })

  test('can be read together with many others', async () => {
    const orders = [newOrder(), newOrder(), newOrder()]
    for (const [index, order] of orders.entries()) if (index !== 1) await pay(order, BigInt(index + 1))
    const owners = orders.map(({ swap }) => depositAddressOf(core.contract, swap))
    const question = { abi: htlcCore.abi, functionName: 'balancesOf', args: [owners] } as const
    const data = await core.fixture.local.request({
      method: 'eth_call',
      params: [{ to: core.contract.address, data: encodeFunctionData(question) }, 'latest'],
    })
    expect(decodeFunctionResult({ ...question, data: data as Hex })).toEqual([1n, 0n, 3n])
  })

  test('returns its own surplus, and nothing that arrives for other orders at the same time', async () => {
    const token = await core.fixture.deploy(reentrantToken)
    await core.fixture.local.link(coreTokens.hype, { erc20: token, weiDecimals: 18, extraDecimals: 0 })
    await makeTwin(coreTokens.hype, token)
    const mint = encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [core.fixture.user.address, 10n * AMOUNT] })
    await send(core.fixture.user, token, mint)
    const [order, other] = [newOrder(), newOrder()]
    await pay(order, AMOUNT + 3n)
    await pay(other, AMOUNT)
    // The token initiates the other order while it moves the deposit of this one.
    const args = [core.contract.address, onDeposit('initiateFromDeposit', other), 0n] as const
    await send(core.fixture.user, token, encodeFunctionData({ abi: reentrantToken.abi, functionName: 'arm', args }))
    expect(await call(core.fixture.relay, onDeposit('initiateFromDeposit', order))).toBe(true)
    expect(await refusal(core.fixture.relay.address, onDeposit('initiateFromDeposit', other))).toBe('HTLC__DuplicateOrder')
    const balance = await core.fixture.local.request({
      method: 'eth_call',
      params: [
        { to: token, data: encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [core.contract.address] }) },
        'latest',
      ],
    })
    expect(BigInt(balance as Hex)).toBe(2n * AMOUNT)
  })

  test('returns payments of others for an initiated order to the initiator', async () => {
    const order = newOrder()
    await pay(order, AMOUNT * EVM_PER_CORE)
    const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [core.contract.address, 2n ** 255n] })
    await send(core.fixture.solver, core.contract.token, approve)
    // Somebody initiates the same order with their own money.
    expect(await call(core.fixture.solver, on('initiateOnBehalf', order))).toBe(true)
    expect(await refusal(core.fixture.relay.address, onDeposit('initiateFromDeposit', order))).toBe('HTLC__DuplicateOrder')
    expect(await gainOf(core.fixture.user.address, () => call(core.fixture.relay, onDeposit('reclaimDeposit', order)))).toEqual(onCore)
  })

  test('returns native coin that was sent there by mistake', async () => {
    const order = newOrder()
    const deposit = depositAddressOf(core.contract, order.swap)
    await pay(order, AMOUNT * EVM_PER_CORE)
    await send(core.fixture.solver, deposit, '0x', { value: 10n ** 17n })
    const coins = async () =>
      BigInt((await core.fixture.local.request({ method: 'eth_getBalance', params: [core.fixture.user.address, 'latest'] })) as Hex)
    const before = await coins()
    await call(core.fixture.relay, onDeposit('initiateFromDeposit', order))
    expect((await coins()) - before).toBe(10n ** 17n)
  })
})

test('an order above the largest amount of HyperCore is refused, in every way of funding', async () => {
  const order = newOrder({ amount: 2n ** 64n })
  const { user, relay } = core.fixture
  expect(await refusal(relay.address, onDeposit('initiateFromDeposit', order))).toBe('HTLC__AmountTooLarge')
  expect(await refusal(user.address, on('initiateOnBehalf', order))).toBe('HTLC__AmountTooLarge')
})

test('there is no HTLC for a token that HyperCore does not know, does not link, or links with fewer decimals', async () => {
  const deployment = (token: bigint) => `${htlcCore.bytecode}${numberToHex(token, { size: 32 }).slice(2)}` as Hex
  const refusedFor = (token: bigint) => refusal(core.fixture.user.address, deployment(token), null)
  expect(await refusedFor(coreTokens.purr)).toBe('none')
  expect(await refusedFor(coreTokens.usdc)).toBe('HTLC__TokenNotLinked')
  expect(await refusedFor(999n)).toBe('nothing')
  await core.fixture.local.link(coreTokens.hype, { erc20: core.contract.token, weiDecimals: 8, extraDecimals: -2 })
  expect(await refusedFor(coreTokens.hype)).toBe('HTLC__TokenNotLinked')
})
