// Redeems with gas for the redeemer: who gets the coin, what a redeemer that refuses it can do, and where the coin goes then.
import { deepEqual, equal, ok } from 'node:assert/strict'
import { type Address, type Hex, hexToBigInt, numberToHex } from 'viem'
import { acceptances, accountWith, asking, newAddress, refusals } from '../gas-accounts.fixture.ts'
import type { HtlcSetup } from '../htlc.fixture.ts'
import { type HtlcOrder, htlcCall } from '../htlc-order.fixture.ts'
import { isInState, refused } from './expectations.ts'

const redeemed = 1n
const COIN = 10n ** 15n
/** A redeemer that burns what it gets costs less: about 92,500 of an ERC-20, and 98,200 of a TRC-20. */
const MAX_GAS_REFUSED = 100_000n

export async function playGas(setup: HtlcSetup): Promise<void> {
  const { fixture, stranger } = setup
  // Coin that came in another way stays.
  await fixture.request({ method: 'hardhat_setBalance', params: [setup.htlc, numberToHex(COIN)] })
  await setup.open()
  await playSettling(setup)
  for (const code of Object.values(acceptances)) await playRedeemer(setup, code, COIN)
  for (const code of Object.values(refusals)) await playRedeemer(setup, code, 0n)
  await playGasLimits(setup)
  const order = await setup.open()
  await refused(setup, stranger, htlcCall.redeemWithGas({ ...order, secret: order.secretHash }), 'HTLC__OrderNotInitiated', COIN)
  await setup.send(stranger, htlcCall.redeem(order))
  await refused(setup, stranger, htlcCall.redeemWithGas(order), 'HTLC__OrderSettled', COIN)
}

async function playRedeemer(setup: HtlcSetup, code: Hex, taken: bigint): Promise<void> {
  const { fixture, stranger } = setup
  const order = await setup.open({ redeemer: await accountWith(fixture, code) })
  const before = await fixture.nativeBalance(stranger.address)
  const receipt = await setup.send(stranger, htlcCall.redeemWithGas(order), COIN)
  const gas = hexToBigInt(receipt.gasUsed)
  if (taken === 0n) ok(gas < MAX_GAS_REFUSED, `${gas} gas`)
  equal(before - (await fixture.nativeBalance(stranger.address)) - gas * hexToBigInt(receipt.effectiveGasPrice), taken)
  await hasPaid(setup, order, taken)
}

async function hasPaid(setup: HtlcSetup, order: HtlcOrder, taken: bigint): Promise<void> {
  await isInState(setup, order, redeemed)
  equal(await setup.balance(order.redeemer), order.amount)
  equal(await setup.fixture.nativeBalance(order.redeemer), taken)
  equal(await setup.fixture.nativeBalance(setup.htlc), COIN)
}

/** When the redeemer's code runs, the order is settled and paid. */
async function playSettling(setup: HtlcSetup): Promise<void> {
  const redeemer = newAddress()
  const order = await setup.open({ redeemer })
  const code = asking(setup.htlc, setup.token, setup.orderId(order), redeemer)
  await setup.fixture.request({ method: 'hardhat_setCode', params: [redeemer, code] })
  const { logs } = await setup.send(setup.stranger, htlcCall.redeemWithGas(order), COIN)
  const answers = logs.filter(({ address }) => address === redeemer.toLowerCase()).map(({ data }) => hexToBigInt(data))
  deepEqual(answers, [redeemed, order.amount])
}

/** With too little gas all of it reverts: the payout does not leave the coin behind. */
async function playGasLimits(setup: HtlcSetup): Promise<void> {
  const redeemer: Address = await accountWith(setup.fixture, acceptances['needs nearly all the gas there is'] ?? '0x')
  for (let gas = 70_000n; gas < 110_000n; gas += 1_000n) {
    const order = await setup.open({ redeemer })
    const [held, paid] = [await setup.fixture.nativeBalance(redeemer), await setup.balance(redeemer)]
    const call = { from: setup.stranger.address, to: setup.htlc, data: htlcCall.redeemWithGas(order), value: numberToHex(COIN) }
    await setup.fixture.request({ method: 'eth_sendTransaction', params: [{ ...call, gas: numberToHex(gas) }] })
    const isPaid = (await setup.balance(redeemer)) > paid
    equal((await setup.fixture.nativeBalance(redeemer)) - held, isPaid ? COIN : 0n)
  }
}
