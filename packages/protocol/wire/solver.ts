/** The service and a solver speak HTTP in this form. Two organisations read this file. */
import { type Static, Type } from 'typebox'

const AMOUNT = { pattern: '^[1-9][0-9]{0,77}$' } as const
const Amount = Type.String({ ...AMOUNT, description: 'a positive integer in the smallest unit' })
const UnixSeconds = (description: string) => Type.Integer({ minimum: 0, maximum: 99_999_999_999, description })
const AssetName = Type.String({ description: '`<chain>:<asset>`, as in GET /assets of the service' })
const SolverId = Type.String({ description: "the solver's own id" })
const DepositId = Type.String({ minLength: 1, maxLength: 128 })
const OrderId = Type.String({ pattern: '^[0-9a-f]{64}$' })
const Identity = Type.String({
  maxLength: 256,
  description: 'the solver, as the chain names parties, in canonical form, such as an address in lower case',
})
const Timelock = Type.String({ pattern: '^[1-9][0-9]{0,17}$', description: "that of the registry, in the chain's own units" })

/**
 * The payload is opaque: the chain family's code writes it on one side and reads it on the other, where it rejects what it does not
 * understand before it signs anything. No other code reads it.
 */
const Payload = (maxLength: number) => Type.String({ minLength: 1, maxLength, description: 'of the chain family' })
const SignaturePayload = Payload(1_000)
/** The payload is for up to 5 deposits. */
const CosignOfferPayload = Payload(4_000)
/** The payload is for up to 100 refunds. */
const RefundOfferPayload = Payload(20_000)
const RefundAnswerPayload = Payload(30_000)
/** The transaction has at most 100 kB. */
const TransactionPayload = Payload(200_000)
/** The draft is a transaction of at most 100 kB, and a part for each of at most 250 inputs. */
const DraftPayload = Payload(300_000)

/** A pseudonym: it is always the same for the same party and reveals nothing else. Two services may use one pseudonym for different parties. */
const Opaque = (description: string) => Type.String({ pattern: '^[0-9a-f]{1,64}$', description })

const Listing = Type.Optional(
  Type.String({
    pattern: '^[0-9a-f]{32}$',
    description:
      'a digest of what the service means by this asset: its chain, contracts, decimals and timelocks. A solver that lists it otherwise refuses with `unsupported_pair`',
  }),
)

const ExtraFee = Type.Integer({
  minimum: 0,
  maximum: 5000,
  description: "fees of the service and of affiliates in bips, to be taken off on top of the solver's own",
})

/** The request is POST /quote. Exactly one amount is given. */
export const SolverQuoteRequest = Type.Object({
  from: AssetName,
  to: AssetName,
  from_listing: Listing,
  to_listing: Listing,
  from_amount: Type.Optional(Amount),
  to_amount: Type.Optional(Amount),
  extra_fee_bips: ExtraFee,
  indicative: Type.Boolean({ description: 'true: only to show a price; nothing is checked or kept for it' }),
  app: Type.Optional(Opaque('the app that asks')),
  explain: Type.Optional(Type.Boolean({ description: 'true: the answer has `parts`' })),
  client_secret: Type.Optional(
    Type.Boolean({ description: 'true: for an order whose secret the client keeps until the payment is locked' }),
  ),
})
export type SolverQuoteRequest = Static<typeof SolverQuoteRequest>

/** The part explains some of the difference between the price and the quote. A negative part is in the user's favour. */
export const SolverQuotePart = Type.Object({
  name: Type.String({ pattern: '^[a-z][a-z0-9_]{0,31}$', description: 'such as base, volatility, inventory' }),
  ppm: Type.Optional(Type.Integer({ minimum: -1_000_000, maximum: 1_000_000, description: 'millionths of the amount' })),
  usd_micros: Type.Optional(Type.String({ pattern: '^-?[0-9]{1,18}$', description: 'millionths of a US dollar' })),
})
export type SolverQuotePart = Static<typeof SolverQuotePart>

export const SolverQuote = Type.Object({
  solver_id: SolverId,
  quote_id: Type.String({ maxLength: 128 }),
  source_amount: Amount,
  destination_amount: Amount,
  fee_bips: Type.Integer({ description: "all fees in bips: the solver's and extra_fee_bips" }),
  fixed_fee_usd_micros: Type.String({
    pattern: '^[0-9]{1,18}$',
    description: 'millionths of a US dollar, already taken off the amounts',
  }),
  estimated_time: Type.Integer({ maximum: 31_536_000, description: 'seconds' }),
  expires_at: UnixSeconds('until then the quote is honoured'),
  parts: Type.Optional(
    Type.Array(SolverQuotePart, {
      maxItems: 16,
      description: 'what the difference between the price and the quote is made of; a negative part is in favour of the user',
    }),
  ),
  /** Given with `parts`: the minimum and maximum of the source that the solver takes for this pair now, by its limits and its inventory. */
  source_range: Type.Optional(Type.Object({ min: Amount, max: Type.String({ pattern: '^[0-9]{1,78}$' }) })),
})
export type SolverQuote = Static<typeof SolverQuote>

