/** Writes chain events in bulk: the number of statements does not grow with the number of events. */
import { sql } from 'kysely'
import type { ChainId } from '../../protocol/chain-id.ts'
import { type Initiation, largest, MAX_UNCONFIRMED } from '../../protocol/considered.ts'
import type { HtlcEvent, SwapId } from '../../protocol/htlc.ts'
import type { Database } from '../database/database.ts'

export type SeenEvents = {
  readonly mined: readonly HtlcEvent[]
  /** All unconfirmed events right now: those recorded earlier and not listed here are deleted. */
  readonly unconfirmed: readonly HtlcEvent[]
}

/** True if anything changed. */
export async function writeEvents(tx: Database, chain: ChainId, seen: SeenEvents): Promise<boolean> {
  const { mined } = seen
  const unconfirmed = withoutFlood(seen.unconfirmed)
  const known = await tx.selectFrom('events').select(['tx', 'index']).where('chain', '=', chain).where('block_height', 'is', null).execute()
  const knownKeys = new Set(known.map(keyOf))
  const present = new Set(unconfirmed.map(keyOf))
  const deleted = await deleteEvents(
    tx,
    chain,
    known.filter((row) => !present.has(keyOf(row))),
  )
  const written = await upsertEvents(tx, chain, [...unconfirmed.filter((event) => !knownKeys.has(keyOf(event))), ...mined])
  await keepSecrets(tx, chain, [...seen.unconfirmed, ...mined])
  await reopenOrders(tx, chain, written)
  return deleted || written.length > 0
}

/** Unconfirmed deposits cost nothing to send: of each swap only as many are recorded as are considered. */
function withoutFlood(events: readonly HtlcEvent[]): readonly HtlcEvent[] {
  if (events.length <= MAX_UNCONFIRMED) return events
  const deposits = new Map<SwapId, Initiation[]>()
  for (const event of events) {
    if (event.kind !== 'initiated') continue
    const others = deposits.get(event.swapId)
    if (others === undefined) deposits.set(event.swapId, [event])
    else others.push(event)
  }
  const floods = [...deposits.values()].filter(({ length }) => length > MAX_UNCONFIRMED)
  // Sorted first, so that every poll keeps the same of equal ones.
  const dropped = new Set<HtlcEvent>(
    floods.flatMap((flood) => {
      const kept = new Set(largest(flood.toSorted(byKey), MAX_UNCONFIRMED))
      return flood.filter((event) => !kept.has(event))
    }),
  )
  return events.filter((event) => !dropped.has(event))
}

function byKey(a: HtlcEvent, b: HtlcEvent): number {
  return keyOf(a) < keyOf(b) ? -1 : 1
}

function keyOf({ tx, index }: Pick<HtlcEvent, 'tx' | 'index'>): string {
  return `${tx} ${index}`
}

async function deleteEvents(tx: Database, chain: ChainId, gone: readonly Pick<HtlcEvent, 'tx' | 'index'>[]): Promise<boolean> {
  if (gone.length === 0) return false
  await sql`
    delete from events using unnest(${gone.map((row) => row.tx)}::text[], ${gone.map((row) => row.index)}::text[]) as gone (tx, index)
    where events.chain = ${chain} and events.tx = gone.tx and events.index = gone.index`.execute(tx)
  return true
}

/** The swaps of the events that were inserted or changed. */
async function upsertEvents(tx: Database, chain: ChainId, events: readonly HtlcEvent[]): Promise<readonly SwapId[]> {
  if (events.length === 0) return []
  // One statement cannot write a row twice. Mined events come last, and replace unconfirmed ones.
  const rows = [...new Map(events.map((event) => [keyOf(event), eventToRow(event)])).values()]
  // A mempool may lag behind the blocks: only a rewind unconfirms an event. The transaction id does not cover the witness, which may change.
  const { rows: written } = await sql<{ swap_id: SwapId }>`
    insert into events (
      chain, tx, index, swap_id, kind, deposit, amount, secret, expires_at, block_height, block_hash, block_time, block_ordinal
    ) select ${chain}, given.* from json_to_recordset(${JSON.stringify(rows)}::json) as given (
      tx text, index text, swap_id text, kind text, deposit text, amount numeric, secret text, expires_at bigint,
      block_height bigint, block_hash text, block_time bigint, block_ordinal bigint
    )
    on conflict (chain, tx, index) do update set
      block_height = excluded.block_height, block_hash = excluded.block_hash, block_time = excluded.block_time,
      block_ordinal = excluded.block_ordinal, kind = excluded.kind, secret = excluded.secret, expires_at = excluded.expires_at
    where excluded.block_hash is not null and events.block_hash is distinct from excluded.block_hash
    returning swap_id`.execute(tx)
  return written.map((row) => row.swap_id)
}

/** Big numbers are sent as text: JSON numbers are floats. */
function eventToRow(event: HtlcEvent) {
  const isInitiation = event.kind === 'initiated'
  return {
    tx: event.tx,
    index: event.index,
    swap_id: event.swapId,
    kind: event.kind,
    deposit: event.deposit,
    amount: isInitiation ? event.amount.toString() : null,
    secret: isInitiation ? null : event.secret,
    expires_at: isInitiation ? (event.expiresAt?.toString() ?? null) : null,
    block_height: event.block?.height.toString() ?? null,
    block_hash: event.block?.hash ?? null,
    block_time: event.block?.time.toString() ?? null,
    block_ordinal: event.block?.ordinal?.toString() ?? null,
  }
}

/** Never deleted: the transaction may vanish in a reorg, but the secret stays public. */
async function keepSecrets(tx: Database, chain: ChainId, events: readonly HtlcEvent[]): Promise<void> {
  const shown = events.flatMap((event) =>
    event.kind === 'initiated' || event.secret === null ? [] : [{ swapId: event.swapId, secret: event.secret }],
  )
  if (shown.length === 0) return
  await sql`
    update orders set seen_secret = shown.secret, seen_secret_at = ${new Date()}
    from (
      select distinct on (order_id) order_id, secret
      from unnest(${shown.map(({ swapId }) => swapId)}::text[], ${shown.map(({ secret }) => secret)}::text[])
        with ordinality as given (swap_id, secret, position)
      join swaps on swaps.chain = ${chain} and swaps.swap_id = given.swap_id
      order by order_id, position
    ) as shown
    where orders.id = shown.order_id and seen_secret is null`.execute(tx)
}

/** Reopens closed orders, e.g. after a late deposit. */
export async function reopenOrders(tx: Database, chain: ChainId, swapIds: readonly SwapId[]): Promise<void> {
  if (swapIds.length === 0) return
  await sql`
    update orders set closed_at = null
    where closed_at is not null
      and id in (select order_id from swaps where chain = ${chain} and swap_id = any(${[...new Set(swapIds)]}::text[]))`.execute(tx)
}
