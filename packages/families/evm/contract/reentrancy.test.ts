// Tests reentrancy: when a payment calls back, the order is settled already, whichever function is called.
import { encodeFunctionData, type Hex, hexToBigInt } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { reentrantAccount } from './artifacts/reentrant-account.ts'
import { reentrantToken } from './artifacts/reentrant-token.ts'
import { createHtlcSetup, type HtlcSetup } from './htlc.fixture.ts'
import { type HtlcOrder, htlcCall, initiateTypedData, refundTypedData } from './htlc-order.fixture.ts'

type Way = (order: HtlcOrder, consent: Hex) => Hex

const settlements: Readonly<Record<string, Way>> = {
  redeem: htlcCall.redeem,
  redeemBatch: (order) => htlcCall.redeemBatch(order.redeemer, [order, order]),
  refund: htlcCall.refund,
  instantRefund: htlcCall.instantRefund,
}
const pairs = Object.keys(settlements).flatMap((outer) => Object.keys(settlements).map((inner) => [outer, inner] as const))

async function flag(setup: HtlcSetup, of: Hex, functionName: 'attempted' | 'callSucceeded'): Promise<boolean> {
  return hexToBigInt(await setup.fixture.read(of, encodeFunctionData({ abi: reentrantAccount.abi, functionName }))) === 1n
}

describe('a token that calls back while it pays', () => {
  let setup: HtlcSetup
  beforeAll(async () => {
    setup = await createHtlcSetup('ERC-20', reentrantToken)
    await setup.open()
  })
  const arm = (data: Hex, withheld = 0n) =>
    setup.fixture.send({
      from: setup.stranger,
      to: setup.token,
      data: encodeFunctionData({ abi: reentrantToken.abi, functionName: 'arm', args: [setup.htlc, data, withheld] }),
    })

  it.each(pairs)('during %s gains nothing by %s', async (outer, inner) => {
    const order = await setup.open()
    const consent = await setup.redeemer.signTypedData(refundTypedData(setup.domain, order))
    await setup.expire(order)
    await arm(settlements[inner]?.(order, consent) ?? '0x')
    const locked = await setup.balance(setup.htlc)
    await setup.send(setup.stranger, settlements[outer]?.(order, consent) ?? '0x')
    expect(await setup.balance(setup.htlc)).toBe(locked - order.amount)
    expect(await flag(setup, setup.token, 'callSucceeded')).toBe(inner === 'redeemBatch')
  })

  it.each(Object.keys(settlements))(
    'cannot have an order initiated again during its %s, though the signature has no end',
    async (outer) => {
      const order = await setup.open()
      const consent = await setup.redeemer.signTypedData(refundTypedData(setup.domain, order))
      const signature = await setup.initiator.signTypedData(initiateTypedData(setup.domain, order))
      await setup.expire(order)
      await arm(htlcCall.initiateWithSignature(order, signature))
      const locked = await setup.balance(setup.htlc)
      await setup.send(setup.stranger, settlements[outer]?.(order, consent) ?? '0x')
      expect(await setup.balance(setup.htlc)).toBe(locked - order.amount)
      expect(await flag(setup, setup.token, 'callSucceeded')).toBe(false)
    },
  )

  it.each(['redeem', 'redeemBatch', 'instantRefund'])('cannot %s an order whose money has not arrived', async (inner) => {
    const order = setup.newOrder()
    const consent = await setup.redeemer.signTypedData(refundTypedData(setup.domain, order))
    await arm(settlements[inner]?.(order, consent) ?? '0x')
    const locked = await setup.balance(setup.htlc)
    await expect(setup.initiate(order)).rejects.toThrow('HTLC__AmountNotReceived')
    expect(await setup.balance(setup.htlc)).toBe(locked)
    await arm('0x')
    await expect(setup.initiate(order)).resolves.toBeDefined()
  })

  it('cannot make a shrunk balance count as a payment', async () => {
    const paidOut = await setup.open()
    const order = setup.newOrder()
    const locked = await setup.balance(setup.htlc)
    await arm(htlcCall.redeem(paidOut), order.amount)
    await expect(setup.initiate(order)).rejects.toThrow('HTLC__AmountNotReceived')
    expect(await setup.state(order)).toBe(0n)
    expect(await setup.balance(setup.htlc)).toBe(locked)
    await arm('0x')
    await setup.send(setup.stranger, htlcCall.redeem(paidOut))
  })

  it('cannot initiate an order twice for one payment', async () => {
    const order = setup.newOrder()
    const signature = await setup.initiator.signTypedData(initiateTypedData(setup.domain, order))
    const locked = await setup.balance(setup.htlc)
    await arm(htlcCall.initiateWithSignature(order, signature))
    await setup.initiate(order)
    expect(await flag(setup, setup.token, 'callSucceeded')).toBe(false)
    expect(await setup.balance(setup.htlc)).toBe(locked + order.amount)
  })
})

