// These tests show that the client gives the results of the vectors; `move.nodes.test.ts` shows it of the module.
import { Transaction } from '@mysten/sui/transactions'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { expect, it } from 'vitest'
import { deployment, orders, termsOf } from '../testing/vectors.ts'
import { initiateCall, instantRefundCall, instantRefundWithSignatureCall, redeemCall, refundCall, stateCall } from './calls.ts'
import { decodeEvent, encodeEvent, eventType, type HtlcEvent } from './events.ts'
import { instantRefundDigest, instantRefundMessage, orderId } from './order.ts'

const { registry, packageId } = deployment

const kindOf = async (add: (tx: Transaction) => void): Promise<string> => {
  const tx = new Transaction()
  add(tx)
  return bytesToHex(await tx.build({ onlyTransactionKind: true }))
}

it.each(orders)('order $orderId', async (vector) => {
  const { secret, kinds, events } = vector
  const terms = termsOf(vector)
  const id = orderId(registry, terms)
  expect(id).toBe(vector.orderId)
  expect(bytesToHex(instantRefundMessage(registry, id))).toBe(vector.refundMessage)
  expect(bytesToHex(instantRefundDigest(registry, id))).toBe(vector.refundDigest)

  const proof = [hexToBytes(vector.publicKey), hexToBytes(vector.signature)] as const
  expect({
    initiate: await kindOf((tx) => initiateCall(tx, deployment, terms, tx.splitCoins(tx.gas, [terms.amount])[0])),
    redeem: await kindOf((tx) => redeemCall(tx, deployment, id, secret)),
    refund: await kindOf((tx) => refundCall(tx, deployment, id)),
    instantRefund: await kindOf((tx) => instantRefundCall(tx, deployment, id)),
    instantRefundWithSignature: await kindOf((tx) => instantRefundWithSignatureCall(tx, deployment, id, ...proof)),
    state: await kindOf((tx) => stateCall(tx, deployment, id)),
  }).toEqual(kinds)

  const initiatedAt = BigInt(vector.initiatedAt)
  for (const [event, contents] of [
    [{ kind: 'initiated', registry, orderId: id, terms, initiatedAt }, events.initiated],
    [{ kind: 'redeemed', registry, orderId: id, secret }, events.redeemed],
    [{ kind: 'refunded', registry, orderId: id }, events.refunded],
  ] as const satisfies readonly (readonly [HtlcEvent, string])[]) {
    const encoded = encodeEvent(event)
    expect(bytesToHex(encoded.contents)).toBe(contents)
    expect(decodeEvent(packageId, eventType(packageId, encoded.name), hexToBytes(contents))).toEqual(event)
  }
})
