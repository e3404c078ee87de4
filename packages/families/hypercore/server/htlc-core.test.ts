// Tests the account of each owner at the HTLC for tokens of HyperCore, who can use it, and which calls are refused.

import { htlcCore } from '@tandem/evm/contract/artifacts/htlc-core.ts'
import { reentrantToken } from '@tandem/evm/contract/artifacts/reentrant-token.ts'
import { testToken } from '@tandem/evm/contract/artifacts/test-token.ts'
import { type Address, encodeFunctionData, erc20Abi, type Hex, numberToHex } from 'viem'
import { describe, expect, test } from 'vitest'
import { coreTokens } from '../local/core-state-machine.ts'
import { CORE_WRITER, spotSendData } from '../terms/core.ts'
import { accountAt } from '../terms/htlc.ts'
import { AMOUNT, EVM_AMOUNT, HYPE, NOTHING, onCore, useHtlcCore, WINDOW } from './htlc-core.fixture.ts'
import {
  type CoreOrder,
  consenting,
  crossing,
  initiating,
  on,
  reclaiming,
  redeeming,
  signedInitiating,
  transfer,
  withdrawing,
} from './htlc-core-order.fixture.ts'

const core = useHtlcCore()
const { newOrder, send, call, payOnEvm, payOnCore, account, sign, idOf, refusal, gainOf, makeTwin, undone } = core
const { ask, hypeOf, coinsOf, held, heldFor, isOpen } = core

const passDeadline = () => core.fixture.passSeconds(2n * WINDOW)

