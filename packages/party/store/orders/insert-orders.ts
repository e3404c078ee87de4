/** Inserts orders with their swaps and sealed values, any number in one statement. Each order is inserted as a whole or not at all. */
import type { AffiliateFee, Leg, Order, Swap } from '@tandem/protocol/order.ts'
import type { OrderWorth } from '@tandem/protocol/order-worth.ts'
import { shape, text } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import type { SealedValue } from './sealed-values.ts'

export type NewOrder = {
  readonly order: Order
  readonly app: string | null
  readonly nonce: string
  readonly sourceOwner: string
  readonly destinationOwner: string
  readonly slippageBips: number
  readonly affiliateFees: readonly AffiliateFee[]
  readonly idempotencyKey: string | null
  readonly requestHash: string
  readonly tokenHash: string | null
  readonly assetPrices: Readonly<Record<Leg, bigint>>
  /** See `swap-seals.ts`; absent in a solver's database. */
  readonly seals?: Readonly<Record<Leg, string>>
  readonly clientSecret: boolean
  /** Lists and statistics need it. It is null in a solver's database, which has no list. */
  readonly worth: OrderWorth | null
  /** The caps and premiums of a solver need it. It is absent in a service's database. */
  readonly customer?: { readonly service: string; readonly app: string | null; readonly owner: string | null; readonly usdMicros: bigint }
}

export type OrderToWrite = { readonly input: NewOrder; readonly sealed: readonly SealedValue[] }

/** Big numbers are sent as text, because JSON numbers are floats. */
const insertWhole = prepare(
  'insert-orders',
  shape({ id: text }),
  `with given as materialized (
    select * from json_to_recordset($1::json) as given (
      id text, app text, solver_id text, nonce text, source_owner text, destination_owner text, secret_hash text, created_at bigint,
      deadline bigint, slippage_bips integer, affiliate_fees jsonb, idempotency_key text, request_hash text, token_hash text,
      client_secret boolean, price_expires_at bigint, volume bigint, fee bigint, from_chain text, to_chain text, user_address text, takes_deposits boolean, swaps json, sealed json,
      customer_service text, customer_app text, customer_owner text, customer_pair text, customer_usd bigint
    )
  ), made as (
    insert into orders (
      id, app, solver_id, nonce, source_owner, destination_owner, secret_hash, created_at, deadline, slippage_bips, affiliate_fees,
      idempotency_key, request_hash, token_hash, client_secret, price_expires_at
    ) select id, app, solver_id, nonce, source_owner, destination_owner, secret_hash, to_timestamp(created_at), deadline, slippage_bips,
      affiliate_fees, idempotency_key, request_hash, token_hash, client_secret, price_expires_at
    from given on conflict do nothing returning id, seq
  ), legs as (
    insert into swaps (
      order_id, leg, chain, asset, swap_id, initiator, redeemer, amount, secret_hash, timelock, user_address, order_key, payer,
      required_confirmations, asset_price, agreed_amount, client_key, max_fee, deposit_address, gas, seal
    ) select made.id, swap.* from made join given on given.id = made.id, json_to_recordset(given.swaps) as swap (
      leg text, chain text, asset text, swap_id text, initiator text, redeemer text, amount numeric, secret_hash text, timelock bigint,
      user_address text, order_key text, payer text, required_confirmations integer, asset_price numeric, agreed_amount numeric,
      client_key boolean, max_fee numeric, deposit_address text, gas numeric, seal text
    )
  ), kept as (
    insert into sealed_values (order_id, purpose, sealed) select made.id, value.purpose, decode(value.sealed, 'base64')
    from made join given on given.id = made.id, json_to_recordset(given.sealed) as value (purpose text, sealed text)
  ), listed as (
    insert into order_list (
      seq, order_id, app, solver_id, from_chain, to_chain, from_owner, to_owner, status, deadline, created_at, volume, fee, takes_deposits
    ) select made.seq, given.id, app, solver_id, from_chain, to_chain, coalesce(nullif(source_owner, ''), user_address, ''),
      destination_owner, 'created', deadline, created_at, volume, fee, takes_deposits
    from made join given on given.id = made.id where app is not null and volume is not null
  ), customers as (
    insert into order_risks (order_id, service, app, owner, pair, usd_micros, created_at, deadline)
    select made.id, customer_service, customer_app, customer_owner, customer_pair, customer_usd, created_at, deadline
    from made join given on given.id = made.id where customer_pair is not null
  )
  select id from made`,
)

