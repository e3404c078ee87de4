// Checks deposit addresses: which money opens which order, and to whom all other money goes. Each assertion catches at least one mutant.
import { deepEqual, equal, notEqual } from 'node:assert/strict'
import { type Address, encodeFunctionData, maxUint256, zeroAddress } from 'viem'
import { contractAccount } from '../artifacts/contract-account.ts'
import { distractedToken } from '../artifacts/distracted-token.ts'
import { feeToken } from '../artifacts/fee-token.ts'
import { htlcErc20 } from '../artifacts/htlc-erc20.ts'
import { lyingToken } from '../artifacts/lying-token.ts'
import { testToken } from '../artifacts/test-token.ts'
import { createDepositSetup, type DepositSetup } from '../deposit.fixture.ts'
import type { HtlcKind, SetupOptions, TokenArtifact } from '../htlc.fixture.ts'
import { htlcCall, type OrderDeposit } from '../htlc-order.fixture.ts'
import { createBatches, whileCreated } from '../one-transaction.fixture.ts'
import { emits, isInState, refused } from './expectations.ts'

const otherChainId = 99
const notReturnable = 'HTLC__NotReturnable'
const nothing = 'HTLC__NothingToReturn'
const insideTransaction = 'HTLC__InsideTransaction'

export async function playDeposits(kind: HtlcKind, options: SetupOptions): Promise<void> {
  const setupOf = (token?: TokenArtifact) => createDepositSetup(kind, token, { ...options, asksForAddress: true })
  const setup = await setupOf()
  await playAddresses(setup)
  await playInitiation(setup)
  await playTimes(setup)
  await playReturns(setup, kind)
  await playOtherMoney(setup, kind)
  await playBatches(setup)
  if (kind !== 'native') await playHostileTokens(setupOf)
}

async function playAddresses(setup: DepositSetup): Promise<void> {
  const deposit = setup.newDeposit()
  const { order } = deposit
  const others: OrderDeposit[] = [
    { ...deposit, chainId: otherChainId },
    { ...deposit, deadline: deposit.deadline + 1n },
    { ...deposit, order: { ...order, initiator: setup.stranger.address } },
    { ...deposit, order: { ...order, redeemer: setup.stranger.address } },
    { ...deposit, order: { ...order, timelock: 1n } },
    { ...deposit, order: { ...order, amount: 1n } },
    { ...deposit, order: { ...order, secretHash: order.secret } },
  ]
  const addresses = await Promise.all([deposit, ...others].map(setup.addressOf))
  equal(new Set(addresses).size, 8)
}

async function playInitiation(setup: DepositSetup): Promise<void> {
  const deposit = await setup.paid()
  const { secret: _, ...terms } = deposit.order
  const [before, held] = [await setup.balance(setup.htlc), await setup.balance(deposit.order.initiator)]
  const foreign = { ...deposit, chainId: otherChainId }
  await setup.pay(foreign, deposit.order.amount)
  await refused(setup, setup.stranger, htlcCall.initiateDeposit(foreign), 'HTLC__OtherChain')
  const nobody = setup.newDeposit({ initiator: zeroAddress })
  await setup.pay(nobody, nobody.order.amount)
  await refused(setup, setup.stranger, htlcCall.initiateDeposit(nobody), 'HTLC__ZeroAddressInitiator')
  const receipt = await setup.initiateDeposit(deposit)
  emits(setup, receipt, [['Initiated', { orderId: setup.orderId(deposit.order), ...terms }]])
  equal(await setup.balance(setup.htlc), before + deposit.order.amount)
  equal(await setup.balance(deposit.order.initiator), held)
  await setup.pay(deposit, deposit.order.amount)
  await refused(setup, setup.stranger, htlcCall.initiateDeposit(deposit), 'HTLC__DuplicateOrder')
  await setup.expectReturn(deposit, deposit.order.amount, setup.stranger)
  await setup.pay(deposit, 3n)
  await setup.expectReturn(deposit, 3n, setup.stranger)
  equal(
    String(await setup.balances([setup.redeemer.address, await setup.addressOf(foreign)])),
    `${await setup.balance(setup.redeemer.address)},${deposit.order.amount}`,
  )
  await setup.expectReturn(foreign, deposit.order.amount, setup.stranger)
}

async function playTimes(setup: DepositSetup): Promise<void> {
  const last = await setup.paid()
  await setup.setTime(last.deadline)
  await setup.initiateDeposit(last)
  const [early, late] = [await setup.paid(), await setup.paid()]
  await setup.setTime(early.deadline)
  await refused(setup, setup.stranger, htlcCall.reclaimDeposited(early, setup.asset), notReturnable)
  await setup.setTime(early.deadline + 1n)
  await setup.expectReturn(early, early.order.amount, setup.stranger)
  await setup.setTime(late.deadline + 1n)
  await refused(setup, setup.stranger, htlcCall.initiateDeposit(late), 'HTLC__TooLate')
  await setup.expectReturn(late, late.order.amount, setup.stranger)
}

