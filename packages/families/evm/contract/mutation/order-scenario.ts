// Initiates, redeems and refunds orders, for every kind of HTLC. Each assertion catches at least one mutant.
import { equal } from 'node:assert/strict'
import { decodeFunctionResult, encodeFunctionData, type Hex, hexToBigInt, zeroAddress } from 'viem'
import { htlcErc20 } from '../artifacts/htlc-erc20.ts'
import type { HtlcSetup } from '../htlc.fixture.ts'
import { type HtlcOrder, htlcCall, refundTypedData } from '../htlc-order.fixture.ts'
import { emits, isInState, moves, refused } from './expectations.ts'

const [redeemed, refunded] = [1n, 2n]
const maxTimelock = 30n * 86_400n

export async function playOrders(setup: HtlcSetup): Promise<void> {
  await checkDomain(setup)
  await playInitiations(setup)
  await playRevocation(setup)
  await playRedemption(setup)
  await playRefund(setup)
  await playInstantRefund(setup)
  await playBatch(setup)
}

async function checkDomain(setup: HtlcSetup): Promise<void> {
  const data = await setup.fixture.read(setup.htlc, encodeFunctionData({ abi: htlcErc20.abi, functionName: 'eip712Domain' }))
  const [fields, name, version, chainId, contract] = decodeFunctionResult({ abi: htlcErc20.abi, functionName: 'eip712Domain', data })
  const { domain } = setup
  equal(
    [fields, name, version, chainId, contract].join().toLowerCase(),
    `0x0f,${domain.name},1,${domain.chainId},${setup.htlc}`.toLowerCase(),
  )
}

const valueFor = (setup: HtlcSetup, order: HtlcOrder) => (setup.domain.name === 'HTLC-Native' ? order.amount : 0n)

async function playInitiations(setup: HtlcSetup): Promise<void> {
  const { initiator, stranger } = setup
  const bad: [Partial<HtlcOrder>, string][] = [
    [{ redeemer: zeroAddress }, 'HTLC__ZeroAddressRedeemer'],
    [{ redeemer: initiator.address }, 'HTLC__SameInitiatorAndRedeemer'],
    [{ redeemer: setup.htlc }, 'HTLC__RedeemerIsHtlc'],
    [{ timelock: 0n }, 'HTLC__InvalidTimelock'],
    [{ timelock: maxTimelock + 1n }, 'HTLC__InvalidTimelock'],
    [{ amount: 0n }, 'HTLC__ZeroAmount'],
  ]
  for (const [terms, error] of bad) {
    const order = setup.newOrder(terms)
    await refused(setup, initiator, htlcCall.initiate(order), error, valueFor(setup, order))
  }
  const toNobody = setup.newOrder({ initiator: zeroAddress })
  await refused(setup, stranger, htlcCall.initiateOnBehalf(toNobody), 'HTLC__ZeroAddressInitiator', valueFor(setup, toNobody))

  const order = setup.newOrder({ timelock: maxTimelock })
  const value = valueFor(setup, order)
  const own = { from: initiator, data: htlcCall.initiate(order), value, payee: initiator.address, amount: -order.amount }
  const receipt = await moves(setup, own)
  const { secret: _, ...terms } = order
  emits(setup, receipt, [['Initiated', { orderId: setup.orderId(order), ...terms }]])
  const block = (await setup.fixture.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })) as { timestamp: Hex }
  await isInState(setup, order, hexToBigInt(block.timestamp))
  await refused(setup, initiator, htlcCall.initiate(order), 'HTLC__DuplicateOrder', value)

  const onBehalf = setup.newOrder()
  const payer = { from: stranger, payee: stranger.address, amount: -onBehalf.amount, value }
  const before = await setup.balance(initiator.address)
  await moves(setup, { ...payer, data: htlcCall.initiateOnBehalf(onBehalf) })
  equal(await setup.balance(initiator.address), before)
}

