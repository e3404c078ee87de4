/** The swap record is one side of an order as GET /orders/{id} shows it. */
import { type Static, Type } from 'typebox'
import { formatUsdPrice, type UsdPrice } from '../amount.ts'
import type { BlockRef } from '../htlc.ts'
import type { Leg, Swap } from '../order.ts'
import type { Hex32 } from '../secret.ts'
import type { Deposit, SwapState } from '../swap-state.ts'
import { DepositRecord } from './deposit.ts'

const Timestamp = (what: string) =>
  Type.Union([Type.String(), Type.Null()], { description: `when the ${what} was mined, ISO 8601; null before` })
const TxHash = (what: string) =>
  Type.String({ description: `the transaction that ${what}; several with commas; empty while there is none` })
const BlockNumber = (what: string) => Type.String({ description: `the block of the ${what}; 0 while it is not mined` })

export const SwapRecord = Type.Object(
  {
    created_at: Type.String({ description: 'when the order was made, ISO 8601' }),
    swap_id: Type.String({ description: 'the id of the HTLC on its chain; on chains without contracts the address of the HTLC' }),
    chain: Type.String({ description: 'the chain of the HTLC' }),
    asset: Type.String({ description: 'what is locked, as <chain>:<token>' }),
    initiator: Type.String({
      description:
        "who gets what is refunded: an address, or the public key in the HTLC. On sources with a key as `delegate` it is the user's refund address: empty until it is known, and the new one after `PATCH ?action=refund` changed it",
    }),
    redeemer: Type.String({
      description:
        "who gets it with the secret: an address, or the public key in the HTLC. On destinations with a key as `delegate` it is the user's payout address",
    }),
    delegate: Type.Optional(
      Type.String({
        description:
          "what acts in the user's place: the account that pays, or the public key that the service made for the user's part of the HTLC. Absent if the user acts with their own account or key",
      }),
    ),
    deposit_address: Type.Optional(
      Type.String({
        description:
          'on sources that were asked for with `deposit`: pay `amount` to it before the deadline, in any number of transfers. What comes too late, too little or twice is returned to `initiator`',
      }),
    ),
    deposit_amount: Type.Optional(
      Type.String({
        description:
          'beside `deposit_address`: what lies there and is not locked, in the smallest unit, when it was last read; less than 1 % of `amount` is shown as 0',
      }),
    ),
    timelock: Type.Integer({ description: "when a refund becomes possible, in the chain's own unit; see `timelock_unit` of GET /chains" }),
    filled_amount: Type.String({ description: 'what is locked so far, in the smallest unit' }),
    asset_price: Type.Number({ description: 'US dollars per whole coin when the order was made' }),
    amount: Type.String({ description: 'what is to be locked, in the smallest unit' }),
    network_fee: Type.Optional(
      Type.String({
        description:
          'on destinations whose payout pays its own network fee: the maximum that is taken out of the amount, in the smallest unit; the service pays what is needed beyond that',
      }),
    ),
    gas: Type.Optional(
      Type.String({
        description:
          "on destinations that were asked for with `destination_gas`: what the redeem also gives of the chain's coin, in the smallest unit. A redeem that fails several times is sent without it, and one that somebody else sends has none",
      }),
    ),
    gas_given: Type.Optional(
      Type.Boolean({
        description:
          'beside `gas`, once the chain shows a redeem: whether it is one of the service that offers the coin. A contract that refuses coin gets none all the same',
      }),
    ),
    fee_from_amount: Type.Optional(
      Type.Literal(true, {
        description: 'where redeems and refunds pay their network fee out of what is locked: the recipient gets less than `amount`',
      }),
    ),
    redeemed_amount: Type.Optional(
      Type.String({
        description:
          'what the redeem pays out after its network fee, in the smallest unit, as its chain shows it; absent while there is none, and where it cannot be told apart from other payments',
      }),
    ),
    refunded_amount: Type.Optional(
      Type.String({
        description: 'the same of refunds, of all deposits: also of those that did not count',
      }),
    ),
    secret_hash: Type.String({ description: 'SHA-256 of the secret, hex' }),
    secret: Type.String({ description: 'hex; empty until a chain shows it, and then public' }),
    instant_refund_tx: Type.Optional(
      Type.String({ description: 'on sources with an instant refund: the transaction that both parties signed' }),
    ),
    initiate_tx_hash: TxHash('locked the amount'),
    redeem_tx_hash: TxHash('redeemed it'),
    refund_tx_hash: TxHash('refunded it'),
    initiate_block_number: BlockNumber('initiation'),
    redeem_block_number: BlockNumber('redeem'),
    refund_block_number: BlockNumber('refund'),
    required_confirmations: Type.Integer({ description: 'confirmations after which the initiation counts' }),
    current_confirmations: Type.Integer({ description: 'confirmations of the initiation, at most `required_confirmations`' }),
    initiate_timestamp: Timestamp('initiation'),
    redeem_timestamp: Timestamp('redeem'),
    refund_timestamp: Timestamp('refund'),
    deposits: Type.Optional(Type.Array(DepositRecord, { description: 'on sources that anyone may pay any amount to: all deposits' })),
  },
  { title: 'Swap' },
)
export type SwapRecord = Static<typeof SwapRecord>

/** Clients of the chain expect this name of the initiation. `height` is null while it is unmined. */
export type FormatInitiation = (tx: string, height: bigint | null) => string

