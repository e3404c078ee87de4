/** What the operator asked to send out of the inventory. Each has an action, so leases, attempts, nonces and coins are those of all actions. */
import { randomUUID } from 'node:crypto'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { ActionKey } from '@tandem/protocol/order.ts'
import { sql } from 'kysely'
import type { Leased } from '../actions/actions.ts'
import { bigint, boolean, nullable, number, shape, text, time, type ValueOf } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { assetId } from '../database/domain-columns.ts'
import { durably } from '../database/durably.ts'
import { readRows } from '../database/prepared.ts'

export type Withdrawal = {
  readonly id: string
  readonly key: ActionKey
  readonly chain: ChainId
  readonly asset: AssetId
  readonly recipient: string
  readonly amount: bigint
  readonly requestedAt: Date
  readonly notBefore: Date
  /** It was counted for the limit of the day: it may be signed any time. */
  readonly isCounted: boolean
  /** The block in which it was paid or failed; null while neither is known. */
  readonly settledHeight: bigint | null
  readonly paidTx: string | null
  readonly failure: string | null
  readonly isCancelled: boolean
  /** The engine still works on it. */
  readonly isOpen: boolean
  readonly isSigned: boolean
  readonly lastTx: string | null
  /** Why the last try did not send it. */
  readonly lastError: string | null
}

const KEY_PREFIX = 'withdrawal/'

export const isWithdrawal = (key: ActionKey): boolean => key.startsWith(KEY_PREFIX)

export type WithdrawalRequest = Pick<Withdrawal, 'chain' | 'asset' | 'recipient' | 'amount'> & { readonly notBefore?: Date }

/** cancelled, paid and failed are the ends. `confirming`: in a block that is not final yet. */
export type WithdrawalState = 'requested' | 'signed' | 'confirming' | 'paid' | 'failed' | 'cancelled'

/** The state follows from the attempts and from what the chain shows. */
export function stateOf({ isCancelled, isOpen, isSigned, settledHeight, failure }: Withdrawal): WithdrawalState {
  if (isCancelled) return 'cancelled'
  if (!isOpen) return failure === null ? 'paid' : 'failed'
  if (settledHeight !== null) return 'confirming'
  return isSigned ? 'signed' : 'requested'
}

const columns = sql`
  w.id, w.action_key, actions.chain, w.asset, w.recipient, w.amount, w.requested_at, w.not_before, w.counted_at is not null as is_counted,
  w.settled_height, w.paid_tx, w.failure, w.cancelled_at is not null as is_cancelled, actions.wanted as is_open,
  exists (select from attempts where attempts.action_key = w.action_key) as is_signed, actions.last_tx, actions.last_error`

const row = {
  id: text,
  action_key: text,
  chain: text,
  asset: assetId,
  recipient: text,
  amount: bigint,
  requested_at: time,
  not_before: time,
  is_counted: boolean,
  settled_height: nullable(bigint),
  paid_tx: nullable(text),
  failure: nullable(text),
  is_cancelled: boolean,
  is_open: boolean,
  is_signed: boolean,
  last_tx: nullable(text),
  last_error: nullable(text),
}
const found = shape(row)

function parse(value: ValueOf<typeof found>): Withdrawal {
  return {
    id: value.id,
    key: value.action_key,
    chain: value.chain,
    asset: value.asset,
    recipient: value.recipient,
    amount: value.amount,
    requestedAt: value.requested_at,
    notBefore: value.not_before,
    isCounted: value.is_counted,
    settledHeight: value.settled_height,
    paidTx: value.paid_tx,
    failure: value.failure,
    isCancelled: value.is_cancelled,
    isOpen: value.is_open,
    isSigned: value.is_signed,
    lastTx: value.last_tx,
    lastError: value.last_error,
  }
}

/** The rows are on disk when this resolves: a crash loses none that the operator was told of. */
export async function requestWithdrawals(db: Database, requests: readonly WithdrawalRequest[]): Promise<readonly string[]> {
  return durably(db, async (tx) => {
    const ids: string[] = []
    for (const { chain, asset, recipient, amount, notBefore } of requests) {
      const id = randomUUID()
      const key: ActionKey = `${KEY_PREFIX}${id}`
      await tx.insertInto('actions').values({ key, order_id: null, leg: null, chain, verb: 'withdraw', wanted: true }).execute()
      await tx
        .insertInto('withdrawals')
        .values({ id, action_key: key, asset, recipient, amount, ...(notBefore !== undefined && { not_before: notBefore }) })
        .execute()
      ids.push(id)
    }
    return ids
  })
}