describe('the account of an owner', () => {
  test('is the same on both sides, follows from the owner and the contract, and has no code', async () => {
    const { user, solver } = core.fixture
    expect(await account()).toBe(accountAt(core.contract, user.address))
    expect(await account(solver.address)).not.toBe(await account())
    await payOnEvm(EVM_AMOUNT)
    await call(core.fixture.user, withdrawing(coreTokens.purr))
    expect(await core.fixture.local.request({ method: 'eth_getCode', params: [await account(), 'latest'] })).toBe('0x')
  })

  test('is opened by the first transfer to it, for one quote token; without that the transfer is dropped and the money stays', async () => {
    const poor = await core.fixture.party()
    await core.fixture.faucet.fundSpot(poor.address, coreTokens.purr, 2n * AMOUNT)
    const to = await account(poor.address)
    const move = spotSendData({ to, token: coreTokens.purr, amount: AMOUNT })
    await send(poor, CORE_WRITER, move)
    expect([await held(poor.address), await core.fixture.spotBalance(poor.address)]).toEqual([NOTHING, 2n * AMOUNT])
    await core.fixture.faucet.fundSpot(poor.address, coreTokens.usdc, 10n ** 8n)
    await send(poor, CORE_WRITER, move)
    // The second transfer costs nothing.
    await send(poor, CORE_WRITER, move)
    expect([await held(poor.address), await core.fixture.spotBalance(poor.address)]).toEqual([{ spot: 2n * AMOUNT, evm: 0n }, 0n])
  })

  test('is crossed by anyone, with HYPE that the caller sends along, and stays of its owner', async () => {
    await payOnCore(AMOUNT)
    await call(core.fixture.relay, crossing(core.fixture.user.address), { value: HYPE })
    expect(await held()).toEqual(NOTHING)
    await core.fixture.mine()
    expect(await held()).toEqual({ spot: 0n, evm: EVM_AMOUNT })
    const left = await hypeOf(await account())
    expect(left).toBeGreaterThan(0n)
    expect(left).toBeLessThan(HYPE / 10n ** 10n)
    // The rest pays for the next one.
    await payOnCore(AMOUNT)
    await call(core.fixture.relay, crossing(core.fixture.user.address))
    await core.fixture.mine()
    expect(await held()).toEqual({ spot: 0n, evm: 2n * EVM_AMOUNT })
    // The rest belongs to the owner.
    const before = await hypeOf(core.fixture.user.address)
    const rest = await hypeOf(await account())
    await call(core.fixture.user, withdrawing(coreTokens.hype))
    expect([await hypeOf(await account()), (await hypeOf(core.fixture.user.address)) - before]).toEqual([0n, rest])
  })

  test('stays where it is if nobody pays for the crossing, and is crossed by a later try', async () => {
    await payOnCore(AMOUNT)
    await call(core.fixture.relay, crossing(core.fixture.user.address))
    await core.fixture.mine()
    expect(await held()).toEqual({ spot: AMOUNT, evm: 0n })
    await call(core.fixture.relay, crossing(core.fixture.user.address), { value: HYPE })
    await core.fixture.mine()
    expect(await held()).toEqual({ spot: 0n, evm: EVM_AMOUNT })
  })

  test('is crossed once by two callers in one block: neither makes the other fail', async () => {
    await payOnCore(AMOUNT)
    const { relay, solver, user } = core.fixture
    const cross = { to: core.contract.address, data: crossing(user.address) }
    await core.fixture.sendAs(solver, { ...cross, tip: 50_000_000_000n })
    await core.fixture.sendAs(relay, { ...cross, value: HYPE })
    await core.fixture.mine(2)
    expect(await held()).toEqual({ spot: 0n, evm: EVM_AMOUNT })
  })

  test('is not crossed if it is empty, nor with a value that HyperCore cannot count', async () => {
    const { relay, user } = core.fixture
    expect(await refusal(relay.address, crossing(user.address))).toBe('HTLC__NothingToCross')
    await payOnCore(AMOUNT)
    expect((await send(relay, core.contract.address, crossing(user.address), { value: HYPE + 1n })).status).toBe('0x0')
    expect(await held()).toEqual({ spot: AMOUNT, evm: 0n })
  })

  test('is emptied by its owner alone, on both sides, at any time and repeatedly', async () => {
    const { user, solver } = core.fixture
    for (let time = 0; time < 2; time += 1) {
      await payOnCore(AMOUNT)
      await payOnEvm(EVM_AMOUNT + 7n)
      expect(await gainOf(solver.address, () => call(solver, withdrawing(coreTokens.purr)))).toEqual(NOTHING)
      expect(await gainOf(user.address, () => call(user, withdrawing(coreTokens.purr)))).toEqual({ spot: 2n * AMOUNT, evm: 7n })
      expect(await held()).toEqual(NOTHING)
    }
    expect(await core.fixture.evmBalance(core.contract.address)).toBe(0n)
  })

  test('returns native coin that was sent there by mistake', async () => {
    await send(core.fixture.solver, await account(), '0x', { value: 10n ** 17n })
    await payOnEvm(EVM_AMOUNT)
    const order = await newOrder()
    const before = await coinsOf(core.fixture.user.address)
    await call(core.fixture.relay, signedInitiating(order, await sign(order)))
    expect((await coinsOf(core.fixture.user.address)) - before).toBe(10n ** 17n)
  })

  test('can act in one transaction after another: the address is free again when one ends (EIP-6780)', async () => {
    await payOnEvm(2n * EVM_AMOUNT)
    for (const order of [await newOrder(), await newOrder()]) await call(core.fixture.relay, signedInitiating(order, await sign(order)))
    expect(await held()).toEqual(NOTHING)
  })
})

