/** POST /orders has this request, and GET /orders/{id} this order record. */
import { type Static, Type } from 'typebox'
import type { UsdPrice } from '../amount.ts'
import type { Chain } from '../chain.ts'
import { type NextActionName, nextActionMeanings, nextActionNames } from '../next-actions.ts'
import type { AffiliateFee, Leg } from '../order.ts'
import { type OrderState, orderStatuses } from '../state.ts'
import type { SwapState } from '../swap-state.ts'
import { type DepositRecord, depositToWire } from './deposit.ts'
import { type FormatInitiation, SwapRecord, swapToWire } from './swap.ts'

const AmountText = Type.String({ description: 'a positive integer in the smallest unit, as a decimal string' })
const AssetText = Type.String({ description: 'an asset as <chain>:<token>' })
const ADDRESS = 'an address on its chain, as a string'
const AddressText = Type.String({ maxLength: 128, description: ADDRESS })
const OptionalAddress = Type.Optional(Type.Union([AddressText, Type.Null()], { description: ADDRESS }))
/** The nonce is printable ASCII, because it is stored, compared and shown unchanged. */
const NonceText = Type.String({ pattern: '^[ -~]{1,128}$' })

/** Owners are addresses, or the client's own public keys where the chain supports them. Fields that are not listed are accepted and ignored; null means the same as leaving an optional field out. */
export const CreateOrderRequest = Type.Object(
  {
    source: Type.Object(
      {
        asset: AssetText,
        owner: OptionalAddress,
        amount: AmountText,
        /** This account pays and sends the initiation in the owner's place. */
        delegate: OptionalAddress,
      },
      { description: 'an object {asset, owner, amount, delegate}: what the user pays' },
    ),
    destination: Type.Object(
      { asset: AssetText, owner: AddressText, amount: AmountText },
      { description: 'an object {asset, owner, amount}: what the user gets' },
    ),
    slippage: Type.Optional(
      Type.Union([Type.Integer({ minimum: 0, maximum: 500 }), Type.Null()], { description: 'a whole number of bips from 0 to 500' }),
    ),
    nonce: Type.Optional(
      Type.Union([NonceText, Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), Type.Null()], {
        description: 'a whole number, or a string of 1 to 128 printable ASCII characters',
      }),
    ),
    solver_id: Type.Optional(Type.Union([Type.String(), Type.Null()], { description: 'the id of a solver, as a string' })),
    quote_id: Type.Optional(
      Type.Union([Type.String({ maxLength: 1_000 }), Type.Null()], {
        description:
          'the quote_id of GET /quote: binds the order to this quote and its solver; refused if it has expired or is for another app, pair, source amount or fee',
      }),
    ),
    accept_worse: Type.Optional(
      Type.Union([Type.Boolean(), Type.Null()], {
        description:
          'true: pay destination.amount even if the quote, or without one the present price, is better; otherwise destination.amount is the minimum that you accept before slippage, and the better amount is paid',
      }),
    ),
    affiliate_fees: Type.Optional(
      Type.Union(
        [
          Type.Array(
            Type.Object({
              address: Type.String({ pattern: '^[!-~]{1,128}$', description: 'an address on the chain of the payout asset' }),
              fee: Type.Integer({ minimum: 0, description: 'a whole number of bips, 0 or more' }),
              asset: Type.Optional(Type.Union([AssetText, Type.Null()], { description: 'what the affiliate is paid in' })),
            }),
            { maxItems: 10 },
          ),
          Type.Null(),
        ],
        { description: 'at most 10 items {address, fee}, fee being a whole number of bips; with asset, what the affiliate is paid in' },
      ),
    ),
    deposit: Type.Optional(
      Type.Union([Type.Literal('address'), Type.Null()], {
        description:
          'address: the answer is an address and an amount, which any wallet or exchange may pay, in any number of transfers. The source owner then gets what is refunded or returned, and the service pays the network fee of the initiation',
      }),
    ),
    destination_gas: Type.Optional(
      Type.Union([Type.Boolean(), Type.Null()], {
        description:
          "true: the payout also gives the recipient some of the destination chain's coin, to pay for fees there. Its price is a fee of the order: ask for the quote with it too. Refused for a recipient that has as much, and where GET /chains shows no `destination_gas`",
      }),
    ),
    secret_hash: Type.Optional(
      Type.Union([Type.String({ maxLength: 66 }), Type.Null()], {
        description: 'the SHA-256 hash of a 32-byte secret that you keep: 32 bytes as hex, 64 characters, with or without 0x',
      }),
    ),
  },
  { title: 'CreateOrder' },
)
export type CreateOrderRequest = Static<typeof CreateOrderRequest>