export async function readWithdrawal(db: Database, id: string): Promise<Withdrawal | null> {
  const rows = await readRows(db, found)`
    select ${columns} from withdrawals w join actions on actions.key = w.action_key where w.id = ${id}`
  return rows.map(parse)[0] ?? null
}

/** The newest come first. */
export async function listWithdrawals(db: Database, limit: number): Promise<readonly Withdrawal[]> {
  const rows = await readRows(db, found)`
    select ${columns} from withdrawals w join actions on actions.key = w.action_key order by w.requested_at desc, w.id limit ${limit}`
  return rows.map(parse)
}

/** The oldest come first. */
export async function openWithdrawals(db: Database): Promise<readonly Withdrawal[]> {
  const rows = await readRows(db, found)`
    select ${columns} from actions join withdrawals w on w.action_key = actions.key
    where actions.wanted and actions.verb = 'withdraw' order by w.requested_at, w.id`
  return rows.map(parse)
}

export type LeasedWithdrawal = Leased & { readonly orderId: null; readonly id: string }

const leased = shape({ key: text, fence: bigint, failures: number, id: text })

export async function leaseWithdrawals(db: Database, holder: string, seconds: number, limit: number): Promise<readonly LeasedWithdrawal[]> {
  const rows = await readRows(db, leased)`
    with free as materialized (
      select key from actions
      where wanted and verb = 'withdraw' and due_at <= now() and (lease_until is null or lease_until < now())
      order by due_at limit ${limit} for update skip locked
    )
    update actions set lease_holder = ${holder}, lease_until = now() + make_interval(secs => ${seconds}), fence = fence + 1
    from free, withdrawals w
    where actions.key = free.key and w.action_key = actions.key
    returning actions.key, fence, failures, w.id`
  return rows.map((each) => ({ ...each, orderId: null }))
}

export type CancelResult = 'cancelled' | 'signed' | 'ended' | 'unknown'

/** A signed transfer may be mined at any time, so it cannot be cancelled. The lock excludes an attempt that is being recorded. */
export async function cancelWithdrawal(db: Database, id: string): Promise<CancelResult> {
  return durably(db, async (tx) => {
    const known = await readWithdrawal(tx, id)
    if (known === null) return 'unknown'
    await sql`select from actions where key = ${known.key} for update`.execute(tx)
    const now = await readWithdrawal(tx, id)
    if (now === null || !now.isOpen) return 'ended'
    if (now.isSigned) return 'signed'
    await tx.updateTable('actions').set({ wanted: false }).where('key', '=', known.key).execute()
    await tx.updateTable('withdrawals').set({ cancelled_at: sql<Date>`now()` }).where('id', '=', id).execute()
    return 'cancelled'
  })
}

export type Settled = Pick<Withdrawal, 'settledHeight' | 'paidTx' | 'failure'>

export async function noteSettled(db: Database, id: string, { settledHeight, paidTx, failure }: Settled): Promise<void> {
  await db.updateTable('withdrawals').set({ settled_height: settledHeight, paid_tx: paidTx, failure }).where('id', '=', id).execute()
}

/** An arbitrary constant. Two processes must not count for the same limit at the same time. */
const COUNTING_LOCK = 7_206_002
const WINDOW_SECONDS = 86_400

/**
 * Counts a withdrawal that is about to be signed for the last 24 hours, durably. Returns null, or what is left of the limit if it does not suffice. A null
 * `limit` allows everything; a null `usdMicros` is a worth that nobody needs.
 */
export async function countWithdrawal(
  db: Database,
  id: string,
  { usdMicros, limit }: { readonly usdMicros: bigint | null; readonly limit: bigint | null },
): Promise<{ readonly left: bigint } | null> {
  return durably(db, async (tx) => {
    await sql`select pg_advisory_xact_lock(${COUNTING_LOCK})`.execute(tx)
    const rows = await readRows(tx, shape({ spent: bigint }))`
      select coalesce(sum(usd_micros), 0) as spent from withdrawals
      where counted_at > now() - make_interval(secs => ${WINDOW_SECONDS}) and cancelled_at is null and id <> ${id}`
    const left = (limit ?? 0n) - (rows[0]?.spent ?? 0n)
    if (limit !== null && (usdMicros ?? 0n) > left) return { left: left > 0n ? left : 0n }
    await sql`
      update withdrawals set counted_at = now(), usd_micros = ${usdMicros?.toString() ?? null}::numeric
      where id = ${id}`.execute(tx)
    return null
  })
}
