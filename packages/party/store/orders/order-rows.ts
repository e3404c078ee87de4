/** Reads orders with their swaps, and optionally all facts, in one round trip. */
import type { RecordedFill } from '@tandem/protocol/fill.ts'
import type { BlockRef, HtlcEvent } from '@tandem/protocol/htlc.ts'
import type { ActionVerb, AffiliateFee, Grant, Leg, Order, Swap } from '@tandem/protocol/order.ts'
import type { OrderStatus } from '@tandem/protocol/state.ts'
import type { Tip } from '@tandem/protocol/swap-state.ts'
import { MAX_EVENTS_READ } from '../chain/considered-events.ts'
import { bigintText, boolean, fields, known, listOf, listOrNull, nullable, number, shape, text, type ValueOf } from '../database/columns.ts'
import { actionVerb, assetId, eventKind, orderStatus } from '../database/domain-columns.ts'
import { grant, parseGrant } from './grants.ts'

export type StoredOrder = {
  readonly order: Order
  readonly app: string | null
  readonly nonce: string
  readonly createdAt: Date
  readonly sourceOwner: string
  readonly destinationOwner: string
  readonly slippageBips: number
  readonly affiliateFees: readonly AffiliateFee[]
  readonly requestHash: string
  readonly tokenHash: string | null
  /** A redeem that shows the secret is signed and recorded. */
  readonly secretSigned: boolean
  /** A node may have the secret: a redeem that contains it is recorded, and is not marked as refused by all nodes. */
  readonly secretShown: boolean
  readonly seenSecret: string | null
  /** Unix seconds. */
  readonly seenSecretAt: bigint | null
  readonly closed: boolean
  readonly assetPrices: Readonly<Record<Leg, bigint>>
  /** See `swap-seals.ts`; null in a solver's database. */
  readonly seals: Readonly<Record<Leg, string | null>>
  readonly grants: readonly Grant[]
  readonly fill: RecordedFill | null
  readonly declined: string | null
  readonly prefund: bigint
  /** The client made the secret and keeps it. */
  readonly clientSecret: boolean
}

export type RecordedTip = Tip & { readonly hash: string }

/** All facts are read at one moment. A tip is null before the watcher has recorded a block. */
export type OrderSnapshot = {
  readonly stored: StoredOrder
  readonly events: Readonly<Record<Leg, readonly HtlcEvent[]>>
  /** These deposits are on record and not among the events, because they are not considered. */
  readonly unreadDeposits: Readonly<Record<Leg, number>>
  readonly tips: Readonly<Record<Leg, RecordedTip | null>>
  /** The reasons why wanted actions cannot be done now, as texts for the user. */
  readonly refusals: ReadonlyMap<ActionVerb, string>
  /** These redeems of ours offer the gas of the order to its recipient. */
  readonly offeringGas: ReadonlySet<string>
  /** The recorded status, which has its event. It is null where the order is in no list, or this version does not know the status. */
  readonly listed: OrderStatus | null
}

/** One JSON value keeps the driver's work low, which grows with the columns. Big numbers are texts, as JSON numbers are floats. */
const swapFields = fields({
  chain: text,
  asset: assetId,
  swapId: text,
  initiator: text,
  redeemer: text,
  amount: bigintText,
  secretHash: text,
  timelock: bigintText,
  userAddress: nullable(text),
  orderKey: nullable(text),
  payer: nullable(text),
  requiredConfirmations: number,
  assetPrice: bigintText,
  agreedAmount: bigintText,
  clientKey: boolean,
  maxFee: nullable(bigintText),
  gas: nullable(bigintText),
  depositAddress: nullable(text),
  seal: nullable(text),
})

const swapSql = (swap: 's' | 'd') => `json_build_array(
    ${swap}.chain, ${swap}.asset, ${swap}.swap_id, ${swap}.initiator, ${swap}.redeemer, ${swap}.amount::text, ${swap}.secret_hash,
    ${swap}.timelock::text, ${swap}.user_address, ${swap}.order_key, ${swap}.payer, ${swap}.required_confirmations, ${swap}.asset_price::text,
    ${swap}.agreed_amount::text, ${swap}.client_key, ${swap}.max_fee::text, ${swap}.gas::text,
    ${swap}.deposit_address, ${swap}.seal
  ) as ${swap}_swap`

