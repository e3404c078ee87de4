/** What the service and a solver say to each other over HTTP. Two organisations read this file. */
import { type Static, Type } from 'typebox'

/** A positive integer in the smallest unit. */
const Amount = Type.String({ pattern: '^[1-9][0-9]{0,77}$' })
const UnixSeconds = Type.Integer({ minimum: 0 })
const DepositId = Type.String({ minLength: 1, maxLength: 128 })
const OrderId = Type.String({ pattern: '^[0-9a-f]{64}$' })
/** BIP327: 66 bytes. */
const PublicNonce = Type.String({ pattern: '^[0-9a-f]{132}$' })
/** A transaction of at most 100 kB, hex. */
const TransactionHex = Type.String({ pattern: '^([0-9a-f]{2})+$', maxLength: 200_000 })

/** POST /quote. Exactly one amount is given. */
export const SolverQuoteRequest = Type.Object({
  from: Type.String(),
  to: Type.String(),
  from_amount: Type.Optional(Amount),
  to_amount: Type.Optional(Amount),
  /** Service and affiliate fees in bips, to be taken off on top of the solver's own. */
  extra_fee_bips: Type.Integer({ minimum: 0, maximum: 5000 }),
  indicative: Type.Boolean(),
})
export type SolverQuoteRequest = Static<typeof SolverQuoteRequest>

export const SolverQuote = Type.Object({
  solver_id: Type.String(),
  quote_id: Type.String(),
  source_amount: Amount,
  destination_amount: Amount,
  /** All fees in bips: the solver's and `extra_fee_bips`. */
  fee_bips: Type.Integer(),
  /** Millionths of a US dollar, already taken off the amounts. */
  fixed_fee_usd_micros: Type.String({ pattern: '^[0-9]+$' }),
  /** Seconds. */
  estimated_time: Type.Integer(),
  expires_at: UnixSeconds,
})
export type SolverQuote = Static<typeof SolverQuote>

/** POST /orders: the service proposes, the solver completes the terms or declines. Idempotent on order_id. */
export const SolverOrderRequest = Type.Object({
  order_id: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  secret_hash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  created_at: UnixSeconds,
  deadline: UnixSeconds,
  slippage_bips: Type.Integer({ minimum: 0, maximum: 500 }),
  extra_fee_bips: Type.Integer({ minimum: 0, maximum: 5000 }),
  source: Type.Object({
    asset: Type.String(),
    amount: Amount,
    /** The user's side of the source HTLC, as its chain names parties. */
    initiator: Type.String(),
  }),
  destination: Type.Object({
    asset: Type.String(),
    amount: Amount,
    redeemer: Type.String(),
  }),
})
export type SolverOrderRequest = Static<typeof SolverOrderRequest>

/** What the solver adds. Everything else stays as proposed. Timelocks are decimal strings in the chains' own units. */
export const SolverOrderAcceptance = Type.Object({
  solver_id: Type.String(),
  source: Type.Object({ redeemer: Type.String(), timelock: Type.String({ pattern: '^[1-9][0-9]*$' }) }),
  destination: Type.Object({ initiator: Type.String(), timelock: Type.String({ pattern: '^[1-9][0-9]*$' }), amount: Amount }),
  /** For a source mined later the solver may look at its price again, and decline. */
  price_expires_at: UnixSeconds,
})
export type SolverOrderAcceptance = Static<typeof SolverOrderAcceptance>

/** POST /orders/{order_id}/fill: deposits of the source that the service counts, and what it expects for them. Idempotent. */
export const SolverFillRequest = Type.Object({
  deposits: Type.Array(DepositId, { minItems: 1, maxItems: 5 }),
  /** Of the newest of them. */
  block_hash: Type.String({ maxLength: 128 }),
  destination_amount: Amount,
})
export type SolverFillRequest = Static<typeof SolverFillRequest>

/**
 * `signed`: the solver pays exactly this, and `signature` says so. `wait`: ask again a little later. `declined`: it will never pay for this
 * order, and signs the deposits back when asked.
 */
