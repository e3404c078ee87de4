// Makes the signatures of scenarios.
import { parseSerializedSignature } from '@mysten/sui/cryptography'
import { instantRefundMessage, orderId } from '../client/order.ts'
import { partyAddress, partyKeys, type RefundSignature, type ScenarioOrder } from './scenario.ts'

const otherRegistry = `0x${'5e'.repeat(32)}`

/** The result is null where the client has no id for the terms: a hash of another length. */
export function orderIdOf(order: ScenarioOrder, registry: string): string | null {
  const [initiator, redeemer] = [partyAddress(order.initiator, registry), partyAddress(order.redeemer, registry)]
  return order.secretHash.length === 64 ? orderId(registry, { ...order, initiator, redeemer }) : null
}

export async function signRefund(
  { signer, order, elsewhere = false, keyOf = signer, cutKey = 0, cutSignature = 0 }: RefundSignature,
  registry: string,
): Promise<{ readonly publicKey: Uint8Array; readonly signature: Uint8Array }> {
  const id = orderIdOf(order, registry)
  if (id === null) throw new RangeError('an order without an id cannot be signed for')
  const { signature } = await partyKeys[signer].signPersonalMessage(instantRefundMessage(elsewhere ? otherRegistry : registry, id))
  const parsed = parseSerializedSignature(signature)
  if (parsed.signature === undefined) throw new Error(`a ${parsed.signatureScheme} signature has no bytes`)
  const cut = (bytes: Uint8Array, count: number): Uint8Array => bytes.slice(0, bytes.length - count)
  return { publicKey: cut(partyKeys[keyOf].getPublicKey().toRawBytes(), cutKey), signature: cut(parsed.signature, cutSignature) }
}