const orderFields = fields({
  id: text,
  app: nullable(text),
  solverId: text,
  nonce: text,
  sourceOwner: text,
  destinationOwner: text,
  createdAtMs: bigintText,
  deadline: bigintText,
  slippageBips: number,
  affiliateFees: listOf(shape({ address: text, asset: text, feeBips: number, amount: text })),
  requestHash: text,
  tokenHash: nullable(text),
  secretSigned: boolean,
  secretShown: boolean,
  seenSecret: nullable(text),
  closed: boolean,
  clientSecret: boolean,
  priceExpiresAt: bigintText,
  declined: nullable(text),
  seenSecretAt: nullable(bigintText),
})

/** An attempt counts from its record, before it is broadcast, so a crash in between forgets nothing. */
const secretShown = `o.secret_signed_at is not null and exists (
      select from attempts where action_key = o.id || '/destination/redeem' and holds_secret and refused_at is null)`

const orderSql = `json_build_array(
    o.id, o.app, o.solver_id, o.nonce, o.source_owner, o.destination_owner, (extract(epoch from o.created_at) * 1000)::bigint::text,
    o.deadline::text, o.slippage_bips, o.affiliate_fees, o.request_hash, o.token_hash, o.secret_signed_at is not null,
    ${secretShown}, o.seen_secret, o.closed_at is not null, o.client_secret, o.price_expires_at::text, o.declined,
    extract(epoch from o.seen_secret_at)::bigint::text
  ) as o_order`

export const orderColumns = {
  o_order: orderFields,
  s_swap: swapFields,
  d_swap: swapFields,
  grants: listOrNull(grant),
  fill: nullable(fields({ deposits: listOf(text), blockHash: text, destinationAmount: bigintText, signature: nullable(text) })),
  prefund: nullable(bigintText),
}
export const orderRow = shape(orderColumns)
type OrderRow = ValueOf<typeof orderRow>

const ORDER_COLUMNS = `${orderSql}, ${swapSql('s')}, ${swapSql('d')},
  (select json_agg(row_to_json(g)) from grants g where g.order_id = o.id) as grants,
  (select json_build_array(f.deposits, f.block_hash, f.destination_amount::text, f.signature) from fills f where f.order_id = o.id) as fill,
  (select p.amount::text from prefunds p where p.order_id = o.id) as prefund`

const FROM_ORDERS = `from orders o
  join swaps s on s.order_id = o.id and s.leg = 'source'
  join swaps d on d.order_id = o.id and d.leg = 'destination'`

/** `rest` has further joins, conditions on the orders `o`, and the sort order. */
export function selectOrders(rest: string, more = ''): string {
  return `select ${ORDER_COLUMNS}${more} ${FROM_ORDERS} ${rest}`
}

const eventFields = fields({
  kind: eventKind,
  tx: text,
  index: text,
  deposit: text,
  amount: nullable(bigintText),
  secret: nullable(text),
  height: nullable(bigintText),
  hash: nullable(text),
  time: nullable(bigintText),
  ordinal: nullable(bigintText),
  expiresAt: nullable(bigintText),
})
const tipFields = fields({
  height: bigintText,
  time: bigintText,
  ordinal: nullable(bigintText),
  finalHeight: nullable(bigintText),
  hash: text,
})

export const snapshotColumns = {
  ...orderColumns,
  s_events: listOrNull(eventFields),
  d_events: listOrNull(eventFields),
  s_tip: nullable(tipFields),
  d_tip: nullable(tipFields),
  refusals: listOrNull(fields({ verb: known(actionVerb), refusal: text })),
  listed: known(orderStatus),
  offering_gas: listOrNull(text),
}
export const snapshotRow = shape(snapshotColumns)
type SnapshotRow = ValueOf<typeof snapshotRow>

const factColumns = (swap: 's' | 'd') => `,
  (select json_agg(json_build_array(
      kind, tx, index, deposit, amount::text, secret, block_height::text, block_hash, block_time::text, block_ordinal::text, expires_at::text
    )) from (
      select * from events where chain = ${swap}.chain and swap_id = ${swap}.swap_id limit ${MAX_EVENTS_READ + 1}
    ) as read) as ${swap}_events,
  ${swap}_tip.tip as ${swap}_tip`

/** The database caches a lateral join: many orders share few chains. */
const joinTip = (swap: 's' | 'd') => `left join lateral (
    select json_build_array(height::text, time::text, ordinal::text, final_height::text, hash) as tip
    from blocks where chain = ${swap}.chain order by height desc limit 1
  ) as ${swap}_tip on true`