/** Returns the ids of the inserted orders. The others exist already by id, nonce, idempotency key or secret hash. */
export async function insertOrders(db: Database, orders: readonly OrderToWrite[]): Promise<ReadonlySet<string>> {
  const rows = await insertWhole(db, [JSON.stringify(orders.map(orderToRow))])
  return new Set(rows.map(({ id }) => id))
}

/** Returns false if the order exists already. Then nothing is inserted. */
export async function insertOrder(db: Database, input: NewOrder, sealed: readonly SealedValue[] = []): Promise<boolean> {
  return (await insertOrders(db, [{ input, sealed }])).has(input.order.id)
}

function orderToRow({ input, sealed }: OrderToWrite) {
  const { order, assetPrices, worth } = input
  return {
    id: order.id,
    app: input.app,
    solver_id: order.solverId,
    nonce: input.nonce,
    source_owner: input.sourceOwner,
    destination_owner: input.destinationOwner,
    secret_hash: order.source.terms.secretHash,
    created_at: order.createdAt.toString(),
    deadline: order.deadline.toString(),
    slippage_bips: input.slippageBips,
    affiliate_fees: input.affiliateFees,
    idempotency_key: input.idempotencyKey,
    request_hash: input.requestHash,
    token_hash: input.tokenHash,
    client_secret: input.clientSecret,
    price_expires_at: order.priceExpiresAt.toString(),
    volume: worth?.volumeUsdMicros.toString() ?? null,
    fee: worth?.feeUsdMicros.toString() ?? null,
    from_chain: order.source.chain,
    to_chain: order.destination.chain,
    user_address: order.source.userAddress,
    takes_deposits: order.source.depositAddress !== null,
    swaps: (['source', 'destination'] as const).map((leg) => ({
      ...swapToRow(leg, order[leg], assetPrices[leg]),
      seal: input.seals?.[leg] ?? null,
    })),
    ...(input.customer !== undefined && customerToRow(order, input.customer)),
    sealed: sealed.map((value) => ({ purpose: value.purpose, sealed: value.sealed.toString('base64') })),
  }
}

function customerToRow({ source, destination }: Order, { service, app, owner, usdMicros }: NonNullable<NewOrder['customer']>) {
  return {
    customer_service: service,
    customer_app: app ?? '',
    customer_owner: owner ?? '',
    customer_pair: `${source.terms.asset}->${destination.terms.asset}`,
    customer_usd: usdMicros.toString(),
  }
}

function swapToRow(leg: Leg, swap: Swap, assetPrice: bigint) {
  const { chain, swapId, terms, userAddress, orderKey, payer, requiredConfirmations } = swap
  return {
    leg,
    chain,
    asset: terms.asset,
    swap_id: swapId,
    initiator: terms.initiator,
    redeemer: terms.redeemer,
    amount: terms.amount.toString(),
    secret_hash: terms.secretHash,
    timelock: terms.timelock.toString(),
    user_address: userAddress,
    order_key: orderKey,
    payer,
    required_confirmations: requiredConfirmations,
    asset_price: assetPrice.toString(),
    agreed_amount: swap.agreedAmount.toString(),
    client_key: swap.clientKey,
    max_fee: swap.maxFee?.toString() ?? null,
    deposit_address: swap.depositAddress,
    gas: swap.gas?.toString() ?? null,
  }
}