const SignaturePart = Type.String({ maxLength: 200, description: 'a part of a signature, as a string of at most 200 characters' })
const Signature = Type.Union([Type.String({ maxLength: 20_000 }), Type.Array(SignaturePart, { minItems: 1, maxItems: 100 })], {
  description: 'a signature, as a string, or as an array of strings where wallets return its parts',
})
const Offer = Type.String({
  pattern: '^[a-z0-9-]{1,32}$',
  description: 'the `offer` of `signature_offers` that was signed; without it, `typed_data` was',
})
const Secret = Type.String({
  pattern: '^(0x)?[0-9a-fA-F]{64}$',
  writeOnly: true,
  description: 'the secret of secret_hash: 32 bytes as hex, 64 characters, with or without 0x',
})
const OrderToken = Type.Union([Type.String(), Type.Null()], { description: 'the order_token that POST /orders returned' })
const Signatures = Type.Array(
  Type.String({ maxLength: 20_000, description: 'a signature, as a string, in the form of the source chain' }),
  {
    maxItems: 100,
    description: 'an array of signatures, one for each hash of GET /orders/{id}/instant-refund-hash: a single signature is not enough',
  },
)

/** `signature` is a proof by the current address. */
const refundFields = { address: OptionalAddress, order_token: Type.Optional(OrderToken), signature: Type.Optional(Signature) }

/** The `action` of PATCH /orders/{id} decides which body is expected. */
export const patchBodies = {
  initiate: Type.Object({ signature: Signature, offer: Type.Optional(Offer) }, { title: 'Initiate', description: 'action=initiate' }),
  redeem: Type.Object({ secret: Secret }, { title: 'Redeem', description: 'action=redeem' }),
  refund: Type.Object(refundFields, { title: 'Refund', description: 'action=refund' }),
  'instant-refund': Type.Object(
    { signatures: Type.Optional(Signatures), ...refundFields },
    { title: 'InstantRefund', description: 'action=instant-refund' },
  ),
}
export type PatchAction = keyof typeof patchBodies

/** One schema describes all bodies, so that an error names the field and not the variant. */
export const PatchOrderRequest = Type.Object({
  ...refundFields,
  offer: Type.Optional(Offer),
  secret: Type.Optional(Secret),
  signatures: Type.Optional(Signatures),
})
export type PatchOrderRequest = Static<typeof PatchOrderRequest>

export function signatureText({ signature }: PatchOrderRequest): string | undefined {
  return typeof signature === 'object' ? signature.join(',') : signature
}

/** The family reads the name of the offer from the text. No signature has a colon. */
export function initiationText(request: PatchOrderRequest): string | undefined {
  const signature = signatureText(request)
  return signature === undefined || request.offer === undefined ? signature : `${request.offer}:${signature}`
}

const NextAction = Type.Object(
  {
    who: Type.Enum(['user', 'solver', 'service'], { description: 'the party that acts next' }),
    what: Type.Enum([...nextActionNames], {
      description: Object.entries(nextActionMeanings)
        .map(([name, meaning]) => `${name}: ${meaning}`)
        .join('. '),
    }),
    by: Type.Union([Type.Integer(), Type.Null()], { description: 'unix seconds; null when there is no time limit' }),
    or: Type.Optional(
      Type.Enum(['instant-refund'], { description: 'another way that the user may choose instead: this action of PATCH /orders/{id}' }),
    ),
    why: Type.Optional(
      Type.String({
        description:
          'What blocks the order: deposits that do not add up to the amount; a relayed initiation that reverted, or would revert (remove the cause and repeat the PATCH, or send `initiate_transaction`); or a payout that reverts each time, which the service repeats with a growing backoff, and anyone may make by calling the contract.',
      }),
    ),
  },
  { title: 'NextAction' },
)

const AffiliateFeeRecord = Type.Object(
  {
    address: Type.String({ description: 'an address on the chain of the payout asset' }),
    asset: Type.String({ description: 'what the affiliate is paid in' }),
    fee: Type.Integer({ description: 'bips' }),
    amount: Type.String({ description: 'what the affiliate earns, in the smallest unit of `asset`' }),
  },
  { title: 'AffiliateFee' },
)

