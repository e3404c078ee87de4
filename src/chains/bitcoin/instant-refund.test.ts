// Deposits that both parties give back before the timelock, on the simulated chain.
import { hexToBytes } from '@noble/hashes/utils.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { HtlcTerms } from '../../protocol/htlc.ts'
import type { SignedInstantRefund } from '../../protocol/order.ts'
import { instantRefundOf, signAll } from './bitcoin-fixture.ts'
import { chain, failure, type Scene, startScene } from './bitcoin-scene.ts'
import { parseTransaction } from './transaction.ts'

describe.each(['rpc', 'esplora'] as const)('instant refunds through %s', (endpoint) => {
  let scene: Scene
  let terms: HtlcTerms
  beforeEach(async () => {
    scene = await startScene(endpoint)
    terms = scene.terms(200_000n)
  })
  afterEach(() => scene.node.close())

  const home = () => scene.client.addressOf(scene.solver)
  const deposits = async () => (await scene.look(terms)).deposits.map(({ id, amount }) => ({ id, amount }))
  const fund = async (...amounts: readonly bigint[]) => {
    for (const amount of amounts) await scene.node.faucet(scene.client.swapId(terms), amount)
    scene.node.mine(1)
    return deposits()
  }
  /** The user is the redeemer here, and the solver the one who gets it back. */
  const signed = async (of?: readonly { readonly id: string; readonly amount: bigint }[]) =>
    signAll(scene.client, terms, { deposits: of ?? (await deposits()), to: home() }, scene.user)
  const send = (refunds: readonly SignedInstantRefund[], outbox = scene.solverOutbox.open('refund')) =>
    instantRefundOf(scene.client).send(terms, refunds, outbox)

  it('gives back what is too little, long before the timelock, as a refund', async () => {
    await fund(150_000n)
    const [refund, ...more] = await signed()
    if (refund === undefined) throw new Error('nothing was signed')
    expect(more).toEqual([])
    const tx = await send([refund])
    expect(await scene.mempool()).toEqual([tx])
    expect((await scene.unminedFee(tx)).fee).toBe(refund.amount - refund.pays)
    expect((await scene.look(terms)).phase).toBe('refunding')
    scene.node.mine(1)
    expect(await scene.look(terms)).toMatchObject({ phase: 'refunded', secret: null, deposits: [{ spend: { tx, kind: 'refunded' } }] })
    expect(await scene.client.balance(terms.asset, home())).toBe(refund.pays)
    expect(await send([refund])).toBe(tx)
  })

  it('gives several back in one transaction, each to an output of its own, at the fee of the next blocks at least', async () => {
    await fund(150_000n, 60_000n, 70_000n)
    const refunds = await signed()
    expect(refunds.map(({ amount }) => amount)).toEqual([150_000n, 70_000n, 60_000n])
    const tx = await send(refunds)
    const { fee, vsize } = await scene.unminedFee(tx)
    expect(fee).toBeGreaterThanOrEqual(vsize)
    const [attempt] = scene.solverOutbox.attempts('refund')
    expect(parseTransaction(attempt?.raw ?? '').outputs.map(({ amount }) => amount)).toEqual(refunds.map(({ pays }) => pays))
    expect(attempt?.slots).toEqual(refunds.map(({ deposit }) => deposit))
    scene.node.mine(1)
    expect((await scene.look(terms)).phase).toBe('refunded')
  })

  it('leaves deposits that do not bear the fee to the ordinary refund, and refuses when none does', async () => {
    const all = await fund(150_000n, 600n)
    expect((await signed()).map(({ amount }) => amount)).toEqual([150_000n])
    await expect(signed(all.filter(({ amount }) => amount === 600n))).rejects.toThrow(failure('would-fail', /uneconomic/))
  })

  it('is sent again after a reorg, and without a deposit that the reorg took away', async () => {
    await fund(150_000n)
    const [first] = await signed()
    if (first === undefined) throw new Error('nothing was signed')
    const tx = await send([first])
    scene.node.mine(1)
    scene.node.reorg(1)
    expect(await send([first])).toBe(tx)
    expect(scene.solverOutbox.attempts('refund')).toHaveLength(1)
    scene.node.mine(1)
    await fund(90_000n)
    const [, second] = await signed()
    if (second === undefined) throw new Error('the second was not signed')
    scene.node.reorg(1, { dropTransactions: true })
    await expect(send([second])).rejects.toThrow(failure('superseded'))
  })

  it('is superseded by a redeem, and does not compete with it', async () => {
    const found = await fund(200_000n)
    const refunds = await signed()
    const payout = scene.client.addressOf(scene.user)
    await scene.client.redeem(terms, { deposits: found, to: payout, secret: scene.secret }, scene.userOutbox.open('redeem'))
    await expect(send(refunds)).rejects.toThrow(failure('superseded'))
    expect(scene.solverOutbox.attempts('refund')).toEqual([])
  })

  it('makes way for the ordinary refund once that is possible, which may raise its fee', async () => {
    const found = await fund(150_000n)
    scene.node.mine(20)
    const instant = await send(await signed())
    const { fee } = await scene.unminedFee(instant)
    scene.solverOutbox.passSeconds(chain.feeBumpSeconds)
    const ordinary = await scene.client.refund(terms, { deposits: found, to: home() }, scene.solverOutbox.open('refund'))
    expect(ordinary).not.toBe(instant)
    expect((await scene.unminedFee(ordinary)).fee).toBeGreaterThan(fee)
    expect(await scene.mempool()).toEqual([ordinary])
  })

  it('needs both: neither party alone, nor a signature for anything else, moves a deposit', async () => {
    await fund(150_000n, 60_000n)
    const [refund, other] = await signed()
    if (refund === undefined || other === undefined) throw new Error('nothing was signed')
    const { verify, sign } = instantRefundOf(scene.client)
    expect(await verify(terms, refund)).toBe(true)
    const wrong: Readonly<Record<string, SignedInstantRefund>> = {
      'another output': { ...refund, pays: refund.pays - 1n },
      'another address': { ...refund, to: scene.client.addressOf(scene.user) },
      'another amount': { ...refund, amount: refund.amount + 1n },
      'another deposit': { ...refund, deposit: other.deposit },
      'the signature of another': { ...refund, signature: other.signature },
      'another hash type': { ...refund, signature: `${refund.signature.slice(0, 128)}01` },
      'no hash type': { ...refund, signature: refund.signature.slice(0, 128) },
      'upper case': { ...refund, signature: refund.signature.toUpperCase() },
      nonsense: { ...refund, signature: 'ff'.repeat(65) },
    }
    for (const [name, one] of Object.entries(wrong)) {
      expect(await verify(terms, one), name).toBe(false)
    }
    expect(await verify(scene.terms(200_000n, 21n), refund)).toBe(false)
    await expect(sign(terms, refund, scene.solver)).rejects.toThrow('only the redeemer')
    await expect(send([refund], scene.userOutbox.open('refund'))).rejects.toThrow(failure('would-fail', /not that of the initiator/))
    await expect(send([{ ...refund, pays: refund.pays - 1n }])).rejects.toThrow(failure('would-fail', /refused/))
    await expect(send([])).rejects.toThrow(failure('would-fail'))
    expect(await scene.mempool()).toEqual([])
  })

  it('has the redeemer sign with SINGLE|ANYONECANPAY and the initiator the whole', async () => {
    await fund(150_000n)
    const [refund] = await signed()
    if (refund === undefined) throw new Error('nothing was signed')
    await send([refund])
    const [input] = parseTransaction(scene.solverOutbox.attempts('refund')[0]?.raw ?? '').inputs
    expect(input?.witness[0]).toEqual(hexToBytes(refund.signature))
    expect(refund.signature.endsWith('83')).toBe(true)
    expect(input?.witness[1]).toHaveLength(64)
    expect(input?.sequence).toBe(0xfffffffd)
  })
})
