/** The types of the tables. The driver converts amounts and heights to bigint. */

import type { AssetId } from '@tandem/protocol/asset.ts'
import type { ActionVerb, AffiliateFee, Consent, Grant, Leg, SignedInstantRefund } from '@tandem/protocol/order.ts'
import type { OrderStatus } from '@tandem/protocol/state.ts'
import type { ColumnType, Generated, JSONColumnType } from 'kysely'
import type { EngineReport } from '../actions/engine-report.ts'
import type { AppApproval, AppPermission } from '../apps/app-settings.ts'

type Timestamp = ColumnType<Date, Date | undefined, Date>
type NullableTimestamp = ColumnType<Date | null, Date | null | undefined, Date | null>

export type Schema = {
  apps: {
    name: string
    id_hash: string
    default_slippage_bips: Generated<number>
    gas_sponsorship: Generated<boolean>
    allowed_origins: Generated<string[]>
    permissions: Generated<AppPermission[]>
    rate_limit_per_minute: Generated<number | null>
    approval: Generated<AppApproval>
    sponsored_per_day: Generated<number | null>
    disabled: Generated<boolean>
    created_at: Timestamp
  }
  orders: {
    id: string
    seq: Generated<bigint>
    app: string | null
    solver_id: string
    nonce: string
    source_owner: string
    destination_owner: string
    secret_hash: string
    created_at: Timestamp
    deadline: bigint
    slippage_bips: number
    affiliate_fees: JSONColumnType<readonly AffiliateFee[]>
    idempotency_key: string | null
    request_hash: string
    token_hash: string | null
    secret_signed_at: NullableTimestamp
    seen_secret: string | null
    seen_secret_at: NullableTimestamp
    client_secret: Generated<boolean>
    price_expires_at: bigint
    declined: string | null
    closed_at: NullableTimestamp
  }
  swaps: {
    order_id: string
    leg: Leg
    chain: string
    asset: AssetId
    swap_id: string
    initiator: string
    redeemer: string
    amount: bigint
    secret_hash: string
    timelock: bigint
    user_address: string | null
    order_key: string | null
    payer: string | null
    required_confirmations: number
    asset_price: bigint
    agreed_amount: bigint
    max_fee: bigint | null
    deposit_address: ColumnType<string | null, string | null | undefined, string | null>
    gas: ColumnType<bigint | null, bigint | null | undefined, bigint | null>
    client_key: Generated<boolean>
    /** The seal authenticates the row; it is null in a solver's database. */
    seal: ColumnType<string | null, string | null | undefined, string | null>
    /** A trigger sets it. */
    open: Generated<boolean>
  }
  sealed_values: { order_id: string; purpose: SealedPurpose; sealed: Buffer }
  grants: {
    order_id: string
    kind: Grant['kind']
    leg: Leg
    consent: Consent['kind'] | null
    signature: string | null
    /** Unix seconds. */
    deadline: bigint | null
    refunds: ColumnType<readonly StoredRefund[] | null, string | undefined, string>
    transaction: string | null
    sponsor: string | null
    created_at: Timestamp
  }
  paid_refunds: {
    order_id: string
    chain: string
    owner: string
    app: string | null
    usd_micros: bigint
    created_at: Timestamp
  }
  prefunds: { order_id: string; amount: bigint; seen_at: Timestamp }
  blocks: {
    chain: string
    height: bigint
    hash: string
    parent_hash: string
    time: bigint
    ordinal: ColumnType<bigint | null, bigint | null | undefined, bigint | null>
    final_height: ColumnType<bigint | null, bigint | null | undefined, bigint | null>
  }
  events: {
    chain: string
    tx: string
    index: string
    swap_id: string
    kind: 'initiated' | 'redeemed' | 'refunded'
    deposit: string
    amount: bigint | null
    secret: string | null
    block_height: bigint | null
    block_hash: string | null
    block_time: bigint | null
    block_ordinal: ColumnType<bigint | null, bigint | null | undefined, bigint | null>
    expires_at: ColumnType<bigint | null, bigint | null | undefined, bigint | null>
    seen_at: Timestamp
  }
  actions: {
    key: string
    /** A withdrawal has no order and no leg. */
    order_id: string | null
    leg: Leg | null
    /** The database sets it from the swap. */
    chain: Generated<string>
    verb: ActionVerb | 'withdraw'
    wanted: boolean
    cancelling: Generated<boolean>
    due_at: Timestamp
    lease_holder: string | null
    lease_until: NullableTimestamp
    fence: Generated<bigint>
    failures: Generated<number>
    last_error: string | null
    last_tx: string | null
    reverted_tx: string | null
    refusal: string | null
    updated_at: Timestamp
  }
  attempts: {
    action_key: string
    number: number
    chain: string
    sender: string
    tx: string
    raw: string
    slots: string[]
    nonce: bigint | null
    fee_rate: bigint
    at: Timestamp
    reverted_at: NullableTimestamp
    reverted_weight: Generated<number>
    holds_secret: Generated<boolean>
    refused_at: NullableTimestamp
    offers_gas: Generated<boolean>
  }
  leases: { name: string; holder: string; until: Date; report: JSONColumnType<EngineReport> | null }
  database_owner: { only_row: Generated<boolean>; party: 'service' | 'solver'; vault_check: string | null }
  relay_keys: { curve: string; public_key: string }
  solver_keys: { solver_id: string; chain: string; public_key: string; first_seen: Timestamp }
  polls: { chain: string; hash: string; began_at: Date }
  touched_orders: { id: Generated<bigint>; order_id: string }
  order_clocks: { order_id: string; clock: string; since: bigint | null; until: bigint | null; shard: Generated<number> }
  quotes: {
    id: string
    source_asset: AssetId
    destination_asset: AssetId
    source_amount: bigint
    destination_amount: bigint
    extra_fee_bips: number
    expires_at: bigint
    /** The service gives an opaque name. */
    app: ColumnType<string | null, string | null | undefined, string | null>
    taken_by: ColumnType<string | null, string | null | undefined, string | null>
    client_secret: Generated<boolean>
  }
  quote_counts: { app: string; hour: bigint; quotes: bigint; usd_micros: bigint }
  inventory_marks: {
    id: Generated<bigint>
    order_id: string
  }
  failed_payouts: { order_id: string; chain: string; recipient: string; owner: string; app: string; weight: number; at: Timestamp }
  halts: { scope: string; cause: string; reason: string; since: Timestamp; until: NullableTimestamp }
  order_risks: {
    order_id: string
    app: string
    owner: string
    pair: string
    usd_micros: bigint
    /** Unix seconds. */
    created_at: bigint
    deadline: bigint
    closed: Generated<boolean>
    outcome: 'completed' | 'abandoned' | 'withheld' | 'failed' | null
    service: Generated<string>
    /** Unix seconds. */
    judged_at: ColumnType<bigint | null, bigint | null | undefined, bigint | null>
    gained_usd_micros: ColumnType<bigint | null, bigint | null | undefined, bigint | null>
    reserved: Generated<boolean>
    admitted: Generated<boolean>
  }
  withdrawals: {
    id: string
    action_key: string
    asset: AssetId
    recipient: string
    amount: bigint
    requested_at: Timestamp
    not_before: Timestamp
    counted_at: NullableTimestamp
    usd_micros: ColumnType<bigint | null, bigint | null | undefined, bigint | null>
    settled_height: ColumnType<bigint | null, bigint | null | undefined, bigint | null>
    paid_tx: string | null
    failure: string | null
    cancelled_at: NullableTimestamp
  }
  reservations: { order_id: string; asset: AssetId; amount: bigint; at: Timestamp }
  commitments: { order_id: string; way: 'locked' | 'refund_signed'; at: Timestamp }
  fills: {
    order_id: string
    deposits: string[]
    block_hash: string
    destination_amount: bigint
    signature: string | null
    at: Timestamp
  }
  refund_proposals: { order_id: string; deposit: string; amount: bigint; pays_to: string; pays: bigint; at: Timestamp }
  cosigned_redeems: { order_id: string; transaction: string; at: Timestamp }
  order_list: {
    seq: bigint
    order_id: string
    app: string
    solver_id: string
    from_chain: string
    to_chain: string
    from_owner: string
    to_owner: string
    status: OrderStatus
    deadline: bigint
    /** Unix seconds. */
    created_at: bigint
    volume: bigint
    fee: bigint
    takes_deposits: Generated<boolean>
  }
  status_changes: { id: Generated<bigint>; app: string; order_id: string; status: OrderStatus; at: Timestamp }
  order_events: { id: Generated<bigint>; app: string; order_id: string; status: OrderStatus; at: Timestamp }
  webhooks: {
    id: string
    app: string
    url: string
    secret: Buffer
    old_secret: Buffer | null
    old_secret_until: NullableTimestamp
    failures: Generated<number>
    resume_at: Timestamp
    created_at: Timestamp
  }
  webhook_deliveries: {
    id: Generated<bigint>
    webhook_id: string
    message_id: Generated<string>
    order_id: string
    status: OrderStatus
    at: Timestamp
    attempts: Generated<number>
    tried_since: Timestamp
    due_at: Timestamp
    last_error: string | null
    dead_at: NullableTimestamp
  }
  order_counts: {
    app: string
    status: string
    from_chain: string
    to_chain: string
    solver_id: string
    bucket: bigint
    orders: bigint
  }
  order_volumes: { from_chain: string; to_chain: string; period: bigint; orders: bigint; volume: bigint; fees: bigint }
  order_count_changes: {
    app: string
    status: OrderStatus
    from_chain: string
    to_chain: string
    solver_id: string
    bucket: bigint
    orders: bigint
  }
  ledger: {
    order_id: string
    seq: bigint
    app: string
    solver_id: string
    from_chain: string
    to_chain: string
    /** Unix seconds. */
    created_at: bigint
    volume: bigint
    fees: bigint
    final: Generated<boolean>
    paid_in: Generated<boolean>
  }
  ledger_shares: { order_id: string; position: number; affiliate: string; asset: string; amount: bigint; usd: bigint }
  ledger_changes: { from_chain: string; to_chain: string; period: bigint; orders: bigint; volume: bigint; fees: bigint }
  affiliate_totals: {
    app: string
    affiliate: string
    asset: string
    orders: bigint
    amount: bigint
    usd: bigint
    paid_in: Generated<bigint>
  }
  solver_payments: { solver_id: string; reference: string; usd: bigint; at: Timestamp }
  signed_claims: { chain: string; contract: string; asset: AssetId; affiliate: string; total: bigint; paid: bigint }
  price_records: { market: string; at: Timestamp; price: bigint | null; problem: string | null; readings: unknown }
  signing_counts: { name: string; signings: bigint; ends_at: Timestamp }
  release_logs: { id: string; created_at: Timestamp }
  rollbacks: { id: string; reason: string; detected_at: Timestamp; newest_order: bigint; confirmed_at: NullableTimestamp }
  operator_tokens: { id: string; name: string; secret_hash: string; may_write: boolean; created_at: Timestamp }
  operator_sessions: { hash: string; token_id: string; until: Date }
  projections: { name: string; version: number; built_at: Timestamp }
  migrations: { name: string; applied_at: Timestamp; checksum: string }
}

/** A `SignedInstantRefund` with its amounts as text. */
export type StoredRefund = Omit<SignedInstantRefund, 'amount' | 'pays'> & { readonly amount: string; readonly pays: string }

export type SealedPurpose = 'secret' | 'source-key' | 'destination-key' | 'webhook-secret'
