/** A deposit that is not swapped is refunded after its timelock or at once, automatically or on request, and to the right address. */
import { randomBytes } from 'node:crypto'
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { base64 } from '@scure/base'
import { p2wpkh, RawTx, RawWitness, Transaction } from '@scure/btc-signer'
import { pubECDSA } from '@scure/btc-signer/utils.js'
import { expect, test } from 'vitest'
import { type CoinStory, type CoinTarget, depositIn, type PlacedOrder } from './utxo-story.ts'

/** The BIP322 "simple" proof of a P2WPKH address is written from the standard, independent of the product's code. */
const TAG = sha256(utf8ToBytes('BIP0322-signed-message'))
const OP_RETURN = Uint8Array.of(0x6a)
const PUSH_32_AFTER_0 = Uint8Array.of(0x00, 0x20)

const LIMIT_MS = 600_000
const MAX_FEE = 10_000n

/** The time is longer than a price is promised, and far from the deadline. */
const AN_HOUR = 3_600

export function tellOfRefunds(story: () => CoinStory, { isSimulated }: CoinTarget): void {
  const patch = ({ order_id }: PlacedOrder, action: string, body: object) =>
    story().api.call('PATCH', `/orders/${order_id}?action=${action}`, body) as Promise<string>

  const newAddress = () => p2wpkh(pubECDSA(randomBytes(32)), story().coins.network).address ?? ''

  const proofFor = ({ order_id }: PlacedOrder, address: string) =>
    proveAddress(story().userWallet.key, `Tandem refund of order ${order_id} to ${address}`)

  async function expectRefunded(order: PlacedOrder, to: string, amount: bigint): Promise<string> {
    const refunded = await story().untilStatus(order.order_id, 'refunded')
    const tx = refunded.source_swap.refund_tx_hash
    const paid = (await story().transaction(tx)).pays(to)
    expect(paid).toBeLessThan(amount)
    expect(paid).toBeGreaterThan(amount - MAX_FEE)
    expect(refunded.destination_swap.initiate_tx_hash).toBe('')
    expect(await story().secretSigned(order.order_id)).toBe(false)
    return tx
  }

  test.concurrent('a refund of a completed swap is refused', { timeout: LIMIT_MS }, async () => {
    const { place, userWallet, coins, untilStatus } = story()
    const order = await place()
    await userWallet.pay(order.to, coins.amount)
    await untilStatus(order.order_id, 'counterparty_redeemed')
    const nothing = { httpStatus: 409, message: 'there is nothing to refund: the order is counterparty_redeemed' }
    await expect(patch(order, 'refund', {})).rejects.toMatchObject(nothing)
    await expect(patch(order, 'instant-refund', { signatures: [], order_token: order.order_token })).rejects.toMatchObject(nothing)
    const elsewhere = { address: newAddress(), signature: '' }
    elsewhere.signature = proofFor(order, elsewhere.address)
    await expect(patch(order, 'refund', elsewhere)).rejects.toMatchObject(nothing)
    expect(await order.received()).toBe(order.agreed)
  })

  test.concurrent('the holder of the order token gets an instant refund by one cosigned signature', { timeout: LIMIT_MS }, async () => {
    const { place, userWallet, coins, until, signed } = story()
    const order = await place()
    const amount = coins.amount / 2n
    const payment = await userWallet.pay(order.to, amount)
    await until(order.order_id, 'a block', (one) => one.source_swap.current_confirmations > 0)
    await expect(patch(order, 'instant-refund', { signatures: [] })).rejects.toMatchObject({ code: 'forbidden' })
    await expect(patch(order, 'instant-refund', { signatures: ['00'.repeat(65)], order_token: order.order_token })).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('signatures must be empty'),
    })

    const tx = await patch(order, 'instant-refund', { signatures: [], order_token: order.order_token })
    const mined = await expectRefunded(order, userWallet.address, amount)
    const { inputs, pays, vsize } = await story().transaction(mined)
    expect(inputs[0]?.outpoint).toBe(payment.deposit)
    // The flag is SINGLE|ANYONECANPAY, so anyone can add an input to raise the fee.
    expect(inputs[0]?.witness).toEqual([expect.stringMatching(/^[0-9a-f]{128}83$/)])
    const record = await until(order.order_id, 'its end', (one) => depositIn(one, payment)?.state === 'refunded')
    const signedTx = Transaction.fromRaw(hexToBytes(record.source_swap.instant_refund_tx ?? ''), { allowUnknownOutputs: true })
    // A fee bump may have replaced the transaction that was sent first.
    const attempts = [...(await signed('service', order.order_id)).values()].flat()
    expect(attempts).toEqual(expect.arrayContaining([tx, mined, signedTx.id]))
    // The user gets the signed amount. If fees have risen since, a coin of the service pays the difference.
    expect(signedTx.getOutput(0).amount).toBe(pays(userWallet.address))
    expect(inputs.length).toBeLessThanOrEqual(isSimulated ? 1 : 2)
    if (isSimulated) expect(vsize).toBeLessThanOrEqual(100)
    expect(await signed('solver', order.order_id)).toEqual(new Map())
  })

  test('the solver is down: after the timelock every deposit is refunded to the address that its owner chose', {
    timeout: LIMIT_MS,
  }, async () => {
    const { place, userWallet, coins, stack, until, untilStatus } = story()
    const { amount } = coins
    const [plain, moved, nameless] = [await place(), await place(), await place({ owner: '' })]
    await stack.solver.setRunning(false)
    try {
      for (const { to } of [plain, moved, nameless]) await userWallet.pay(to, amount)
      for (const { order_id } of [plain, moved, nameless]) await untilStatus(order_id, 'initiated')

      // It is too early: an address can be changed by its owner, but nothing is sent.
      await expect(patch(plain, 'refund', {})).rejects.toMatchObject({
        httpStatus: 409,
        message: expect.stringMatching(/^it is too early to refund: the timelock of the deposit ends/),
      })
      const other = newAddress()
      for (const signature of [proofFor(plain, other), proofFor(moved, newAddress()), proveAddress(randomBytes(32), 'mine')])
        await expect(patch(moved, 'refund', { address: other, signature })).rejects.toMatchObject({ code: 'invalid_signature' })
      const { source_swap: before } = await untilStatus(moved.order_id, 'initiated')
      expect(before).toMatchObject({ initiator: userWallet.address, delegate: expect.stringMatching(/^[0-9a-f]{64}$/) })
      expect(await patch(moved, 'refund', { address: other, signature: proofFor(moved, other) })).toBe('')
      const { source_swap: after } = await untilStatus(moved.order_id, 'initiated')
      expect(after).toMatchObject({ initiator: other, delegate: before.delegate, swap_id: before.swap_id })
      // The previous owner cannot change it.
      const third = newAddress()
      await expect(patch(moved, 'refund', { address: third, signature: proofFor(moved, third) })).rejects.toMatchObject({
        code: 'invalid_signature',
      })

      const { timelock } = (await untilStatus(plain.order_id, 'initiated')).source_swap
      await coins.setMining('manual')
      await coins.mine(timelock)
      await untilStatus(plain.order_id, 'refund_detected')
      await expect(patch(plain, 'refund', { address: third, order_token: plain.order_token })).rejects.toMatchObject({
        code: 'forbidden',
        message: expect.stringContaining('BIP-322'),
      })
      await expect(patch(plain, 'refund', { address: third, signature: proofFor(plain, third) })).rejects.toMatchObject({
        httpStatus: 409,
        message: expect.stringContaining(`cannot be changed any more: a refund to ${userWallet.address} is signed`),
      })

      const asking = await untilStatus(nameless.order_id, 'awaiting_refund')
      expect(asking.next_action).toMatchObject({ who: 'user', what: 'give_refund_address' })
      const refundAddress = newAddress()
      const { order_token } = nameless
      await expect(patch(nameless, 'refund', {})).rejects.toMatchObject({ code: 'bad_request' })
      await expect(patch(nameless, 'refund', { address: refundAddress })).rejects.toMatchObject({ code: 'forbidden' })
      await expect(patch(nameless, 'refund', { address: refundAddress, order_token: plain.order_token })).rejects.toMatchObject({
        code: 'forbidden',
      })
      await expect(patch(nameless, 'refund', { address: 'not an address', order_token })).rejects.toMatchObject({ code: 'invalid_address' })
      const tx = await patch(nameless, 'refund', { address: refundAddress, order_token })
      await until(nameless.order_id, 'the refund', (one) => one.source_swap.refund_tx_hash === tx)

      await coins.setMining('instant')
      await expectRefunded(plain, userWallet.address, amount)
      await expectRefunded(moved, other, amount)
      expect(await expectRefunded(nameless, refundAddress, amount)).toBe(tx)
    } finally {
      await coins.setMining('instant')
      await stack.solver.setRunning(true)
    }
  })

  test('the price expired and moved: the solver declines, and the deposit is refunded automatically', {
    timeout: LIMIT_MS,
  }, async () => {
    const { place, userWallet, coins, signed } = story()
    const order = await place()
    await tradeAt(story(), (price) => price / 2)
    await coins.passTime(AN_HOUR)
    const payment = await userWallet.pay(order.to, coins.amount)
    const tx = await expectRefunded(order, userWallet.address, coins.amount)
    expect((await story().transaction(tx)).inputs[0]).toMatchObject({ outpoint: payment.deposit, witness: [expect.any(String)] })
    expect(await signed('solver', order.order_id)).toEqual(new Map())
  })
}

