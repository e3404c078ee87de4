/** Reads orders with their swaps, and optionally all facts, in one round trip. */
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { RecordedFill } from '@tandem/protocol/fill.ts'
import type { BlockRef, HtlcEvent } from '@tandem/protocol/htlc.ts'
import type { ActionVerb, AffiliateFee, Grant, Leg, Order, Swap } from '@tandem/protocol/order.ts'
import type { OrderStatus } from '@tandem/protocol/state.ts'
import type { Tip } from '@tandem/protocol/swap-state.ts'
import { MOST_EVENTS_READ } from '../chain/considered-events.ts'
import { type GrantColumns, parseGrant } from './grants.ts'

/** An order with everything that a party stores about it. */
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
  /** Of `swap-seals.ts`; null in a solver's database. */
  readonly seals: Readonly<Record<Leg, string | null>>
  readonly grants: readonly Grant[]
  readonly fill: RecordedFill | null
  /** Why the solver will not pay for the deposits. */
  readonly declined: string | null
  /** The prefunded amount in the payer's account when last read. */
  readonly prefund: bigint
  /** The client made the secret and keeps it. */
  readonly clientSecret: boolean
}

/** The newest recorded block of a chain. */
export type RecordedTip = Tip & { readonly hash: string }

/** An order with all facts that its state is derived from, read at one moment. A tip is null before the watcher has recorded a block. */
export type OrderSnapshot = {
  readonly stored: StoredOrder
  readonly events: Readonly<Record<Leg, readonly HtlcEvent[]>>
  /** Deposits on record that are not among the events, because they are not considered. */
  readonly unreadDeposits: Readonly<Record<Leg, number>>
  readonly tips: Readonly<Record<Leg, RecordedTip | null>>
  /** Why wanted actions cannot be done now, as texts for the user. */
  readonly refusals: ReadonlyMap<ActionVerb, string>
  /** The status on record, which has its event. Null where the order is in no list. */
  readonly listed: OrderStatus | null
}

/** One JSON value, because the driver's work grows with the number of columns. Big numbers as text: JSON numbers are floats. */
type SwapColumns = readonly [
  chain: string,
  asset: AssetId,
  swapId: string,
  initiator: string,
  redeemer: string,
  amount: string,
  secretHash: string,
  timelock: string,
  userAddress: string | null,
  orderKey: string | null,
  payer: string | null,
  requiredConfirmations: number,
  assetPrice: string,
  agreedAmount: string,
  clientKey: boolean,
  mostFee: string | null,
  seal: string | null,
]

const swapColumns = (swap: 's' | 'd') => `json_build_array(
    ${swap}.chain, ${swap}.asset, ${swap}.swap_id, ${swap}.initiator, ${swap}.redeemer, ${swap}.amount::text, ${swap}.secret_hash,
    ${swap}.timelock::text, ${swap}.user_address, ${swap}.order_key, ${swap}.payer, ${swap}.required_confirmations, ${swap}.asset_price::text,
    ${swap}.agreed_amount::text, ${swap}.client_key, ${swap}.most_fee::text, ${swap}.seal
  ) as ${swap}_swap`

type OrderColumns = readonly [
  id: string,
  app: string | null,
  solverId: string,
  nonce: string,
  sourceOwner: string,
  destinationOwner: string,
  createdAtMs: string,
  deadline: string,
  slippageBips: number,
  affiliateFees: readonly AffiliateFee[],
  requestHash: string,
  tokenHash: string | null,
  secretSigned: boolean,
  secretShown: boolean,
  seenSecret: string | null,
  closed: boolean,
  clientSecret: boolean,
  priceExpiresAt: string,
  declined: string | null,
  seenSecretAt: string | null,
]

/** An attempt counts from when it is recorded, before it is broadcast: a crash in between forgets nothing. */
const secretShown = `o.secret_signed_at is not null and exists (
      select from attempts where action_key = o.id || '/destination/redeem' and holds_secret and refused_at is null)`

