/** Ends the leases of actions with their results. Concurrent results share a statement. */
import type { Database } from '../database/database.ts'
import { prepareWrite } from '../database/prepared.ts'
import { sharePerDatabase } from '../database/share-statements.ts'
import type { Leased } from './actions.ts'

export type ActionResult =
  | { readonly kind: 'sent'; readonly tx: string; readonly againInMs: number }
  | {
      readonly kind: 'failed'
      readonly error: string
      readonly againInMs: number
      /** The transaction was mined and reverted, or expired unmined, so nothing waits for it any more. */
      readonly revertedTx?: string
      /** The user gets this reason if the user can fix it. */
      readonly refusal?: string | null
      /** An expected delay is not counted as a failure. */
      readonly isExpected?: true
    }
  /** The action cannot be done now. The reconciler decides whether it stays wanted. */
  | { readonly kind: 'skipped'; readonly againInMs: number }
  | { readonly kind: 'cancelling'; readonly tx: string; readonly againInMs: number }
  /** No transaction of the action can be mined any more, or the initiation is confirmed. */
  | { readonly kind: 'cancelled' }
  /** The action is not wanted any more, and its order is closed, so the reconciler will not update it. */
  | { readonly kind: 'finished' }

/** Rows are locked in the order of their keys, as everywhere, so two statements cannot deadlock. */
const finish = prepareWrite(
  'finish-actions',
  `
  with given as materialized (
    select * from json_to_recordset($1::json) as given (
      key text, fence bigint, kind text, tx text, error text, refusal text, reverted_tx text, failures integer, again_ms float8)
  ), held as materialized (
    select actions.key from given join actions on actions.key = given.key and actions.fence = given.fence
    order by actions.key for update of actions
  )
  update actions set
    lease_holder = null,
    lease_until = null,
    updated_at = now(),
    due_at = case when again_ms is null then due_at else now() + make_interval(secs => again_ms / 1000) end,
    last_tx = case when kind = 'sent' then given.tx when given.reverted_tx is null then last_tx end,
    reverted_tx = case when kind <> 'sent' then coalesce(given.reverted_tx, actions.reverted_tx) end,
    last_error = case when kind = 'failed' then given.error when kind not in ('sent', 'finished') then last_error end,
    refusal = case when kind = 'failed' then given.refusal when kind not in ('sent', 'finished') then actions.refusal end,
    failures = case kind when 'sent' then 0 when 'failed' then given.failures else actions.failures end,
    cancelling = cancelling and kind <> 'cancelled',
    wanted = wanted and kind <> 'finished'
  from given where actions.key = given.key and actions.fence = given.fence and actions.key in (select key from held)`,
)

type Finished = { readonly action: Leased; readonly result: ActionResult }

async function finishAll(db: Database, finished: readonly Finished[]): Promise<readonly undefined[]> {
  await finish(db, [JSON.stringify(finished.map(rowOf))])
  return finished.map(() => undefined)
}

/** Nobody waits for the result of a sent action: its transaction is on record, and the chain shows it next. */
const COLLECT_SENT_MS = 50

const finishNow = sharePerDatabase(finishAll)
const finishSent = sharePerDatabase(finishAll, { collectMs: COLLECT_SENT_MS })

/** A result is ignored if the lease was lost. */
export async function finishAction(db: Database, action: Leased, result: ActionResult): Promise<void> {
  await (result.kind === 'sent' ? finishSent : finishNow)(db, { action, result })
}

function rowOf({ action, result }: Finished) {
  const { key, fence, failures } = action
  return {
    key,
    fence: fence.toString(),
    kind: result.kind,
    failures: result.kind === 'failed' && result.isExpected !== true ? failures + 1 : failures,
    ...('againInMs' in result && { again_ms: result.againInMs }),
    ...(result.kind === 'sent' && { tx: result.tx }),
    ...(result.kind === 'failed' && {
      error: storable(result.error),
      refusal: result.refusal == null ? null : storable(result.refusal),
      reverted_tx: result.revertedTx ?? null,
    }),
  }
}

/**
 * Contracts and nodes choose this text. The database refuses zero bytes and lone surrogates, and with them all results in the statement.
 */
function storable(text: string): string {
  return Buffer.from(text).toString().replaceAll('\0', '\ufffd')
}