describe('a signature', () => {
  test('alone takes the money from the account, exactly the amount, and leaves the surplus for other orders', async () => {
    const [order, other] = [await newOrder(), await newOrder()]
    await payOnEvm(2n * EVM_AMOUNT + 7n)
    const before = await core.fixture.evmBalance(core.fixture.user.address)
    await call(core.fixture.relay, signedInitiating(order, await sign(order)))
    expect(await held()).toEqual({ spot: 0n, evm: EVM_AMOUNT + 7n })
    await call(core.fixture.relay, signedInitiating(other, await sign(other)))
    expect(await held()).toEqual({ spot: 0n, evm: 7n })
    expect(await core.fixture.evmBalance(core.contract.address)).toBe(2n * EVM_AMOUNT)
    expect(await core.fixture.evmBalance(core.fixture.user.address)).toBe(before)
  })

  test('of another, or over another order, takes nothing from the account; a used or revoked one takes nothing again', async () => {
    const [order, other] = [await newOrder(), await newOrder()]
    const { relay, solver, user } = core.fixture
    await payOnEvm(3n * EVM_AMOUNT)
    expect(await refusal(relay.address, signedInitiating(order, await sign(order, solver)))).toBe('HTLC__InvalidSignature')
    expect(await refusal(relay.address, signedInitiating(order, await sign(other)))).toBe('HTLC__InvalidSignature')
    const signed = signedInitiating(order, await sign(order))
    await call(relay, signed)
    expect(await refusal(relay.address, signed)).toBe('HTLC__DuplicateOrder')
    await call(relay, redeeming(order))
    expect(await refusal(relay.address, signed)).toBe('HTLC__DuplicateOrder')
    const [, redeemer, timelock, amount, secretHash] = other.args
    await call(user, encodeFunctionData({ abi: htlcCore.abi, functionName: 'revoke', args: [redeemer, timelock, amount, secretHash] }))
    expect(await refusal(relay.address, signedInitiating(other, await sign(other)))).toBe('HTLC__DuplicateOrder')
    expect(await held()).toEqual({ spot: 0n, evm: 2n * EVM_AMOUNT })
  })

  test('takes it by an allowance if the account has less', async () => {
    const order = await newOrder()
    const { relay, user } = core.fixture
    await payOnEvm(EVM_AMOUNT - 1n)
    const signed = signedInitiating(order, await sign(order))
    expect(await refusal(relay.address, signed)).toBe('HTLC__TransferFailed')
    const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [core.contract.address, EVM_AMOUNT] })
    await send(user, core.contract.token, approve)
    expect(await gainOf(user.address, () => call(relay, signed))).toEqual({ spot: 0n, evm: -EVM_AMOUNT })
    expect(await held()).toEqual({ spot: 0n, evm: EVM_AMOUNT - 1n })
  })

  test('fails after the owner withdrew, and nothing is lost', async () => {
    const order = await newOrder()
    const { relay, user } = core.fixture
    await payOnCore(AMOUNT)
    await call(relay, crossing(user.address), { value: HYPE })
    await core.fixture.mine()
    expect(await gainOf(user.address, () => call(user, withdrawing(coreTokens.purr)))).toEqual(onCore)
    expect((await send(relay, core.contract.address, signedInitiating(order, await sign(order)))).status).toBe('0x0')
  })
})

