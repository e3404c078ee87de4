// One pass through the life of orders, for both kinds of HTLC. Each assertion catches at least one mutant.
import { equal } from 'node:assert/strict'
import { decodeFunctionResult, encodeFunctionData, type Hex, hexToBigInt, zeroAddress } from 'viem'
import { htlcErc20 } from '../artifacts/htlc-erc20.ts'
import type { HtlcScene } from '../htlc.fixture.ts'
import { type HtlcOrder, htlcCall, refundTypedData } from '../htlc-order.fixture.ts'
import { isInState, moves, refused, tells } from './expectations.ts'

const [redeemed, refunded] = [1n, 2n]
const maxTimelock = 30n * 86_400n

export async function playOrders(scene: HtlcScene): Promise<void> {
  await checkDomain(scene)
  await playInitiations(scene)
  await playRedemption(scene)
  await playRefund(scene)
  await playInstantRefund(scene)
  await playBatch(scene)
}

async function checkDomain(scene: HtlcScene): Promise<void> {
  const data = await scene.fixture.read(scene.htlc, encodeFunctionData({ abi: htlcErc20.abi, functionName: 'eip712Domain' }))
  const [fields, name, version, chainId, contract] = decodeFunctionResult({ abi: htlcErc20.abi, functionName: 'eip712Domain', data })
  const { domain } = scene
  equal(
    [fields, name, version, chainId, contract].join().toLowerCase(),
    `0x0f,${domain.name},1,${domain.chainId},${scene.htlc}`.toLowerCase(),
  )
}

const valueFor = (scene: HtlcScene, order: HtlcOrder) => (scene.domain.name === 'HTLC-Native' ? order.amount : 0n)

async function playInitiations(scene: HtlcScene): Promise<void> {
  const { initiator, stranger } = scene
  const bad: [Partial<HtlcOrder>, string][] = [
    [{ redeemer: zeroAddress }, 'HTLC__ZeroAddressRedeemer'],
    [{ redeemer: initiator.address }, 'HTLC__SameInitiatorAndRedeemer'],
    [{ timelock: 0n }, 'HTLC__InvalidTimelock'],
    [{ timelock: maxTimelock + 1n }, 'HTLC__InvalidTimelock'],
    [{ amount: 0n }, 'HTLC__ZeroAmount'],
  ]
  for (const [terms, error] of bad) {
    const order = scene.newOrder(terms)
    await refused(scene, initiator, htlcCall.initiate(order), error, valueFor(scene, order))
  }
  const toNobody = scene.newOrder({ initiator: zeroAddress })
  await refused(scene, stranger, htlcCall.initiateOnBehalf(toNobody), 'HTLC__ZeroAddressInitiator', valueFor(scene, toNobody))

  const order = scene.newOrder({ timelock: maxTimelock })
  const value = valueFor(scene, order)
  const own = { from: initiator, data: htlcCall.initiate(order), value, payee: initiator.address, amount: -order.amount }
  const receipt = await moves(scene, own)
  const { secret: _, ...terms } = order
  tells(scene, receipt, [['Initiated', { orderId: scene.orderId(order), ...terms }]])
  const block = (await scene.fixture.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })) as { timestamp: Hex }
  await isInState(scene, order, hexToBigInt(block.timestamp))
  await refused(scene, initiator, htlcCall.initiate(order), 'HTLC__DuplicateOrder', value)

  const onBehalf = scene.newOrder()
  const payer = { from: stranger, payee: stranger.address, amount: -onBehalf.amount, value }
  const before = await scene.balance(initiator.address)
  await moves(scene, { ...payer, data: htlcCall.initiateOnBehalf(onBehalf) })
  equal(await scene.balance(initiator.address), before)
}

async function playRedemption(scene: HtlcScene): Promise<void> {
  const { initiator, redeemer, stranger } = scene
  const order = await scene.open()
  await scene.open()
  const notOpen: Partial<HtlcOrder>[] = [{ secret: order.secretHash }, { amount: order.amount + 1n }, { redeemer: stranger.address }]
  for (const wrong of notOpen) await refused(scene, stranger, htlcCall.redeem({ ...order, ...wrong }), 'HTLC__OrderNotInitiated')
  const data = htlcCall.redeem(order)
  const receipt = await moves(scene, { from: stranger, data, payee: redeemer.address, amount: order.amount })
  tells(scene, receipt, [['Redeemed', { orderId: scene.orderId(order), secret: order.secret }]])
  await isInState(scene, order, redeemed)
  await refused(scene, stranger, data, 'HTLC__OrderSettled')
  await refused(scene, initiator, htlcCall.initiate(order), 'HTLC__DuplicateOrder', valueFor(scene, order))
}

async function playRefund(scene: HtlcScene): Promise<void> {
  const { initiator, stranger } = scene
  const order = await scene.open({ timelock: 60n })
  await scene.open()
  const data = htlcCall.refund(order)
  await refused(scene, stranger, htlcCall.refund(scene.newOrder()), 'HTLC__OrderNotInitiated')
  await scene.expire(order, 1n)
  await refused(scene, stranger, data, 'HTLC__OrderNotExpired')
  await scene.expire(order)
  const receipt = await moves(scene, { from: stranger, data, payee: initiator.address, amount: order.amount })
  tells(scene, receipt, [['Refunded', { orderId: scene.orderId(order) }]])
  await isInState(scene, order, refunded)
  await refused(scene, stranger, data, 'HTLC__OrderSettled')
  await refused(scene, stranger, htlcCall.redeem(order), 'HTLC__OrderSettled')
  await refused(scene, initiator, htlcCall.initiate(order), 'HTLC__DuplicateOrder', valueFor(scene, order))
}

async function playInstantRefund(scene: HtlcScene): Promise<void> {
  const { initiator, redeemer, stranger } = scene
  const [order, other] = [await scene.open(), await scene.open()]
  const consent = await redeemer.signTypedData(refundTypedData(scene.domain, order))
  const foreign = await redeemer.signTypedData(refundTypedData(scene.domain, other))
  for (const signature of ['0x', foreign, await initiator.signTypedData(refundTypedData(scene.domain, order))] as const)
    for (const caller of [stranger, initiator])
      await refused(scene, caller, htlcCall.instantRefund(order, signature), 'HTLC__InvalidSignature')
  const data = htlcCall.instantRefund(order, consent)
  await moves(scene, { from: stranger, data, payee: initiator.address, amount: order.amount })
  await refused(scene, stranger, data, 'HTLC__OrderSettled')
  await moves(scene, { from: redeemer, data: htlcCall.instantRefund(other, '0x'), payee: initiator.address, amount: other.amount })
}

async function playBatch(scene: HtlcScene): Promise<void> {
  const { redeemer, stranger } = scene
  const [first, last, gone, wrong] = [await scene.open(), await scene.open({ amount: 7n }), await scene.open(), await scene.open()]
  await scene.send(redeemer, htlcCall.instantRefund(gone, '0x'))
  const batch = [first, gone, { ...wrong, secret: wrong.secretHash }, last, first]
  const data = htlcCall.redeemBatch(redeemer.address, batch)
  const receipt = await moves(scene, { from: stranger, data, payee: redeemer.address, amount: first.amount + last.amount })
  const event = (order: HtlcOrder): [string, object] => ['Redeemed', { orderId: scene.orderId(order), secret: order.secret }]
  tells(scene, receipt, [event(first), event(last)])
}
