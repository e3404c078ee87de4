// Tests that the HTLC for Tron's tokens checks balances, not return values: Tether on Tron returns false from a successful transfer.
import { encodeFunctionData, type Hex, hexToBytes } from 'viem'
import { describe, expect, it } from 'vitest'
import { htlcTrc20 } from './artifacts/htlc-trc20.ts'
import { reentrantToken } from './artifacts/reentrant-token.ts'
import { tetherTron } from './artifacts/tether-tron.ts'
import { createHtlcSetup, type TokenArtifact } from './htlc.fixture.ts'
import { type HtlcOrder, htlcCall, initiateTypedData } from './htlc-order.fixture.ts'

const HONEST = 0n
const MOVES_NOTHING_SAYS_YES = 1n
const MOVES_NOTHING_SAYS_NO = 2n
const KEEPS_A_FEE = 3n
const TAKES_AND_SAYS_NO = 4n
const OPEN = 3n

async function createSetup(token?: TokenArtifact) {
  const setup = await createHtlcSetup('TRC-20', token)
  const onToken = (data: Hex) => setup.fixture.send({ from: setup.stranger, to: setup.token, data })
  return {
    ...setup,
    onToken,
    send: (data: Hex) => setup.send(setup.stranger, data),
    setMode: (mode: bigint) => onToken(encodeFunctionData({ abi: tetherTron.abi, functionName: 'setMode', args: [mode] })),
  }
}

describe('a token that returns false from successful transfers', () => {
  it('is initiated, redeemed, redeemed in a batch and refunded', async () => {
    const setup = await createSetup()
    const [one, two, three, late] = [await setup.open(), await setup.open(), await setup.open(), await setup.open()]
    await setup.send(htlcCall.redeem(one))
    await setup.send(htlcCall.redeemBatch(two.redeemer, [two, three]))
    expect(await setup.balance(setup.redeemer.address)).toBe(one.amount + two.amount + three.amount)
    await setup.fixture.passTime(late.timelock)
    const before = await setup.balance(setup.initiator.address)
    await setup.send(htlcCall.refund(late))
    expect((await setup.balance(setup.initiator.address)) - before).toBe(late.amount)
    expect(await setup.balance(setup.htlc)).toBe(0n)
  })

  it('can be initiated by signature, too, and when transferFrom returns false', async () => {
    const setup = await createSetup()
    await setup.setMode(TAKES_AND_SAYS_NO)
    const order = setup.newOrder()
    const signature = await setup.initiator.signTypedData(initiateTypedData(setup.domain, order))
    await setup.send(htlcCall.initiateWithSignature(order, signature))
    expect(await setup.balance(setup.htlc)).toBe(order.amount)
    expect(await setup.state(order)).toBeGreaterThanOrEqual(OPEN)
  })
})

describe.each([
  ['true', MOVES_NOTHING_SAYS_YES],
  ['false', MOVES_NOTHING_SAYS_NO],
] as const)('a token that moves nothing and answers %s', (_, mode) => {
  it('funds nothing, and settles nothing: the order stays open until it moves again', async () => {
    const setup = await createSetup()
    const order = await setup.open()
    await setup.setMode(mode)
    await expect(setup.initiate(setup.newOrder())).rejects.toThrow('HTLC__AmountNotReceived')
    await expect(setup.send(htlcCall.redeem(order))).rejects.toThrow('HTLC__TransferFailed')
    await expect(setup.send(htlcCall.redeemBatch(order.redeemer, [order]))).rejects.toThrow('HTLC__TransferFailed')
    expect(await setup.state(order)).toBeGreaterThanOrEqual(OPEN)
    await setup.setMode(HONEST)
    await setup.send(htlcCall.redeem(order))
    expect(await setup.balance(setup.redeemer.address)).toBe(order.amount)
  })
})

describe('a token that starts to take a transfer fee', () => {
  it('cannot be initiated any more, and open orders can still be settled', async () => {
    const setup = await createSetup()
    const order = await setup.open()
    await setup.setMode(KEEPS_A_FEE)
    await expect(setup.initiate(setup.newOrder())).rejects.toThrow('HTLC__AmountNotReceived')
    await setup.send(htlcCall.redeem(order))
    expect(await setup.balance(setup.redeemer.address)).toBe(order.amount - 1n)
    expect(await setup.balance(setup.htlc)).toBe(0n)
  })
})

describe('a simulated payout', () => {
  const trial = (order: HtlcOrder) =>
    encodeFunctionData({ abi: htlcTrc20.abi, functionName: 'tryPayout', args: [order.redeemer, order.amount] })

  it('reverts with the result of the payout, and moves nothing, however it is called', async () => {
    const setup = await createSetup()
    const order = await setup.open()
    await expect(setup.send(trial(order))).rejects.toThrow('HTLC__PayoutWouldSucceed')
    await expect(setup.send(trial({ ...order, amount: order.amount + 1n }))).rejects.toThrow('HTLC__TransferFailed')
    await setup.setMode(MOVES_NOTHING_SAYS_YES)
    await expect(setup.send(trial(order))).rejects.toThrow('HTLC__TransferFailed')
    expect(await setup.balance(setup.htlc)).toBe(order.amount)
    expect(await setup.balance(setup.redeemer.address)).toBe(0n)
  })
})

describe('a token that calls back in the middle of a payout', () => {
  it('gets no order paid twice', async () => {
    const setup = await createSetup(reentrantToken)
    const [first, second] = [await setup.open(), await setup.open()]
    const redeem = htlcCall.redeem(first)
    await setup.onToken(encodeFunctionData({ abi: reentrantToken.abi, functionName: 'arm', args: [setup.htlc, redeem, 0n] }))
    await setup.send(redeem)
    expect(await setup.balance(setup.redeemer.address)).toBe(first.amount)
    expect(await setup.balance(setup.htlc)).toBe(second.amount)
  })
})

describe('its code', () => {
  it('has no instruction that a network of Tron may not have voted for yet', () => {
    const code = hexToBytes(htlcTrc20.deployedBytecode)
    const instructions = new Set<number>()
    for (let at = 0; at < code.length; at += 1) {
      const instruction = code[at] ?? 0
      instructions.add(instruction)
      const isPush = instruction >= 0x60 && instruction <= 0x7f
      if (isPush) at += instruction - 0x5f
    }
    // The opcodes are BLOBHASH, BLOBBASEFEE, TLOAD, TSTORE, MCOPY and PUSH0.
    for (const late of [0x49, 0x4a, 0x5c, 0x5d, 0x5e, 0x5f]) expect(instructions).not.toContain(late)
    expect(instructions).toContain(0x55)
  })
})