describe('a consent', () => {
  test('initiates at once if the money is on HyperEVM, and gives the value back', async () => {
    const order = await newOrder()
    await payOnEvm(EVM_AMOUNT)
    const before = await coinsOf(core.contract.address)
    await call(core.fixture.user, consenting(order), { value: HYPE })
    expect([await isOpen(order), await held()]).toEqual([true, NOTHING])
    expect([await coinsOf(core.contract.address), await hypeOf(await account())]).toEqual([before, 0n])
  })

  test('brings the money over, and then anyone initiates exactly this order', async () => {
    const [order, other] = [await newOrder(), await newOrder()]
    const { user, relay } = core.fixture
    await payOnCore(2n * AMOUNT)
    await call(user, consenting(order), { value: HYPE })
    expect(await refusal(relay.address, initiating(order))).toBe('HTLC__TransferFailed')
    await core.fixture.mine()
    expect(await refusal(relay.address, initiating(other))).toBe('HTLC__NoConsent')
    expect(await refusal(relay.address, initiating(order, core.fixture.solver.address))).toBe('HTLC__NoConsent')
    await call(relay, initiating(order))
    expect(await refusal(relay.address, initiating(order))).toBe('HTLC__DuplicateOrder')
    expect(await held()).toEqual({ spot: 0n, evm: EVM_AMOUNT })
  })

  test('before the money is there is recorded, and the value comes back', async () => {
    const order = await newOrder()
    const { user, relay } = core.fixture
    expect(await heldFor(order)).toEqual([0n])
    await call(user, consenting(order), { value: HYPE })
    expect([await hypeOf(await account()), await coinsOf(core.contract.address)]).toEqual([0n, 0n])
    await payOnCore(AMOUNT)
    expect(await heldFor(order)).toEqual([AMOUNT])
    await call(relay, crossing(user.address), { value: HYPE })
    await core.fixture.mine()
    expect(await heldFor(order, await newOrder())).toEqual([AMOUNT, 0n])
    await call(relay, initiating(order))
    expect(await heldFor(order)).toEqual([0n])
  })

  test('of a payer funds an order of another initiator, who gets the refund', async () => {
    const order = await newOrder()
    const { solver, relay, user } = core.fixture
    await send(solver, core.contract.token, transfer(await account(solver.address), EVM_AMOUNT - 1n))
    await call(solver, consenting(order))
    await send(solver, core.contract.token, transfer(await account(solver.address), 1n))
    expect(await refusal(relay.address, initiating(order))).toBe('HTLC__NoConsent')
    await call(relay, initiating(order, solver.address))
    await core.fixture.passSeconds(600n)
    expect(await gainOf(user.address, () => call(relay, on('refund', order)))).toEqual(onCore)
  })

  test('ends with its deadline, with the order, and by a revocation', async () => {
    const [late, revoked] = [await newOrder(), await newOrder()]
    const { user, relay } = core.fixture
    for (const order of [late, revoked]) await call(user, consenting(order))
    await payOnEvm(3n * EVM_AMOUNT)
    const [, redeemer, timelock, amount, secretHash] = revoked.args
    await call(user, encodeFunctionData({ abi: htlcCore.abi, functionName: 'revoke', args: [redeemer, timelock, amount, secretHash] }))
    expect(await refusal(relay.address, initiating(revoked))).toBe('HTLC__DuplicateOrder')
    expect(await refusal(user.address, consenting(revoked))).toBe('HTLC__DuplicateOrder')
    expect(await refusal(relay.address, initiating(late))).toBe('none')
    await passDeadline()
    expect(await refusal(relay.address, initiating(late))).toBe('HTLC__NoConsent')
    expect(await refusal(user.address, consenting(late))).toBe('HTLC__TooLate')
  })

  test('to an order that exists, or for nobody, is refused', async () => {
    const order = await newOrder()
    const { user } = core.fixture
    await payOnEvm(EVM_AMOUNT)
    await call(user, consenting(order))
    expect(await refusal(user.address, consenting(order))).toBe('HTLC__DuplicateOrder')
    const other = await newOrder()
    const [, ...others] = other.args
    const nobody: CoreOrder = { ...other, args: [`0x${'00'.repeat(20)}`, ...others] }
    expect(await refusal(user.address, consenting(nobody))).toBe('HTLC__ZeroAddressInitiator')
  })
})

describe('a reclaim', () => {
  test('returns both sides to the owner, by anyone, once for a consent, after its deadline', async () => {
    const order = await newOrder()
    const { user, solver } = core.fixture
    const reclaim = reclaiming(idOf(order), user.address)
    await payOnEvm(EVM_AMOUNT / 2n)
    await call(user, consenting(order))
    await payOnCore(AMOUNT / 4n)
    expect(await refusal(solver.address, reclaim)).toBe('HTLC__NotReclaimable')
    await passDeadline()
    // An empty account uses up no consent.
    await undone(async () => {
      await call(user, withdrawing(coreTokens.purr))
      expect(await refusal(solver.address, reclaim)).toBe('HTLC__NotReclaimable')
    })
    expect(await heldFor(order)).toEqual([(AMOUNT * 3n) / 4n])
    expect(await gainOf(user.address, () => call(solver, reclaim))).toEqual({ spot: (AMOUNT * 3n) / 4n, evm: 0n })
    await payOnCore(AMOUNT)
    expect([await refusal(solver.address, reclaim), await heldFor(order)]).toEqual(['HTLC__NotReclaimable', [0n]])
  })

  test('leaves the money of another consented order alone until its deadline, too', async () => {
    const old = await newOrder()
    const { user, solver, relay } = core.fixture
    await call(user, consenting(old))
    await passDeadline()
    const next = await newOrder()
    await call(user, consenting(next))
    await payOnEvm(EVM_AMOUNT)
    expect(await refusal(solver.address, reclaiming(idOf(old), user.address))).toBe('HTLC__NotReclaimable')
    expect(await heldFor(old, next)).toEqual([0n, AMOUNT])
    await call(relay, initiating(next))
  })

  test("is over a week after the deadline: the account is only its owner's then", async () => {
    const order = await newOrder()
    const { user, solver } = core.fixture
    await call(user, consenting(order))
    await payOnEvm(EVM_AMOUNT)
    await core.fixture.passSeconds(WINDOW + 7n * 86_400n - 60n)
    expect(await refusal(solver.address, reclaiming(idOf(order), user.address))).toBe('none')
    await core.fixture.passSeconds(120n)
    expect(await refusal(solver.address, reclaiming(idOf(order), user.address))).toBe('HTLC__NotReclaimable')
    expect(await heldFor(order)).toEqual([0n])
    expect(await gainOf(user.address, () => call(user, withdrawing(coreTokens.purr)))).toEqual(onCore)
  })

  test('needs a consent of the owner: a signed order gives nobody else a way to empty the account', async () => {
    const order = await newOrder()
    const { user, solver, relay } = core.fixture
    await payOnEvm(2n * EVM_AMOUNT)
    await call(relay, signedInitiating(order, await sign(order)))
    await passDeadline()
    expect(await refusal(solver.address, reclaiming(idOf(order), user.address))).toBe('HTLC__NotReclaimable')
    // The consent of another to the same order does not allow a reclaim either.
    const other = await newOrder()
    await call(solver, consenting(other))
    await passDeadline()
    expect(await refusal(solver.address, reclaiming(idOf(other), user.address))).toBe('HTLC__NotReclaimable')
  })
})

