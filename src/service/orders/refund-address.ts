/** Where a refund of the source goes, and who may say so: given when the order was made, or once later by whoever has its token. */
import { timingSafeEqual } from 'node:crypto'
import { clientFor } from '../../engine/facts.ts'
import { TandemError } from '../../protocol/error.ts'
import type { Database } from '../../store/database.ts'
import { type StoredOrder, setRefundAddress } from '../../store/orders.ts'
import type { ServiceContext } from '../context.ts'
import { hashToken } from './create.ts'
import { parseAddress } from './request.ts'

export type RefundAsk = { readonly address: string | null; readonly orderToken: string | null }

/** Where it goes if the asker may say so; nothing is written yet. */
export function checkRefundAddress({ clients }: ServiceContext, stored: StoredOrder, ask: RefundAsk): string {
  const { source } = stored.order
  if (ask.address === null) {
    if (source.userAddress === null)
      throw new TandemError(
        'bad_request',
        'it is not known where to refund to: give address, and the order_token that POST /orders returned',
      )
    return source.userAddress
  }
  const address = parseAddress(clientFor(clients, source.chain), ask.address, 'address')
  if (address === source.userAddress) return address
  if (source.userAddress !== null)
    throw new TandemError('forbidden', 'the refund address of this order was given when it was made and cannot be changed')
  if (!isToken(stored, ask.orderToken))
    throw new TandemError('forbidden', 'naming a refund address needs the order_token that POST /orders returned')
  return address
}

/** From now on it is this one, for good. */
export async function settleRefundAddress(db: Database, { order }: StoredOrder, address: string): Promise<void> {
  if (address !== order.source.userAddress && !(await setRefundAddress(db, order.id, address)))
    throw new TandemError('conflict', 'the refund address of this order was set by another call just now')
}

export function isToken(stored: StoredOrder, token: string | null): boolean {
  if (token === null || stored.tokenHash === null) return false
  return timingSafeEqual(Buffer.from(hashToken(token)), Buffer.from(stored.tokenHash))
}