async function playReturns(setup: DepositSetup, kind: HtlcKind): Promise<void> {
  const deposit = await setup.paid()
  for (const caller of [setup.stranger, setup.redeemer])
    await refused(setup, caller, htlcCall.reclaimDeposited(deposit, setup.asset), notReturnable)
  await setup.expectReturn(deposit, deposit.order.amount, setup.initiator)
  await refused(setup, setup.initiator, htlcCall.reclaimDeposited(deposit, setup.asset), nothing)
  await setup.pay(deposit, deposit.order.amount)
  await setup.send(setup.stranger, htlcCall.initiateOnBehalf(deposit.order), kind === 'native' ? deposit.order.amount : 0n)
  await setup.expectReturn(deposit, deposit.order.amount, setup.stranger)
}

async function playOtherMoney(setup: DepositSetup, kind: HtlcKind): Promise<void> {
  const deposit = setup.newDeposit({ initiator: await setup.fixture.deploy(contractAccount) })
  const owner = deposit.order.initiator
  await setup.pay(deposit, deposit.order.amount)
  const address = await setup.addressOf(deposit)
  const other = await setup.otherToken(address, 70n)
  const call = htlcCall.reclaimDeposited(deposit, other)
  if (kind === 'native') await refused(setup, setup.stranger, call, notReturnable)
  else {
    emits(
      setup,
      await setup.send(setup.stranger, call),
      [await setup.returned(deposit, other, 70n)].map(({ eventName, args }) => [eventName, args]),
    )
    equal(await setup.tokenBalance(other, owner), 70n)
  }
  await setup.fixture.send({ from: setup.stranger, to: address, value: 5n })
  const receipt = await setup.initiateDeposit(deposit)
  const { eventName, args } = await setup.returned(deposit, zeroAddress, 5n)
  equal(JSON.stringify(setup.events(receipt)[1], text), JSON.stringify({ eventName, args }, text))
  equal(await setup.fixture.nativeBalance(owner), 5n)
  // The address can be paid and act again.
  await setup.pay(deposit, 2n)
  await setup.reclaim(deposit)
  equal(await setup.fixture.nativeBalance(address), 0n)
  if (kind === 'native') await refused(setup, setup.stranger, '0x', 'HTLC__WrongValue', 1n)
  await isInState(setup, { ...deposit.order, amount: 1n }, 0n)
}

/** Coin that a batch pays after the account acted would be burned. */
async function playBatches(setup: DepositSetup): Promise<void> {
  const batches = await createBatches(setup.fixture, htlcErc20.abi)
  const [paid, foreign] = [await setup.paid(), { ...setup.newDeposit(), chainId: otherChainId }]
  await setup.pay(foreign, 1n)
  for (const data of [htlcCall.initiateDeposit(paid), htlcCall.reclaimDeposited(foreign, setup.asset)]) {
    const call = { target: setup.htlc, value: 0n, data }
    const { errors } = await batches.byContract(setup.stranger, [call, whileCreated(setup.htlc, data)])
    deepEqual([...errors, ...(await batches.byKeyWithCode([call])).errors], [insideTransaction, insideTransaction, insideTransaction])
  }
  const owner = await setup.fixture.deploy(contractAccount)
  const own = setup.newDeposit({ initiator: owner })
  for (const call of [htlcCall.reclaimDeposited(own, setup.asset), htlcCall.initiateDeposit(own)]) {
    await setup.pay(own, own.order.amount)
    const data = encodeFunctionData({ abi: contractAccount.abi, functionName: 'execute', args: [setup.htlc, call] })
    await setup.fixture.send({ from: setup.stranger, to: owner, data })
  }
}

const text = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)

async function playHostileTokens(setupOf: (token: TokenArtifact) => Promise<DepositSetup>): Promise<void> {
  for (const token of [feeToken, lyingToken]) {
    const setup = await setupOf(token)
    const deposit = setup.newDeposit()
    await setup.mint(setup.token, await setup.addressOf(deposit), deposit.order.amount * 2n)
    await refused(setup, setup.stranger, htlcCall.initiateDeposit(deposit), 'HTLC__AmountNotReceived')
    if (token === lyingToken) await refused(setup, setup.initiator, htlcCall.reclaimDeposited(deposit, setup.token), 'HTLC__TransferFailed')
  }
  const setup = await setupOf(distractedToken)
  const stranger = await setup.fixture.deploy(contractAccount)
  await setup.mint(setup.token, stranger, 10n ** 12n)
  const act = (to: Address, data: `0x${string}`) =>
    encodeFunctionData({ abi: contractAccount.abi, functionName: 'execute', args: [to, data] })
  const approve = encodeFunctionData({ abi: testToken.abi, functionName: 'approve', args: [setup.htlc, maxUint256] })
  await setup.fixture.send({ from: setup.stranger, to: stranger, data: act(setup.token, approve) })
  const [deposit, paid] = [await setup.paid(), setup.newOrder({ initiator: stranger })]
  const args = [stranger, act(setup.htlc, htlcCall.initiate(paid))] as const
  const arm = encodeFunctionData({ abi: distractedToken.abi, functionName: 'arm', args })
  await setup.fixture.send({ from: setup.stranger, to: setup.token, data: arm })
  await refused(setup, setup.stranger, htlcCall.initiateDeposit(deposit), 'HTLC__AmountNotReceived')
  notEqual(await setup.held(deposit), 0n)
}