describe('a recipient of native coin that calls back while it is paid', () => {
  let setup: HtlcSetup
  beforeAll(async () => {
    setup = await createHtlcSetup('native')
    await setup.open()
  })

  /** The payee attacks: the redeemer of what is redeemed, the initiator of what is refunded. */
  async function attack(outer: string, reentry: (order: HtlcOrder, consent: Hex) => Hex, value = 0n) {
    const account = await setup.fixture.deploy(reentrantAccount)
    const order = outer.startsWith('redeem') ? setup.newOrder({ redeemer: account }) : setup.newOrder({ initiator: account })
    await setup.send(setup.stranger, htlcCall.initiateOnBehalf(order), order.amount)
    const consent = await setup.redeemer.signTypedData(refundTypedData(setup.domain, order))
    const arm = encodeFunctionData({ abi: reentrantAccount.abi, functionName: 'arm', args: [setup.htlc, reentry(order, consent), value] })
    await setup.fixture.send({ from: setup.stranger, to: account, data: arm })
    await setup.expire(order)
    const locked = await setup.balance(setup.htlc)
    await setup.send(setup.stranger, settlements[outer]?.(order, consent) ?? '0x')
    expect(await flag(setup, account, 'attempted')).toBe(true)
    const succeeded = await flag(setup, account, 'callSucceeded')
    return { order, account, succeeded, paidOut: locked - (await setup.balance(setup.htlc)) }
  }

  it.each(pairs)('during %s gains nothing by %s', async (outer, inner) => {
    const { order, account, succeeded, paidOut } = await attack(outer, (of, consent) => settlements[inner]?.(of, consent) ?? '0x')
    expect(paidOut).toBe(order.amount)
    expect(await setup.balance(account)).toBe(order.amount)
    expect(succeeded).toBe(inner === 'redeemBatch')
  })

  it.each(Object.keys(settlements))('cannot have an order initiated again during its %s', async (outer) => {
    const { order, account, succeeded, paidOut } = await attack(outer, htlcCall.initiateOnBehalf, 100_000_000n)
    expect(succeeded).toBe(false)
    expect(paidOut).toBe(order.amount)
    expect(await setup.balance(account)).toBe(order.amount)
  })

  it.each(Object.keys(settlements))('may lock what %s pays in a new order, and gets it back once', async (outer) => {
    const next = setup.newOrder()
    const { order, account, succeeded, paidOut } = await attack(outer, () => htlcCall.initiateOnBehalf(next), next.amount)
    expect(succeeded).toBe(true)
    expect(paidOut).toBe(order.amount - next.amount)
    expect(await setup.balance(account)).toBe(0n)
    await setup.send(setup.stranger, htlcCall.redeem(next))
    await expect(setup.send(setup.stranger, htlcCall.redeem(next))).rejects.toThrow('HTLC__OrderSettled')
  })
})
