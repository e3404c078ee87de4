/**
 * Authenticates the terms of a swap and where its money may go: a row that was edited without the seal key is detected before something is
 * signed for it. Values that change by themselves are not covered: they are recomputed (`fill.ts`) or compared with the chain.
 */
import { timingSafeEqual } from 'node:crypto'
import type { Leg, Order } from '@tandem/protocol/order.ts'
import type { StoredOrder } from './order-rows.ts'
import type { Sealer } from './sealed-values.ts'

type Authenticator = Pick<Sealer, 'authenticate'>
type Sealed = {
  readonly order: Order
  /** The owner of the order token may set a refund address that is not known yet. */
  readonly tokenHash: string | null
  /** A repeated request gets the order of the first one. */
  readonly requestHash: string
}

export function sealSwaps(sealer: Authenticator, sealed: Sealed): Readonly<Record<Leg, string>> {
  return { source: sealSwap(sealer, sealed, 'source'), destination: sealSwap(sealer, sealed, 'destination') }
}

export function sealSwap(sealer: Authenticator, { order, tokenHash, requestHash }: Sealed, leg: Leg): string {
  const { chain, terms, userAddress, orderKey, payer, clientKey, agreedAmount, maxFee, depositAddress, gas } = order[leg]
  const { asset, initiator, redeemer, secretHash, timelock } = terms
  // The amount of a destination follows from the deposits. On some chains the id of an HTLC follows from the amount, on the others from the
  // remaining terms.
  const amounts = leg === 'source' ? [agreedAmount, terms.amount] : [agreedAmount]
  const numbers = [timelock, maxFee, gas, ...amounts].map((value) => value?.toString() ?? null)
  const parties = [initiator, redeemer, userAddress, orderKey, payer, clientKey, depositAddress]
  return sealer.authenticate(JSON.stringify([order.id, leg, tokenHash, requestHash, chain, asset, secretHash, numbers, parties]))
}

/** Throws if a row of this order is not as this service wrote it. */
export function assertSealed(sealer: Authenticator, stored: StoredOrder): void {
  const expected = sealSwaps(sealer, stored)
  const changed = (['source', 'destination'] as const).filter((leg) => !isSame(expected[leg], stored.seals[leg]))
  if (changed.length === 0) return
  throw new Error(
    `order ${stored.order.id}: its ${changed.join(' and ')} in the table swaps, or its token_hash or request_hash in orders, is not as this service wrote it. Somebody changed the row, or the vault key is another one. Nothing is signed for this order. Restore the row from a backup, find out who can write to the database, and change its password`,
  )
}

function isSame(expected: string, found: string | null): boolean {
  const [ours, theirs] = [Buffer.from(expected), Buffer.from(found ?? '')]
  return ours.length === theirs.length && timingSafeEqual(ours, theirs)
}