export const SolverFill = Type.Object({
  solver_id: Type.String(),
  answer: Type.Union([Type.Literal('signed'), Type.Literal('wait'), Type.Literal('declined')]),
  signature: Type.Union([Type.String({ pattern: '^[0-9a-f]{128}$' }), Type.Null()]),
  reason: Type.Union([Type.String(), Type.Null()]),
})
export type SolverFill = Static<typeof SolverFill>

/**
 * POST /cosign: the service offers to sign redeems of these sources together with the solver, because all their destinations are redeemed
 * for good. The solver answers with one transaction and its own part, or with null when it has no use for it.
 */
export const SolverCosignRequest = Type.Object({
  items: Type.Array(
    Type.Object({
      order_id: OrderId,
      deposits: Type.Array(Type.Object({ id: DepositId, amount: Amount }), { minItems: 1, maxItems: 5 }),
      nonces: Type.Array(PublicNonce, { minItems: 1, maxItems: 5 }),
    }),
    { minItems: 1, maxItems: 50 },
  ),
})
export type SolverCosignRequest = Static<typeof SolverCosignRequest>

export const SolverCosign = Type.Object({
  solver_id: Type.String(),
  draft: Type.Union([
    Type.Object({
      transaction: TransactionHex,
      inputs: Type.Array(Type.Object({ deposit: DepositId, nonce: PublicNonce, signature: Type.String({ pattern: '^[0-9a-f]{64}$' }) }), {
        maxItems: 250,
      }),
    }),
    Type.Null(),
  ]),
})
export type SolverCosign = Static<typeof SolverCosign>

/** POST /cosign/complete: the transaction with all signatures, which the solver sends when it suits it. */
export const SolverCosigned = Type.Object({
  order_ids: Type.Array(OrderId, { minItems: 1, maxItems: 50 }),
  transaction: TransactionHex,
})
export type SolverCosigned = Static<typeof SolverCosigned>

/**
 * POST /orders/{order_id}/instant-refund: deposits of the source that are to go back to the user before the timelock ends, each to an output
 * of its own. Once the solver has answered, it never initiates the destination.
 */
export const SolverInstantRefundRequest = Type.Object({
  refunds: Type.Array(
    Type.Object({
      deposit: Type.String({ maxLength: 128 }),
      amount: Amount,
      to: Type.String({ maxLength: 128 }),
      /** What arrives there: the amount less the network fee. */
      pays: Amount,
    }),
    { minItems: 1, maxItems: 100 },
  ),
  /** BIP327: one public nonce for each refund, if the service signs for the user; none if the user signs alone. */
  nonces: Type.Array(PublicNonce, { maxItems: 100 }),
})
export type SolverInstantRefundRequest = Static<typeof SolverInstantRefundRequest>

/**
 * One for each refund, in the same sequence, by the redeemer of the source, all with hash type 0x83 (SINGLE|ANYONECANPAY).
 * With nonces asked for: a nonce and a partial signature (BIP327); else 65 bytes of Schnorr for the leaf, and no nonce.
 */
export const SolverInstantRefund = Type.Object({
  solver_id: Type.String(),
  signatures: Type.Array(
    Type.Object({ nonce: Type.Union([PublicNonce, Type.Null()]), signature: Type.String({ pattern: '^([0-9a-f]{64}|[0-9a-f]{130})$' }) }),
    { maxItems: 100 },
  ),
})
export type SolverInstantRefund = Static<typeof SolverInstantRefund>

/** GET /liquidity: what the solver holds, and what of it is not promised to funded orders. */
export const SolverLiquidity = Type.Object({
  solver_id: Type.String(),
  holdings: Type.Array(
    Type.Object({
      asset: Type.String(),
      address: Type.String(),
      balance: Type.String({ pattern: '^[0-9]{1,78}$' }),
      available: Type.String({ pattern: '^[0-9]{1,78}$' }),
    }),
    { maxItems: 1000 },
  ),
})
export type SolverLiquidity = Static<typeof SolverLiquidity>

/** GET /health. */
export const SolverHealth = Type.Object({ solver_id: Type.String() })
export type SolverHealth = Static<typeof SolverHealth>

/** Any answer that is not 200. `code` is one of the product's error codes. */
export const SolverRefusal = Type.Object({ code: Type.String(), message: Type.String() })
export type SolverRefusal = Static<typeof SolverRefusal>
