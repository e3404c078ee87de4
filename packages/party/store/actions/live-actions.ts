/** Reads the newest transaction of an action, or the reason why there is none, for waiting users. Concurrent reads share a statement. */
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { HtlcEvent, SwapId } from '@tandem/protocol/htlc.ts'
import type { ActionKey } from '@tandem/protocol/order.ts'
import { listOf, nullable, shape, text } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { readRows } from '../database/prepared.ts'
import { shareStatements, type Waiting } from '../database/share-statements.ts'

export type AwaitedAction = {
  readonly key: ActionKey
  readonly chain: ChainId
  readonly swapId: SwapId
  readonly shows: HtlcEvent['kind']
}

export type LiveAction = {
  readonly lastTx: string | null
  readonly refusal: string | null
  /** The newest is last, and unconfirmed transactions come after mined ones. */
  readonly seen: readonly string[]
}

export type ReadLiveAction = (action: AwaitedAction) => Promise<LiveAction>

/** One swap may have events of very many transactions. */
const MAX_SEEN = 200

export function createLiveActions(db: Database): ReadLiveAction {
  return shareStatements(async (batch: readonly Waiting<AwaitedAction, LiveAction>[]) => {
    try {
      const found = await readLiveActions(db, [...new Map(batch.map(({ item }) => [item.key, item])).values()])
      for (const { item, resolve } of batch) resolve(found.get(item.key) ?? { lastTx: null, refusal: null, seen: [] })
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  })
}

async function readLiveActions(db: Database, actions: readonly AwaitedAction[]): Promise<ReadonlyMap<ActionKey, LiveAction>> {
  const rows = await readRows(db, shape({ key: text, lastTx: nullable(text), refusal: nullable(text), seen: listOf(text) }))`
    select awaited.key, actions.last_tx as "lastTx", actions.refusal, array(
      select tx from (
        select tx, max(block_height) as height, bool_or(block_height is null) as unconfirmed from events
        where events.chain = awaited.chain and events.swap_id = awaited.swap_id and events.kind = awaited.shows
        group by tx order by unconfirmed desc, height desc limit ${MAX_SEEN}
      ) as newest order by unconfirmed, height
    ) as seen
    from unnest(
      ${actions.map(({ key }) => key)}::text[], ${actions.map(({ chain }) => chain)}::text[],
      ${actions.map(({ swapId }) => swapId)}::text[], ${actions.map(({ shows }) => shows)}::text[]
    ) as awaited (key, chain, swap_id, shows)
    left join actions on actions.key = awaited.key`
  return new Map(rows.map(({ key, ...action }) => [key, action]))
}