const REFUSALS = `,
  (select json_agg(json_build_array(verb, refusal)) from actions where order_id = o.id and wanted and refusal is not null) as refusals`

const LISTED = `,
  (select status from order_list where order_list.seq = o.seq) as listed`

const OFFERING_GAS = `,
  case when d.gas is not null then
    (select json_agg(tx) from attempts where action_key = o.id || '/destination/redeem' and offers_gas)
  end as offering_gas`

export function selectSnapshots(rest: string, more = ''): string {
  return selectOrders(
    `${joinTip('s')} ${joinTip('d')} ${rest}`,
    factColumns('s') + factColumns('d') + REFUSALS + LISTED + OFFERING_GAS + more,
  )
}

/** Properties are listed because this runs for every order that is read, and spreading rows takes longer than checking them. */
export function parseOrder({ o_order: stored, s_swap, d_swap, grants, fill, prefund }: OrderRow): StoredOrder {
  const createdAt = new Date(Number(stored.createdAtMs))
  return {
    order: {
      id: stored.id,
      solverId: stored.solverId,
      createdAt: BigInt(Math.floor(createdAt.getTime() / 1000)),
      deadline: stored.deadline,
      priceExpiresAt: stored.priceExpiresAt,
      source: parseSwap(s_swap),
      destination: parseSwap(d_swap),
    },
    app: stored.app,
    nonce: stored.nonce,
    createdAt,
    sourceOwner: stored.sourceOwner,
    destinationOwner: stored.destinationOwner,
    slippageBips: stored.slippageBips,
    affiliateFees: stored.affiliateFees,
    requestHash: stored.requestHash,
    tokenHash: stored.tokenHash,
    secretSigned: stored.secretSigned,
    secretShown: stored.secretShown,
    seenSecret: stored.seenSecret,
    seenSecretAt: stored.seenSecretAt,
    closed: stored.closed,
    assetPrices: { source: s_swap.assetPrice, destination: d_swap.assetPrice },
    seals: { source: s_swap.seal, destination: d_swap.seal },
    grants: grants.map(parseGrant),
    fill,
    declined: stored.declined,
    prefund: prefund ?? 0n,
    clientSecret: stored.clientSecret,
  }
}

function parseSwap(stored: ValueOf<typeof swapFields>): Swap {
  return {
    chain: stored.chain,
    swapId: stored.swapId,
    terms: {
      asset: stored.asset,
      initiator: stored.initiator,
      redeemer: stored.redeemer,
      amount: stored.amount,
      secretHash: stored.secretHash,
      timelock: stored.timelock,
    },
    userAddress: stored.userAddress,
    orderKey: stored.orderKey,
    payer: stored.payer,
    depositAddress: stored.depositAddress,
    clientKey: stored.clientKey,
    agreedAmount: stored.agreedAmount,
    requiredConfirmations: stored.requiredConfirmations,
    maxFee: stored.maxFee,
    gas: stored.gas,
  }
}

export function parseSnapshot(row: SnapshotRow): OrderSnapshot {
  const stored = parseOrder(row)
  const { source, destination } = stored.order
  return {
    stored,
    events: { source: parseEvents(source.swapId, row.s_events), destination: parseEvents(destination.swapId, row.d_events) },
    unreadDeposits: { source: 0, destination: 0 },
    tips: { source: parseTip(row.s_tip), destination: parseTip(row.d_tip) },
    refusals: new Map(row.refusals.flatMap(({ verb, refusal }) => (verb === null ? [] : [[verb, refusal]]))),
    offeringGas: new Set(row.offering_gas),
    listed: row.listed,
  }
}

function parseTip(tip: SnapshotRow['s_tip']): RecordedTip | null {
  if (tip === null) return null
  const { height, hash, time, ordinal, finalHeight } = tip
  return { height, hash, time, ...(ordinal !== null && { ordinal }), ...(finalHeight !== null && { finalHeight }) }
}

function parseEvents(swapId: string, rows: SnapshotRow['s_events']): readonly HtlcEvent[] {
  return rows.map(({ kind, tx, index, deposit, amount, secret, height, hash, time, ordinal, expiresAt }) => {
    const block: BlockRef | null =
      height === null || hash === null || time === null ? null : { height, hash, time, ...(ordinal !== null && { ordinal }) }
    const sighting = { swapId, tx, index, block, deposit }
    if (kind === 'initiated') return { ...sighting, kind, amount: amount ?? 0n, expiresAt }
    return { ...sighting, kind, secret, ...(amount !== null && { paid: amount }) }
  })
}