export type SwapFactsToShow = {
  readonly leg: Leg
  readonly swap: Swap
  readonly state: SwapState
  readonly formatInitiation: FormatInitiation
  readonly assetPrice: UsdPrice
  readonly createdAt: Date
  /** Null until this party has seen the secret on a chain. From then on it is no secret, and every app may see it. */
  readonly secret: Hex32 | null
  /** The hash is null while there is none, and on destinations. */
  readonly instantRefundTx: string | null
  /** These redeems offer the gas of the swap. */
  readonly offeringGas: ReadonlySet<string>
  /** The list is null where an HTLC is funded once. */
  readonly deposits: readonly DepositRecord[] | null
  /** This lies at the deposit address. */
  readonly arrived: bigint
  /** Redeems and refunds pay their network fee out of what is locked. */
  readonly feeFromAmount: boolean
}

type Step = { readonly hash: string; readonly block: BlockRef | null }

export function swapToWire(facts: SwapFactsToShow): SwapRecord {
  const { swap, state } = facts
  const initiate = initiation(state, facts.formatInitiation)
  const redeem = spend(state, 'redeemed')
  const refund = spend(state, 'refunded')
  const required = BigInt(swap.requiredConfirmations)
  const delegate = swap.orderKey ?? swap.payer
  const redeemed = paidBy(relevant(state), 'redeemed')
  const refunded = paidBy(state.deposits, 'refunded')
  return {
    created_at: facts.createdAt.toISOString(),
    swap_id: swap.swapId,
    chain: swap.chain,
    asset: swap.terms.asset,
    ...shownParties(facts.leg, swap),
    ...(delegate !== null && { delegate }),
    ...(swap.depositAddress !== null && { deposit_address: swap.depositAddress, deposit_amount: facts.arrived.toString() }),
    timelock: Number(swap.terms.timelock),
    filled_amount: state.filledAmount.toString(),
    asset_price: Number(formatUsdPrice(facts.assetPrice)),
    amount: swap.terms.amount.toString(),
    ...(swap.maxFee !== null && { network_fee: swap.maxFee.toString() }),
    ...(swap.gas !== null && { gas: swap.gas.toString() }),
    ...(swap.gas !== null && redeem !== null && { gas_given: facts.offeringGas.has(redeem.hash) }),
    ...(facts.feeFromAmount && { fee_from_amount: true as const }),
    ...(redeemed !== null && { redeemed_amount: redeemed.toString() }),
    ...(refunded !== null && { refunded_amount: refunded.toString() }),
    secret_hash: swap.terms.secretHash,
    secret: facts.secret ?? '',
    ...(facts.instantRefundTx !== null && { instant_refund_tx: facts.instantRefundTx }),
    initiate_tx_hash: initiate?.hash ?? '',
    redeem_tx_hash: redeem?.hash ?? '',
    refund_tx_hash: refund?.hash ?? '',
    initiate_block_number: blockNumber(initiate),
    redeem_block_number: blockNumber(redeem),
    refund_block_number: blockNumber(refund),
    required_confirmations: swap.requiredConfirmations,
    // The number is capped, so that the record of a finished order does not change with every block.
    current_confirmations: Number(state.confirmations < required ? state.confirmations : required),
    initiate_timestamp: timestamp(initiate),
    redeem_timestamp: timestamp(redeem),
    refund_timestamp: timestamp(refund),
    ...(facts.deposits !== null && { deposits: [...facts.deposits] }),
  }
}

/** A key that the service made acts for the user, and does not tell where the money goes. So the user's address is shown in its place. */
function shownParties(leg: Leg, { terms, orderKey, userAddress }: Swap): Pick<SwapRecord, 'initiator' | 'redeemer'> {
  const { initiator, redeemer } = terms
  if (orderKey === null) return { initiator, redeemer }
  return leg === 'source' ? { initiator: userAddress ?? '', redeemer } : { initiator, redeemer: userAddress ?? '' }
}

/** These are the counted deposits, or all while none count. */
function relevant(state: SwapState): readonly Deposit[] {
  return state.counted.length > 0 ? state.counted : state.deposits
}

/** Several deposits are listed with commas; they are initiated when the last of them is mined. */
function initiation(state: SwapState, format: FormatInitiation): Step | null {
  const deposits = relevant(state)
  if (deposits.length === 0) return null
  const names = deposits.map(({ tx, block }) => format(tx, block?.height ?? null))
  return { hash: [...new Set(names)].join(','), block: latestBlock(deposits.map((deposit) => deposit.block)) }
}

function spend(state: SwapState, kind: 'redeemed' | 'refunded'): Step | null {
  const spends = relevant(state).flatMap((deposit) => (deposit.spend?.kind === kind ? [deposit.spend] : []))
  if (spends.length === 0) return null
  return { hash: [...new Set(spends.map((s) => s.tx))].join(','), block: latestBlock(spends.map((s) => s.block)) }
}

/** Returns null without such a spend, if the payout of one of them is not known, or if the sum is more than was there. */
function paidBy(deposits: readonly Deposit[], kind: 'redeemed' | 'refunded'): bigint | null {
  const spent = deposits.filter(({ spend }) => spend?.kind === kind)
  const paid = spent.flatMap(({ spend }) => spend?.paid ?? [])
  if (spent.length === 0 || paid.length < spent.length) return null
  const sum = paid.reduce((total, one) => total + one, 0n)
  return sum > spent.reduce((total, { amount }) => total + amount, 0n) ? null : sum
}

/** Returns null while one is missing. */
function latestBlock(blocks: readonly (BlockRef | null)[]): BlockRef | null {
  return blocks.reduce(
    (latest, block) => (latest === null || block === null ? null : block.height > latest.height ? block : latest),
    blocks[0] ?? null,
  )
}

function blockNumber(step: Step | null): string {
  return (step?.block?.height ?? 0n).toString()
}

function timestamp(step: Step | null): string | null {
  return step?.block == null ? null : new Date(Number(step.block.time) * 1000).toISOString()
}