const orderColumns = `json_build_array(
    o.id, o.app, o.solver_id, o.nonce, o.source_owner, o.destination_owner, (extract(epoch from o.created_at) * 1000)::bigint::text,
    o.deadline::text, o.slippage_bips, o.affiliate_fees, o.request_hash, o.token_hash, o.secret_signed_at is not null,
    ${secretShown}, o.seen_secret, o.closed_at is not null, o.client_secret, o.price_expires_at::text, o.declined,
    extract(epoch from o.seen_secret_at)::bigint::text
  ) as o_order`

export type OrderRow = {
  readonly o_order: OrderColumns
  readonly s_swap: SwapColumns
  readonly d_swap: SwapColumns
  readonly grants: readonly GrantColumns[] | null
  readonly fill: FillColumns | null
  readonly prefund: string | null
}

type FillColumns = readonly [deposits: readonly string[], blockHash: string, destinationAmount: string, signature: string | null]

const ORDER_COLUMNS = `${orderColumns}, ${swapColumns('s')}, ${swapColumns('d')},
  (select json_agg(row_to_json(g)) from grants g where g.order_id = o.id) as grants,
  (select json_build_array(f.deposits, f.block_hash, f.destination_amount::text, f.signature) from fills f where f.order_id = o.id) as fill,
  (select p.amount::text from prefunds p where p.order_id = o.id) as prefund`

const FROM_ORDERS = `from orders o
  join swaps s on s.order_id = o.id and s.leg = 'source'
  join swaps d on d.order_id = o.id and d.leg = 'destination'`

/** `rest`: further joins, conditions on the orders `o`, and the sort order. */
export function selectOrders(rest: string, more = ''): string {
  return `select ${ORDER_COLUMNS}${more} ${FROM_ORDERS} ${rest}`
}

type EventColumns = readonly [
  kind: HtlcEvent['kind'],
  tx: string,
  index: string,
  deposit: string,
  amount: string | null,
  secret: string | null,
  height: string | null,
  hash: string | null,
  time: string | null,
  ordinal: string | null,
  expiresAt: string | null,
]
type TipColumns = readonly [height: string, time: string, ordinal: string | null, finalHeight: string | null, hash: string]

export type SnapshotRow = OrderRow & {
  readonly s_events: readonly EventColumns[] | null
  readonly d_events: readonly EventColumns[] | null
  readonly s_tip: TipColumns | null
  readonly d_tip: TipColumns | null
  readonly refusals: readonly (readonly [verb: ActionVerb, refusal: string])[] | null
  readonly listed: OrderStatus | null
}

const factColumns = (swap: 's' | 'd') => `,
  (select json_agg(json_build_array(
      kind, tx, index, deposit, amount::text, secret, block_height::text, block_hash, block_time::text, block_ordinal::text, expires_at::text
    )) from (
      select * from events where chain = ${swap}.chain and swap_id = ${swap}.swap_id limit ${MOST_EVENTS_READ + 1}
    ) as read) as ${swap}_events,
  ${swap}_tip.tip as ${swap}_tip`

/** A lateral join, so that the database caches it: many orders share few chains. */
const joinTip = (swap: 's' | 'd') => `left join lateral (
    select json_build_array(height::text, time::text, ordinal::text, final_height::text, hash) as tip
    from blocks where chain = ${swap}.chain order by height desc limit 1
  ) as ${swap}_tip on true`

const REFUSALS = `,
  (select json_agg(json_build_array(verb, refusal)) from actions where order_id = o.id and wanted and refusal is not null) as refusals`

const LISTED = `,
  (select status from order_list where order_list.seq = o.seq) as listed`

export function selectSnapshots(rest: string, more = ''): string {
  return selectOrders(`${joinTip('s')} ${joinTip('d')} ${rest}`, factColumns('s') + factColumns('d') + REFUSALS + LISTED + more)
}

