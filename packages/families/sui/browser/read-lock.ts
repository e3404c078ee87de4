/** Reads an order: a dynamic field of its registry. Its id follows from the terms; its content is compared with them too. */
import { bcs } from '@mysten/sui/bcs'
import { deriveDynamicFieldID, normalizeStructTag } from '@mysten/sui/utils'
import { bytesToHex } from '@noble/hashes/utils.js'
import { verifySame } from '@tandem/chain-kit/browser/check.ts'
import type { Lock, Node, Settled } from '@tandem/chain-kit/browser/family.ts'
import { VerificationError } from '@tandem/chain-kit/browser/verification-error.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { moduleName } from '../contract/client/calls.ts'
import { bytes32, orderMarks } from '../contract/client/order.ts'
import { type HtlcContract, orderTermsOf, swapIdOf } from '../terms/htlc.ts'
import { openNode } from './node.ts'
import { Order } from './order-layout.ts'

const Name = bcs.byteVector()

const OrderField = bcs.struct('Field', { id: bcs.Address, name: Name, order: Order })

const SettledField = bcs.struct('Field', { id: bcs.Address, name: Name, mark: bcs.U64 })

/** `packageId` is pinned. Another package could write anything into an order. */
export async function readLock(contract: HtlcContract, packageId: string, terms: HtlcTerms, on: Node): Promise<Lock | null> {
  const node = openNode(on)
  const orderId = swapIdOf(contract, terms)
  const field = await node.object(fieldIdOf(contract, orderId))
  if (field === null || field.type === typeOf(packageId, 'Settled')) return null
  verifySame('lock.type', typeOf(packageId, `Order<${contract.coinType}>`), field.type)
  const { name, order } = parseField(field.contents)
  const expected = orderTermsOf(terms)
  verifySame('lock.name', orderId, bytesToHex(Uint8Array.from(name)))
  verifySame('lock.initiator', expected.initiator, order.initiator)
  verifySame('lock.redeemer', expected.redeemer, order.redeemer)
  verifySame('lock.secretHash', expected.secretHash, bytesToHex(Uint8Array.from(order.secretHash)))
  verifySame('lock.amount', expected.amount, BigInt(order.amount))
  verifySame('lock.timelock', expected.timelock, BigInt(order.timelock))
  const [checkpoint, newest] = [await node.checkpointOf(field.writtenBy), await node.newestCheckpoint()]
  // A node that has stopped shows an old time: then our own clock counts.
  const now = newest.timeMs > BigInt(Date.now()) ? newest.timeMs : BigInt(Date.now())
  return {
    confirmations: checkpoint === null || checkpoint > newest.height ? 0 : Number(newest.height - checkpoint) + 1,
    unitsLeft: BigInt(order.initiatedAt) + terms.timelock - now,
  }
}

export async function settledAs(contract: HtlcContract, packageId: string, terms: HtlcTerms, on: Node): Promise<Settled> {
  const field = await openNode(on).object(fieldIdOf(contract, swapIdOf(contract, terms)))
  if (field === null || field.type !== typeOf(packageId, 'Settled')) return 'none'
  const mark = BigInt(SettledField.parse(field.contents).mark)
  return mark === orderMarks.redeemed ? 'redeemed' : mark === orderMarks.refunded ? 'refunded' : 'none'
}

function fieldIdOf({ registry }: HtlcContract, orderId: string): string {
  return deriveDynamicFieldID(registry, 'vector<u8>', Name.serialize(bytes32(orderId)).toBytes())
}

function typeOf(packageId: string, value: string): string {
  return normalizeStructTag(`0x2::dynamic_field::Field<vector<u8>, ${packageId}::${moduleName}::${value}>`)
}

/** Only the exact bytes are accepted: others would not be an order. */
function parseField(contents: Uint8Array) {
  try {
    const field = OrderField.parse(contents)
    if (bytesToHex(OrderField.serialize(field).toBytes()) === bytesToHex(contents)) return field
  } catch {
    // The error is thrown below.
  }
  throw new VerificationError('lock', 'an order', bytesToHex(contents))
}