/** With POST /orders the service proposes, and the solver completes the terms or declines. The call is idempotent on order_id. */
export const SolverOrderRequest = Type.Object({
  order_id: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  secret_hash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  created_at: UnixSeconds('by the clock of the service'),
  deadline: UnixSeconds('a source that is initiated later is not paid for'),
  slippage_bips: Type.Integer({
    minimum: 0,
    maximum: 500,
    description: "how much less than destination.amount the user accepts; no statement about the solver's own limit",
  }),
  extra_fee_bips: ExtraFee,
  quote_id: Type.Optional(
    Type.String({
      maxLength: 128,
      description: 'the order is bound to this quote of the solver; refuse with `no_quotes` if it is not open',
    }),
  ),
  accept_worse: Type.Optional(
    Type.Boolean({
      description:
        'true: pay destination.amount even if the quote is better; otherwise pay the quoted amount, or the price now, if that is more',
    }),
  ),
  source: Type.Object({
    asset: AssetName,
    amount: Amount,
    initiator: Type.String({ description: "the user's side of the source HTLC, as its chain names parties" }),
    listing: Listing,
  }),
  destination: Type.Object({
    asset: AssetName,
    amount: Amount,
    redeemer: Type.String({ description: "the user's side of the destination HTLC, as its chain names parties" }),
    listing: Listing,
  }),
  app: Type.Optional(Opaque('the app that orders')),
  owner: Type.Optional(Opaque('the owner of the source, if the user named one')),
  client_secret: Type.Optional(Type.Boolean({ description: 'true: only the client can show the secret, and may never do so' })),
})
export type SolverOrderRequest = Static<typeof SolverOrderRequest>

/** The solver adds these terms. Everything else stays as proposed. Timelocks are decimal strings in the chains' own units. */
export const SolverOrderAcceptance = Type.Object({
  solver_id: SolverId,
  source: Type.Object({ redeemer: Identity, timelock: Timelock }),
  destination: Type.Object({ initiator: Identity, timelock: Timelock, amount: Amount }),
  price_expires_at: UnixSeconds('for a source that is mined later the solver may check the price again, and decline'),
  below_quote: Type.Optional(
    Type.String({
      maxLength: 300,
      description:
        'why the amount is below the quote, if that is for this customer: another order was made with it, or earlier orders of the owner',
    }),
  ),
})
export type SolverOrderAcceptance = Static<typeof SolverOrderAcceptance>

/** POST /orders/{order_id}/fill: the source deposits that the service counts, and the destination amount it expects. Idempotent. */
export const SolverFillRequest = Type.Object({
  deposits: Type.Array(DepositId, { minItems: 1, maxItems: 5 }),
  block_hash: Type.String({ maxLength: 128, description: 'of the block of the newest deposit' }),
  destination_amount: Amount,
})
export type SolverFillRequest = Static<typeof SolverFillRequest>

/** The reasons why a solver does not pay: the recipient cannot be paid, the price, too little inventory, a halt or a limit of its own, too little time, or another. */
export const declineCodes = ['recipient', 'price', 'inventory', 'halt', 'time', 'other'] as const
export type DeclineCode = (typeof declineCodes)[number]

/**
 * With `signed` the solver pays exactly this, and `signature` says so. With `wait` the service asks again a little later. With `declined`
 * the solver will never pay for this order, and signs instant refunds of the deposits on request.
 */
export const SolverFill = Type.Object({
  solver_id: SolverId,
  answer: Type.Union([Type.Literal('signed'), Type.Literal('wait'), Type.Literal('declined')]),
  /** The ability partial deposits makes it with `signFill` and checks it with `verifyFill`. */
  signature: Type.Union([SignaturePayload, Type.Null()]),
  reason: Type.Union([Type.String(), Type.Null()]),
  code: Type.Optional(
    Type.Enum([...declineCodes], {
      description: 'of `declined`, for programs. `recipient`: the service tries the payout itself before it believes that',
    }),
  ),
})
export type SolverFill = Static<typeof SolverFill>

/**
 * With POST /cosign the service offers to cosign redeems of these sources, because the redeems of all their destinations are final. The
 * solver answers with a draft that has its own part, or with null if it does not want one. The ability is batch redeem.
 */
export const SolverCosignRequest = Type.Object({
  items: Type.Array(
    Type.Object({
      order_id: OrderId,
      deposits: Type.Array(Type.Object({ id: DepositId, amount: Amount }), { minItems: 1, maxItems: 5 }),
      /** `cosign` makes the offer and `draft` reads it. */
      offer: CosignOfferPayload,
    }),
    { minItems: 1, maxItems: 50 },
  ),
})
export type SolverCosignRequest = Static<typeof SolverCosignRequest>

export const SolverCosign = Type.Object({
  solver_id: SolverId,
  /** `draft` makes it and `finish` reads it. */
  draft: Type.Union([DraftPayload, Type.Null()]),
})
export type SolverCosign = Static<typeof SolverCosign>

