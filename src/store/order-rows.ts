/** Orders as the database holds them, each with its swaps and whatever else is asked for in the same round. */
import type { Selectable } from 'kysely'
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

type SwapColumns = Omit<Selectable<Schema['swaps']>, 'order_id' | 'leg'>
type Prefixed<Prefix extends string, T> = { readonly [K in keyof T & string as `${Prefix}${K}`]: T[K] }

const SWAP_COLUMNS: readonly (keyof SwapColumns)[] = [
  'chain',
  'asset',
  'swap_id',
  'initiator',
  'redeemer',
  'amount',
  'secret_hash',
  'timelock',
  'user_address',
  'delegate',
  'required_confirmations',
  'asset_price',
]

export type OrderRow = Selectable<Schema['orders']> &
  Prefixed<'s_', SwapColumns> &
  Prefixed<'d_', SwapColumns> & { readonly grants: readonly GrantColumns[] | null }

const swapColumns = (name: 's' | 'd') => SWAP_COLUMNS.map((column) => `${name}.${column} as ${name}_${column}`).join(', ')

const ORDER_COLUMNS = `o.*, ${swapColumns('s')}, ${swapColumns('d')},
  (select json_agg(row_to_json(g)) from grants g where g.order_id = o.id) as grants`

const FROM_ORDERS = `from orders o
  join swaps s on s.order_id = o.id and s.leg = 'source'
  join swaps d on d.order_id = o.id and d.leg = 'destination'`

/** `rest`: what else is joined, which of the orders `o`, and in which sequence. */
export function selectOrders(rest: string, more = ''): string {
  return `select ${ORDER_COLUMNS}${more} ${FROM_ORDERS} ${rest}`
}

/** Numbers as text: JSON's own are floats. */
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
  return {
    order: {
      id: row.id,
      solverId: row.solver_id,
      createdAt: BigInt(Math.floor(row.created_at.getTime() / 1000)),
      deadline: row.deadline,
      source: parseSwap(row, 's'),
      destination: parseSwap(row, 'd'),
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
    assetPrices: { source: row.s_asset_price, destination: row.d_asset_price },
    grants: (row.grants ?? []).map(parseGrant),
    clientSecret: row.client_secret,
  }
}

function parseSwap(row: OrderRow, swap: 's' | 'd'): Swap {
  return {
    chain: row[`${swap}_chain`],
    swapId: row[`${swap}_swap_id`],
    terms: {
      asset: row[`${swap}_asset`],
      initiator: row[`${swap}_initiator`],
      redeemer: row[`${swap}_redeemer`],
      amount: row[`${swap}_amount`],
      secretHash: row[`${swap}_secret_hash`],
      timelock: row[`${swap}_timelock`],
    },
    userAddress: row[`${swap}_user_address`],
    delegate: row[`${swap}_delegate`],
    requiredConfirmations: row[`${swap}_required_confirmations`],
  }
}

export function parseSnapshot(row: SnapshotRow): OrderSnapshot {
  return {
    stored: parseOrder(row),
    events: { source: parseEvents(row.s_swap_id, row.s_events), destination: parseEvents(row.d_swap_id, row.d_events) },
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
