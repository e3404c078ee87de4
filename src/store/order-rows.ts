/** Orders as the database holds them, each with its swaps and whatever else is asked for in the same round. */
import type { Selectable } from 'kysely'
import type { AssetId } from '../protocol/asset.ts'
import type { BlockRef, HtlcEvent } from '../protocol/htlc.ts'
import type { AffiliateFee, Grant, Leg, Order, Swap } from '../protocol/order.ts'
import type { Tip } from '../protocol/swap-state.ts'
import { type GrantColumns, parseGrant } from './grants.ts'
import type { Schema } from './schema.ts'

/** An order with what a party remembers about it beside the terms. */
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
  /** A redeem with the secret was signed. */
  readonly secretReleased: boolean
  /** And was given to a node, which did not refuse it. */
  readonly secretShown: boolean
  readonly seenSecret: string | null
  readonly closed: boolean
  readonly assetPrices: Readonly<Record<Leg, bigint>>
  readonly grants: readonly Grant[]
  /** The client made the secret and keeps it. */
  readonly clientSecret: boolean
}

/** An order with all that its state is derived from, as it was at one moment. A tip is null before the chain was first heard. */
export type OrderSnapshot = {
  readonly stored: StoredOrder
  readonly events: Readonly<Record<Leg, readonly HtlcEvent[]>>
  readonly tips: Readonly<Record<Leg, Tip | null>>
}

/** As one value: a driver's work grows with the columns. Numbers as text, JSON's own are floats. */
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
  delegate: string | null,
  requiredConfirmations: number,
  assetPrice: string,
]

const swapColumns = (swap: 's' | 'd') => `json_build_array(
    ${swap}.chain, ${swap}.asset, ${swap}.swap_id, ${swap}.initiator, ${swap}.redeemer, ${swap}.amount::text, ${swap}.secret_hash,
    ${swap}.timelock::text, ${swap}.user_address, ${swap}.delegate, ${swap}.required_confirmations, ${swap}.asset_price::text
  ) as ${swap}_swap`

const REMEMBERED = [
  'id',
  'app',
  'solver_id',
  'nonce',
  'source_owner',
  'destination_owner',
  'created_at',
  'deadline',
  'slippage_bips',
  'affiliate_fees',
  'request_hash',
  'token_hash',
  'secret_released_at',
  'secret_shown_at',
  'seen_secret',
  'closed_at',
  'client_secret',
] as const satisfies readonly (keyof Schema['orders'])[]

export type OrderRow = Pick<Selectable<Schema['orders']>, (typeof REMEMBERED)[number]> & {
  readonly s_swap: SwapColumns
  readonly d_swap: SwapColumns
  readonly grants: readonly GrantColumns[] | null
}

const ORDER_COLUMNS = `${REMEMBERED.map((column) => `o.${column}`).join(', ')}, ${swapColumns('s')}, ${swapColumns('d')},
  (select json_agg(row_to_json(g)) from grants g where g.order_id = o.id) as grants`

const FROM_ORDERS = `from orders o
  join swaps s on s.order_id = o.id and s.leg = 'source'
  join swaps d on d.order_id = o.id and d.leg = 'destination'`

/** `rest`: what else is joined, which of the orders `o`, and in which sequence. */
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
]
type TipColumns = readonly [height: string, time: string]

export type SnapshotRow = OrderRow & {
  readonly s_events: readonly EventColumns[] | null
  readonly d_events: readonly EventColumns[] | null
  readonly s_tip: TipColumns | null
  readonly d_tip: TipColumns | null
}

const factColumns = (swap: 's' | 'd') => `,
  (select json_agg(json_build_array(
      kind, tx, index, deposit, amount::text, secret, block_height::text, block_hash, block_time::text
    )) from events where chain = ${swap}.chain and swap_id = ${swap}.swap_id) as ${swap}_events,
  ${swap}_tip.tip as ${swap}_tip`

/** Joined, so that the database remembers it: many orders are on few chains. */
const joinTip = (swap: 's' | 'd') => `left join lateral (
    select json_build_array(height::text, time::text) as tip from blocks where chain = ${swap}.chain order by height desc limit 1
  ) as ${swap}_tip on true`

export function selectSnapshots(rest: string): string {
  return selectOrders(`${joinTip('s')} ${joinTip('d')} ${rest}`, factColumns('s') + factColumns('d'))
}

export function parseOrder(row: OrderRow): StoredOrder {
  const [source, destination] = [parseSwap(row.s_swap), parseSwap(row.d_swap)]
  return {
    order: {
      id: row.id,
      solverId: row.solver_id,
      createdAt: BigInt(Math.floor(row.created_at.getTime() / 1000)),
      deadline: row.deadline,
      source: source.swap,
      destination: destination.swap,
    },
    app: row.app,
    nonce: row.nonce,
    createdAt: row.created_at,
    sourceOwner: row.source_owner,
    destinationOwner: row.destination_owner,
    slippageBips: row.slippage_bips,
    affiliateFees: row.affiliate_fees,
    requestHash: row.request_hash,
    tokenHash: row.token_hash,
    secretReleased: row.secret_released_at !== null,
    secretShown: row.secret_shown_at !== null,
    seenSecret: row.seen_secret,
    closed: row.closed_at !== null,
    assetPrices: { source: source.assetPrice, destination: destination.assetPrice },
    grants: (row.grants ?? []).map(parseGrant),
    clientSecret: row.client_secret,
  }
}

function parseSwap(columns: SwapColumns): { readonly swap: Swap; readonly assetPrice: bigint } {
  const [chain, asset, swapId, initiator, redeemer, amount, secretHash, timelock, userAddress, delegate, confirmations, price] = columns
  const terms = { asset, initiator, redeemer, amount: BigInt(amount), secretHash, timelock: BigInt(timelock) }
  return {
    swap: { chain, swapId, terms, userAddress, delegate, requiredConfirmations: confirmations },
    assetPrice: BigInt(price),
  }
}

export function parseSnapshot(row: SnapshotRow): OrderSnapshot {
  const stored = parseOrder(row)
  const { source, destination } = stored.order
  return {
    stored,
    events: { source: parseEvents(source.swapId, row.s_events), destination: parseEvents(destination.swapId, row.d_events) },
    tips: { source: parseTip(row.s_tip), destination: parseTip(row.d_tip) },
  }
}

function parseTip(tip: TipColumns | null): Tip | null {
  return tip === null ? null : { height: BigInt(tip[0]), time: BigInt(tip[1]) }
}

function parseEvents(swapId: string, rows: readonly EventColumns[] | null): readonly HtlcEvent[] {
  return (rows ?? []).map(([kind, tx, index, deposit, amount, secret, height, hash, time]) => {
    const block: BlockRef | null =
      height === null || hash === null || time === null ? null : { height: BigInt(height), hash, time: BigInt(time) }
    const sighting = { swapId, tx, index, block, deposit }
    if (kind === 'initiated') return { ...sighting, kind, amount: BigInt(amount ?? 0) }
    return kind === 'redeemed' ? { ...sighting, kind, secret: secret ?? '' } : { ...sighting, kind }
  })
}
