/** This list of the ways to fund a swap makes the union, the schema of POST /orders and the wire form. */
import { type Static, Type } from 'typebox'
import { calls } from './calls.ts'
import { type EscrowInstructions, escrowCreateOf } from './escrow-create.ts'
import { feltCalls } from './felt-calls.ts'
import { defineWay, RefundPackage, type ToldOnce } from './way.ts'

const versionedFields = {
  versioned_tx: Type.String({
    description:
      'a transaction of version 0, base64. Signed and sent by the payer, who is the delegate where the order has one, it funds the order. It expires after about a minute: GET `/orders/{order_id}/funding` returns a fresh one',
  }),
  versioned_tx_gasless: Type.Union([Type.String(), Type.Null()], {
    description:
      'the same with the service as fee payer: signed by the owner and given to PATCH `?action=initiate` as base64, it funds the order without a network fee. It expires as `versioned_tx` does. Null for the native coin, and where the service has no relay key',
  }),
}

const versionedTransaction = defineWay('FundByVersionedTransaction', versionedFields, ({ transaction, gasless }: VersionedTransaction) => ({
  versioned_tx: transaction,
  versioned_tx_gasless: gasless,
}))

const programmableFields = {
  ptb_bytes: Type.Array(Type.Integer({ minimum: 0, maximum: 255 }), {
    description:
      'the BCS bytes of a transaction kind, for `Transaction.fromKind(new Uint8Array(ptb_bytes))`. With sender, gas price and gas budget set, signed and executed by the payer, who is the delegate where the order has one, it funds the order. Coins that it names may be spent meanwhile: GET `/orders/{order_id}/funding` returns fresh ones',
  }),
}

const programmableTransaction = defineWay('FundByProgrammableTransaction', programmableFields, ({ bytes }: ProgrammableTransaction) => ({
  ptb_bytes: [...bytes],
}))

/** The user's account makes an escrow of the chain itself. Its wallet adds sequence and fee, signs and sends it. */
const EscrowCreate = Type.Object(
  {
    TransactionType: Type.Literal('EscrowCreate', { description: 'the kind of transaction' }),
    Account: Type.String({ description: 'pays, and gets what is refunded' }),
    Destination: Type.String({ description: 'who gets it with the secret' }),
    DestinationTag: Type.Optional(Type.Integer({ description: 'only if there is one' })),
    Amount: Type.String({ description: 'in drops' }),
    Condition: Type.String({ description: 'PREIMAGE-SHA-256 of the secret hash' }),
    CancelAfter: Type.Integer({ description: 'seconds since 2000: when a refund becomes possible' }),
  },
  {
    title: 'EscrowCreate',
    description:
      'to be signed and sent by the owner before the deadline, exactly as it is; the wallet adds Fee, Sequence and LastLedgerSequence. An escrow with other escrowFields does not fund the order. Send it once: a second one is only refunded after its CancelAfter',
  },
)

const escrowFields = { escrow_create_tx: EscrowCreate }

const escrow = defineWay('FundByEscrow', escrowFields, (instructions: EscrowInstructions) => ({
  escrow_create_tx: escrowCreateOf(instructions),
}))

const depositFields = {
  to: Type.String({ description: 'the address of the HTLC, or the deposit address of the order: pay it with any wallet' }),
  amount: Type.String({ description: 'in the smallest unit' }),
  refund_package: Type.Optional(RefundPackage),
}

const deposit = defineWay('FundByDeposit', depositFields, ({ to, amount }: Deposit, once) => {
  const refundPackage = once?.refundPackage ?? null
  return { to, amount: amount.toString(), ...(refundPackage !== null && { refund_package: { ...refundPackage } }) }
})

const ways = { deposit, calls, feltCalls, versionedTransaction, programmableTransaction, escrow }

type Ways = typeof ways
type Kind = keyof Ways
type Instructions = { [K in Kind]: Parameters<Ways[K]['toWire']>[0] }

export type Funding<K extends Kind = Kind> = { [P in K]: { readonly kind: P } & Instructions[P] }[K]

export type FundingResult<K extends Kind> = Static<Ways[K]['result']>

export type CreateOrderResult = FundingResult<Kind>
export const CreateOrderResult = Type.Unsafe<CreateOrderResult>(Type.Union(Object.values(ways).map(({ result }) => result)))

const writers: { readonly [K in Kind]: { toWire(funding: Funding<K>, orderId: string, once: ToldOnce | null): CreateOrderResult } } = ways

/** `once` is null in every answer except the first. */
export function fundingToWire<K extends Kind>(orderId: string, once: ToldOnce | null, funding: Funding<K>): CreateOrderResult {
  return writers[funding.kind].toWire(funding, orderId, once)
}

/** The user sends an amount to the address of the HTLC, or to a deposit address, with any wallet. */
type Deposit = { readonly to: string; readonly amount: bigint }

/** The user's wallet adds sender and gas to a transaction kind, signs it and sends it. */
type ProgrammableTransaction = {
  /** The bytes are the BCS of a TransactionKind: the commands with their inputs, without sender and gas. */
  readonly bytes: Uint8Array
}

/** The user signs a whole transaction that is ready to be sent, or the same with the service as fee payer. It expires after about a minute. */
type VersionedTransaction = {
  /** The transaction is Base64 and unsigned. The payer signs and sends it. */
  readonly transaction: string
  /**
   * Base64, unsigned: the initiator signs it and gives it to the service. It is null where the service does not pay the fee for this asset.
   */
  readonly gasless: string | null
}