const tradeAt = ({ restart, coins: { asset } }: CoinStory, change: (price: number) => number): Promise<void> =>
  restart('solver', ({ prices }) => {
    prices[asset] = String(change(Number(prices[asset])))
  })

function proveAddress(key: Uint8Array, message: string): string {
  const { script } = p2wpkh(pubECDSA(key))
  const hash = sha256(concatBytes(TAG, TAG, utf8ToBytes(message)))
  const toSpend = RawTx.encode({
    version: 0,
    segwitFlag: false,
    inputs: [{ txid: new Uint8Array(32), index: 0xffffffff, finalScriptSig: concatBytes(PUSH_32_AFTER_0, hash), sequence: 0 }],
    outputs: [{ amount: 0n, script }],
    witnesses: undefined,
    lockTime: 0,
  })
  const toSign = new Transaction({ version: 0, allowUnknownOutputs: true })
  // A txid is the hash in reverse byte order.
  const txid = sha256(sha256(toSpend)).reverse()
  toSign.addInput({ txid, index: 0, sequence: 0, witnessUtxo: { script, amount: 0n } })
  toSign.addOutput({ script: OP_RETURN, amount: 0n })
  toSign.sign(key)
  toSign.finalize()
  return base64.encode(RawWitness.encode([...(toSign.getInput(0).finalScriptWitness ?? [])]))
}
