/** Reads again which deposits of an HTLC were spent, and corrects rows that were written, edited or deleted. */
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import type { Leg } from '@tandem/protocol/order.ts'
import { isSecretFor } from '@tandem/protocol/secret.ts'
import type { OrderState } from '@tandem/protocol/state.ts'
import { readCursor } from '../../store/chain/events.ts'
import { replaceSpends } from '../../store/chain/replace-spends.ts'
import { clientFor, type LiveView } from '../facts.ts'
import { createWatchedSwaps } from '../watched-swaps.ts'

/** Returns true if rows were wrong. Nothing is changed while the nodes are behind what is on record, or on another branch. */
export async function rereadSpends({ db, clients }: Pick<LiveView, 'db' | 'clients'>, state: OrderState, leg: Leg): Promise<boolean> {
  const { chain, swapId, terms } = state.order[leg]
  const client = clientFor(clients, chain)
  const { deposits } = state[leg]
  const [from] = deposits.flatMap(({ block }) => block?.height ?? []).sort((a, b) => (a < b ? -1 : 1))
  const to = await readCursor(db, chain)
  if (from === undefined || to === null || (await client.tip()).height < to.height) return false
  const watched = createWatchedSwaps([{ swapId, terms, deposits: deposits.map(({ id }) => id) }])
  const events = await client.events(watched, from, to.height)
  const [header] = await client.headers([to.height])
  if (header?.hash !== to.hash) return false
  const spends = events.filter((event) => event.kind !== 'initiated')
  const secret = spends.map(secretIn).find((shown) => shown !== null && isSecretFor(shown, terms.secretHash)) ?? null
  return replaceSpends(db, { chain, swapId, orderId: state.order.id, from, to, spends, secret })
}

function secretIn(event: HtlcEvent): string | null {
  return event.kind === 'initiated' ? null : event.secret
}