/** POST /cosign/complete sends the transaction with all signatures. The solver decides when to send it. */
export const SolverCosigned = Type.Object({
  order_ids: Type.Array(OrderId, { minItems: 1, maxItems: 50 }),
  /** `finish` makes the transaction; `verify` and `redeem` read it. */
  transaction: TransactionPayload,
})
export type SolverCosigned = Static<typeof SolverCosigned>

/** A worker thread of each party needs about 200 ms to sign this many. */
export const MAX_REFUNDS_AT_ONCE = 20

/**
 * POST /orders/{order_id}/instant-refund names source deposits to refund to the user before the timelock ends, each in a separate payment.
 * Once the solver has answered, it never initiates the destination. The ability is instant refund.
 */
export const SolverInstantRefundRequest = Type.Object({
  refunds: Type.Array(
    Type.Object({
      deposit: Type.String({ maxLength: 128 }),
      amount: Amount,
      to: Type.String({ maxLength: 128 }),
      pays: Type.String({ ...AMOUNT, description: 'the amount less the network fee' }),
    }),
    { minItems: 1, maxItems: MAX_REFUNDS_AT_ONCE },
  ),
  /** If the service holds the user's key, `begin` makes the offer and `answer` reads it. It is null if the user signs alone. */
  offer: Type.Union([RefundOfferPayload, Type.Null()]),
})
export type SolverInstantRefundRequest = Static<typeof SolverInstantRefundRequest>

/** The redeemer of the source signs all refunds. An offer is answered by `answer` for `finish`; without one, `sign` signs for `combine`. */
export const SolverInstantRefund = Type.Object({
  solver_id: SolverId,
  answer: RefundAnswerPayload,
})
export type SolverInstantRefund = Static<typeof SolverInstantRefund>

/** GET /liquidity shows the solver's balances, and the part that is not reserved for funded orders. */
export const SolverLiquidity = Type.Object({
  solver_id: SolverId,
  holdings: Type.Array(
    Type.Object({
      asset: Type.String({ maxLength: 200 }),
      address: Type.String({ maxLength: 200 }),
      balance: Type.String({ pattern: '^[0-9]{1,78}$' }),
      available: Type.String({ pattern: '^[0-9]{1,78}$', description: 'not reserved for funded orders' }),
      listing: Type.Optional(Type.String({ pattern: '^[0-9a-f]{32}$', description: 'the digest of what the solver means by this asset' })),
    }),
    { maxItems: 1000 },
  ),
})
export type SolverLiquidity = Static<typeof SolverLiquidity>

const ChainIds = (minItems: number) => Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { minItems, maxItems: 64 })

/** POST /changes hints on which chains something has happened. The solver reads the chains itself, and limits how often. */
export const SolverChangesRequest = Type.Object({ chains: ChainIds(1) })
export type SolverChangesRequest = Static<typeof SolverChangesRequest>
export const SolverChangesAnswer = Type.Object({
  solver_id: SolverId,
  needless: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
      maxItems: 64,
      description:
        'those of the chains whose nodes tell the solver of new blocks: it ignores hints about them, and need not get any for 10 s',
    }),
  ),
})
export type SolverChangesAnswer = Static<typeof SolverChangesAnswer>

/**
 * GET /changes?after=N hints in the other direction. The answer comes when something has happened since number N, or after 20 s. `except`
 * lists chains, with commas between them, for which the service needs no hints.
 */
export const SolverChangesQuery = Type.Object({
  after: Type.String({ pattern: '^[0-9]{1,15}$' }),
  except: Type.Optional(Type.String({ maxLength: 64 * 65 })),
})
export const SolverChanges = Type.Object({ solver_id: SolverId, next: Type.Integer({ minimum: 0 }), chains: ChainIds(0) })
export type SolverChanges = Static<typeof SolverChanges>

export const SolverHealth = Type.Object({
  solver_id: SolverId,
  overloaded: Type.Optional(Type.Boolean({ description: 'it takes no new orders at the moment' })),
  problem: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'why it takes none, if the reason is not load: for the operator of the service',
    }),
  ),
  keys: Type.Optional(
    Type.Record(Type.String({ minLength: 1, maxLength: 64 }), Identity, {
      maxProperties: 64,
      description:
        'by chain, where parties of an HTLC are public keys: the key with which the solver takes part in new ones. Users need it to find deposits without the service',
    }),
  ),
})
export type SolverHealth = Static<typeof SolverHealth>

/** Any answer that is not 200 has this body. `code` is one of the product's error codes. */
export const SolverRefusal = Type.Object({
  code: Type.String({ description: 'for programs' }),
  message: Type.String({ description: 'for people' }),
  retry_after: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 60, description: 'seconds until new quotes and orders may be accepted again' }),
  ),
  price_now: Type.Optional(
    Type.String({
      pattern: '^[0-9]{1,78}$',
      description: 'of a `conflict`: another order was made with the quote, and this is what the order would get now',
    }),
  ),
})
export type SolverRefusal = Static<typeof SolverRefusal>
