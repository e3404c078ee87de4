/**
 * The refund address of the source, and who may set it. POST /orders sets it, or later the holder of the order token, once. After that only
 * a proof by the current address changes it, and only until a refund is signed.
 */
import { timingSafeEqual } from 'node:crypto'
import { clientFor } from '@tandem/party/engine/facts.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { changeRefundAddress, lockRefundAddress } from '@tandem/party/store/orders/change-refund-address.ts'
import { type StoredOrder, setRefundAddress } from '@tandem/party/store/orders/orders.ts'
import type { Sealer } from '@tandem/party/store/orders/sealed-values.ts'
import { assertSealed, sealSwap } from '@tandem/party/store/orders/swap-seals.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { ServiceContext } from '../context.ts'
import { hashToken } from './create.ts'
import { parseAddress } from './request.ts'

export type RefundRequest = {
  readonly address: string | null
  readonly orderToken: string | null
  /** The owner of the current address signs `refundMessage` with it. */
  readonly proof: string | null
}

/** The owner of a refund address signs this message to change the address. It binds the order and the new address. */
export function refundMessage(orderId: string, address: string): string {
  return `Tandem refund of order ${orderId} to ${address}`
}

/** Returns the new address if the caller may set it. This stores nothing. */
export function checkRefundAddress(
  { clients, sealer }: Pick<ServiceContext, 'clients' | 'sealer'>,
  stored: StoredOrder,
  ask: RefundRequest,
): string {
  // The row decides who may set the address, so the seal is checked first: a thief may have changed the row.
  assertSealed(sealer, stored)
  const { source } = stored.order
  if (ask.address === null) {
    if (source.userAddress === null)
      throw new TandemError('bad_request', 'the refund address is not known: send address, and the order_token that POST /orders returned')
    return source.userAddress
  }
  const client = clientFor(clients, source.chain)
  const address = parseAddress(client, ask.address, 'address')
  if (address === source.userAddress) return address
  if (source.userAddress === null) {
    if (!isToken(stored, ask.orderToken))
      throw new TandemError('forbidden', 'setting a refund address needs the order_token that POST /orders returned')
    return address
  }
  if (client.orderKeys === undefined)
    throw new TandemError('forbidden', 'the refund address of this order was given when it was made and cannot be changed')
  const message = refundMessage(stored.order.id, address)
  if (ask.proof === null)
    throw new TandemError(
      'forbidden',
      `the refund address of this order is set: to change it, give as signature a BIP-322 signature by ${source.userAddress} over "${message}"`,
    )
  client.orderKeys.verifyMessage(source.userAddress, message, ask.proof)
  return address
}

/** This must run in the transaction of the grant that is signed for the address, if there is one. */
export async function settleRefundAddress(
  { sealer }: { readonly sealer: Pick<Sealer, 'authenticate'> },
  tx: Database,
  stored: StoredOrder,
  address: string,
): Promise<StoredOrder> {
  assertSealed(sealer, stored)
  const { order } = stored
  const { userAddress } = order.source
  const settled = { ...stored, order: { ...order, source: { ...order.source, userAddress: address } } }
  const seal = sealSwap(sealer, settled, 'source')
  const result = { ...settled, seals: { ...stored.seals, source: seal } }
  if (userAddress === null) {
    if (!(await setRefundAddress(tx, order.id, address, seal))) throw changedMeanwhile()
    return result
  }
  if ((await lockRefundAddress(tx, order.id)) !== userAddress) throw changedMeanwhile()
  if (address !== userAddress && !(await changeRefundAddress(tx, order.id, address, seal)))
    throw new TandemError('conflict', `the refund address of this order cannot be changed any more: a refund to ${userAddress} is signed`)
  return result
}

export function changedMeanwhile(): TandemError {
  return new TandemError('conflict', 'the refund address of this order was set by another call just now')
}

export function isToken(stored: StoredOrder, token: string | null): boolean {
  if (token === null || stored.tokenHash === null) return false
  return timingSafeEqual(Buffer.from(hashToken(token)), Buffer.from(stored.tokenHash))
}