async function playRevocation(setup: HtlcSetup): Promise<void> {
  const { initiator, redeemer, stranger } = setup
  const order = setup.newOrder()
  const value = valueFor(setup, order)
  // The call of another party concerns another order.
  for (const other of [stranger, redeemer]) await setup.send(other, htlcCall.revoke(order))
  await isInState(setup, order, 0n)
  const receipt = await moves(setup, { from: initiator, data: htlcCall.revoke(order), payee: redeemer.address, amount: 0n })
  emits(setup, receipt, [['Revoked', { orderId: setup.orderId(order) }]])
  await isInState(setup, order, refunded)
  await refused(setup, initiator, htlcCall.revoke(order), 'HTLC__DuplicateOrder')
  await refused(setup, initiator, htlcCall.initiate(order), 'HTLC__DuplicateOrder', value)
  await refused(setup, stranger, htlcCall.initiateOnBehalf(order), 'HTLC__DuplicateOrder', value)
  for (const settling of [htlcCall.redeem(order), htlcCall.refund(order)]) await refused(setup, stranger, settling, 'HTLC__OrderSettled')
  const [open, paid] = [await setup.open(), await setup.open()]
  await setup.send(stranger, htlcCall.redeem(paid))
  for (const known of [open, paid]) await refused(setup, initiator, htlcCall.revoke(known), 'HTLC__DuplicateOrder')
  await isInState(setup, paid, redeemed)
}

async function playRedemption(setup: HtlcSetup): Promise<void> {
  const { initiator, redeemer, stranger } = setup
  const order = await setup.open()
  await setup.open()
  const notOpen: Partial<HtlcOrder>[] = [{ secret: order.secretHash }, { amount: order.amount + 1n }, { redeemer: stranger.address }]
  for (const wrong of notOpen) await refused(setup, stranger, htlcCall.redeem({ ...order, ...wrong }), 'HTLC__OrderNotInitiated')
  const data = htlcCall.redeem(order)
  const receipt = await moves(setup, { from: stranger, data, payee: redeemer.address, amount: order.amount })
  emits(setup, receipt, [['Redeemed', { orderId: setup.orderId(order), secret: order.secret }]])
  await isInState(setup, order, redeemed)
  await refused(setup, stranger, data, 'HTLC__OrderSettled')
  await refused(setup, initiator, htlcCall.initiate(order), 'HTLC__DuplicateOrder', valueFor(setup, order))
}

async function playRefund(setup: HtlcSetup): Promise<void> {
  const { initiator, stranger } = setup
  const order = await setup.open({ timelock: 60n })
  await setup.open()
  const data = htlcCall.refund(order)
  await refused(setup, stranger, htlcCall.refund(setup.newOrder()), 'HTLC__OrderNotInitiated')
  await setup.expire(order, 1n)
  await refused(setup, stranger, data, 'HTLC__OrderNotExpired')
  await setup.expire(order)
  const receipt = await moves(setup, { from: stranger, data, payee: initiator.address, amount: order.amount })
  emits(setup, receipt, [['Refunded', { orderId: setup.orderId(order) }]])
  await isInState(setup, order, refunded)
  await refused(setup, stranger, data, 'HTLC__OrderSettled')
  await refused(setup, stranger, htlcCall.redeem(order), 'HTLC__OrderSettled')
  await refused(setup, initiator, htlcCall.initiate(order), 'HTLC__DuplicateOrder', valueFor(setup, order))
}

async function playInstantRefund(setup: HtlcSetup): Promise<void> {
  const { initiator, redeemer, stranger } = setup
  const [order, other] = [await setup.open(), await setup.open()]
  const consent = await redeemer.signTypedData(refundTypedData(setup.domain, order))
  const foreign = await redeemer.signTypedData(refundTypedData(setup.domain, other))
  for (const signature of ['0x', foreign, await initiator.signTypedData(refundTypedData(setup.domain, order))] as const)
    for (const caller of [stranger, initiator])
      await refused(setup, caller, htlcCall.instantRefund(order, signature), 'HTLC__InvalidSignature')
  const data = htlcCall.instantRefund(order, consent)
  await moves(setup, { from: stranger, data, payee: initiator.address, amount: order.amount })
  await refused(setup, stranger, data, 'HTLC__OrderSettled')
  await moves(setup, { from: redeemer, data: htlcCall.instantRefund(other, '0x'), payee: initiator.address, amount: other.amount })
}

async function playBatch(setup: HtlcSetup): Promise<void> {
  const { redeemer, stranger } = setup
  const [first, last, gone, wrong] = [await setup.open(), await setup.open({ amount: 7n }), await setup.open(), await setup.open()]
  await setup.send(redeemer, htlcCall.instantRefund(gone, '0x'))
  const batch = [first, gone, { ...wrong, secret: wrong.secretHash }, last, first]
  const data = htlcCall.redeemBatch(redeemer.address, batch)
  const receipt = await moves(setup, { from: stranger, data, payee: redeemer.address, amount: first.amount + last.amount })
  const event = (order: HtlcOrder): [string, object] => ['Redeemed', { orderId: setup.orderId(order), secret: order.secret }]
  emits(setup, receipt, [event(first), event(last)])
}