test('a token that re-enters cannot make one order pay for another, nor change what an account does', async () => {
  const token = await core.fixture.deploy(reentrantToken)
  await core.fixture.local.link(coreTokens.hype, { erc20: token, weiDecimals: 18, extraDecimals: 0 })
  await makeTwin(coreTokens.hype, token)
  const { user, solver, relay } = core.fixture
  const mint = (to: Address) => encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [to, 10n * AMOUNT] })
  const arm = (data: Hex) => encodeFunctionData({ abi: reentrantToken.abi, functionName: 'arm', args: [core.contract.address, data, 0n] })
  const balance = async (owner: Address) =>
    BigInt(await ask(token, encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [owner] })))
  const [order, mine, ...others] = [await newOrder(), await newOrder(), await newOrder(), await newOrder(), await newOrder()]
  // The token itself consents to these, because others make an account act only by a whole transaction.
  const [its, itsNext, itsLast] = others.map((other): CoreOrder => {
    const [, , timelock, amount, secretHash] = other.args
    return { ...other, args: [solver.address, relay.address, timelock, amount, secretHash] }
  }) as [CoreOrder, CoreOrder, CoreOrder]
  await call(user, consenting(mine))
  await send(user, token, mint(user.address))
  for (const one of [its, itsNext, itsLast]) {
    await send(user, token, arm(consenting(one)))
    await send(user, token, transfer(relay.address, 1n))
  }
  for (const owner of [await account(), await account(token)]) await send(user, token, mint(owner))
  // While the token moves the money of one order, it initiates one of its own.
  await send(user, token, arm(initiating(its, token)))
  await call(relay, signedInitiating(order, await sign(order)))
  const balances = async () => Promise.all([await account(), await account(token), core.contract.address].map(balance))
  expect(await balances()).toEqual([9n * AMOUNT, 9n * AMOUNT, 2n * AMOUNT])
  // An order of the same owner cannot be initiated meanwhile, because its account is acting already. The attempt burns nearly all gas.
  await send(user, token, arm(initiating(itsLast, token)))
  expect((await send(relay, core.contract.address, initiating(itsNext, token), { gas: 500_000n })).status).toBe('0x0')
  // It initiates no order of another owner.
  await send(user, token, arm(initiating(mine)))
  const last = await newOrder()
  await call(relay, signedInitiating(last, await sign(last)))
  expect(await balances()).toEqual([8n * AMOUNT, 9n * AMOUNT, 3n * AMOUNT])
  expect([await isOpen(last), await isOpen(mine)]).toEqual([true, false])
})

test('an order above the largest amount of HyperCore is refused, in every way of funding', async () => {
  const order = await newOrder({ amount: 2n ** 64n })
  const { user, relay } = core.fixture
  expect(await refusal(user.address, consenting(order))).toBe('HTLC__AmountTooLarge')
  expect(await refusal(relay.address, signedInitiating(order, await sign(order)))).toBe('HTLC__AmountTooLarge')
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