export function parseOrder({ o_order: columns, s_swap, d_swap, grants, fill, prefund }: OrderRow): StoredOrder {
  const [source, destination] = [parseSwap(s_swap), parseSwap(d_swap)]
  const [id, app, solverId, nonce, sourceOwner, destinationOwner, createdAtMs, deadline, slippageBips, affiliateFees, ...rest] = columns
  const [requestHash, tokenHash, secretSigned, secretShown, seenSecret, closed, clientSecret, priceExpiresAt, declined, seenAt] = rest
  const createdAt = new Date(Number(createdAtMs))
  return {
    order: {
      id,
      solverId,
      createdAt: BigInt(Math.floor(createdAt.getTime() / 1000)),
      deadline: BigInt(deadline),
      priceExpiresAt: BigInt(priceExpiresAt),
      source: source.swap,
      destination: destination.swap,
    },
    app,
    nonce,
    createdAt,
    sourceOwner,
    destinationOwner,
    slippageBips,
    affiliateFees,
    requestHash,
    tokenHash,
    secretSigned,
    secretShown,
    seenSecret,
    seenSecretAt: seenAt === null ? null : BigInt(seenAt),
    closed,
    assetPrices: { source: source.assetPrice, destination: destination.assetPrice },
    seals: { source: source.seal, destination: destination.seal },
    grants: (grants ?? []).map(parseGrant),
    fill: fill === null ? null : parseFill(fill),
    declined,
    prefund: BigInt(prefund ?? 0),
    clientSecret,
  }
}

function parseFill([deposits, blockHash, destinationAmount, signature]: FillColumns): RecordedFill {
  return { deposits, blockHash, destinationAmount: BigInt(destinationAmount), signature }
}

function parseSwap(columns: SwapColumns): { readonly swap: Swap; readonly assetPrice: bigint; readonly seal: string | null } {
  const [chain, asset, swapId, initiator, redeemer, amount, secretHash, timelock, userAddress, orderKey, payer, ...rest] = columns
  const [requiredConfirmations, price, agreed, clientKey, fee, seal] = rest
  const [agreedAmount, mostFee] = [BigInt(agreed), fee === null ? null : BigInt(fee)]
  const terms = { asset, initiator, redeemer, amount: BigInt(amount), secretHash, timelock: BigInt(timelock) }
  return {
    swap: { chain, swapId, terms, userAddress, orderKey, payer, clientKey, agreedAmount, requiredConfirmations, mostFee },
    assetPrice: BigInt(price),
    seal,
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
    refusals: new Map(row.refusals ?? []),
    listed: row.listed,
  }
}

function parseTip(tip: TipColumns | null): RecordedTip | null {
  if (tip === null) return null
  const [height, time, ordinal, finalHeight, hash] = tip
  return {
    height: BigInt(height),
    hash,
    time: BigInt(time),
    ...(ordinal !== null && { ordinal: BigInt(ordinal) }),
    ...(finalHeight !== null && { finalHeight: BigInt(finalHeight) }),
  }
}

function parseEvents(swapId: string, rows: readonly EventColumns[] | null): readonly HtlcEvent[] {
  return (rows ?? []).map(([kind, tx, index, deposit, amount, secret, height, hash, time, ordinal, expiresAt]) => {
    const block: BlockRef | null =
      height === null || hash === null || time === null
        ? null
        : { height: BigInt(height), hash, time: BigInt(time), ...(ordinal !== null && { ordinal: BigInt(ordinal) }) }
    const sighting = { swapId, tx, index, block, deposit }
    if (kind === 'initiated')
      return { ...sighting, kind, amount: BigInt(amount ?? 0), expiresAt: expiresAt === null ? null : BigInt(expiresAt) }
    return { ...sighting, kind, secret, ...(amount !== null && { paid: BigInt(amount) }) }
  })
}