export const OrderRecord = Type.Object(
  {
    created_at: Type.String({ description: 'ISO 8601' }),
    source_swap: SwapRecord,
    destination_swap: SwapRecord,
    nonce: Type.String({ description: 'as given in POST /orders, or chosen by the service' }),
    order_id: Type.String({ description: '64 hex characters' }),
    affiliate_fees: Type.Array(AffiliateFeeRecord, { description: 'who else earns, fixed at the prices of the order' }),
    version: Type.Literal('v3', { description: 'the version of this record' }),
    solver_id: Type.String({ description: 'the solver that pays the destination' }),
    integrator: Type.String({ description: 'the name of the app that made the order' }),
    deadline: Type.Integer({ description: 'unix seconds: the source must be mined before' }),
    price_expires_at: Type.Integer({
      description: 'unix seconds: for a source mined later the solver may check the price again, and decline',
    }),
    status: Type.Enum([...orderStatuses], { description: 'derived from both chains; see docs/lifecycle.md' }),
    next_action: Type.Union([NextAction, Type.Null()], { description: 'who does what next; null when nothing is left to do' }),
  },
  { title: 'Order' },
)
export type OrderRecord = Static<typeof OrderRecord>

export type OrderFactsToShow = {
  readonly state: OrderState
  readonly chains: Readonly<Record<Leg, Chain>>
  readonly formatInitiation: Readonly<Record<Leg, FormatInitiation>>
  readonly feeFromAmount: Readonly<Record<Leg, boolean>>
  readonly assetPrices: Readonly<Record<Leg, UsdPrice>>
  readonly createdAt: Date
  readonly nonce: string
  readonly app: string
  readonly affiliateFees: readonly AffiliateFee[]
  readonly offeringGas: ReadonlySet<string>
  readonly nextAction: {
    readonly who: 'user' | 'solver' | 'service'
    readonly what: NextActionName
    readonly by: bigint | null
    readonly or?: 'instant-refund'
    readonly why?: string
  } | null
}

export function orderToWire(facts: OrderFactsToShow): OrderRecord {
  const { state, nextAction } = facts
  const instantRefundTx = state.grants.find((grant) => grant.kind === 'instant-refund')?.transaction ?? null
  const swap = (leg: Leg) =>
    swapToWire({
      leg,
      swap: state.order[leg],
      state: shownSwap(state, leg),
      formatInitiation: facts.formatInitiation[leg],
      feeFromAmount: facts.feeFromAmount[leg],
      assetPrice: facts.assetPrices[leg],
      createdAt: facts.createdAt,
      secret: state.secret,
      instantRefundTx: leg === 'source' ? instantRefundTx : null,
      offeringGas: facts.offeringGas,
      deposits: leg === 'source' ? depositsToWire(facts) : null,
      arrived: leg === 'source' ? state.prefund : 0n,
    })
  return {
    created_at: facts.createdAt.toISOString(),
    source_swap: swap('source'),
    destination_swap: swap('destination'),
    nonce: facts.nonce,
    order_id: state.order.id,
    affiliate_fees: facts.affiliateFees.map((fee) => ({ address: fee.address, asset: fee.asset, fee: fee.feeBips, amount: fee.amount })),
    version: 'v3',
    solver_id: state.order.solverId,
    integrator: facts.app,
    deadline: Number(state.order.deadline),
    price_expires_at: Number(state.order.priceExpiresAt),
    status: state.status,
    next_action: nextAction === null ? null : { ...nextAction, by: nextAction.by === null ? null : Number(nextAction.by) },
  }
}

/**
 * A destination deposit answers a source deposit, so it is hidden while no source deposit is known. The two chains are polled separately, so this lasts for one
 * poll. A spent deposit is always shown.
 */
function shownSwap({ source, destination }: OrderState, leg: Leg): SwapState {
  if (leg === 'source') return source
  if (source.deposits.length > 0 || destination.deposits.some(({ spend }) => spend !== null)) return destination
  return { ...destination, phase: 'waiting', deposits: [], counted: [], filledAmount: 0n, confirmations: 0n }
}

function depositsToWire({ state, chains }: OrderFactsToShow): readonly DepositRecord[] | null {
  if (chains.source.deposits.kind === 'exact') return null
  const required = BigInt(state.order.source.requiredConfirmations)
  return state.source.deposits.map((deposit) => depositToWire(state, deposit, required))
}
