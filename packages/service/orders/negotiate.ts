/** A solver is found for an order, and the terms that it adds are verified. */

import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { clientFor } from '@tandem/party/engine/facts.ts'
import { min } from '@tandem/protocol/bigint.ts'
import { requiredConfirmations } from '@tandem/protocol/confirmations.ts'
import { type ErrorCode, QuoteUsed, TandemError } from '@tandem/protocol/error.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { Leg, Order, Swap } from '@tandem/protocol/order.ts'
import { listingOf } from '@tandem/protocol/registry/listing-digest.ts'
import { minAfterSlippage } from '@tandem/protocol/slippage.ts'
import type { SolverOrderAcceptance, SolverOrderRequest } from '@tandem/protocol/wire/solver.ts'
import type { ServiceContext } from '../context.ts'
import { solversFor } from '../destination-gas/destination-gas.ts'
import type { GasRequest } from '../destination-gas/gas-request.ts'
import { opaque } from '../opaque.ts'
import { pairKey, relayedRefusal, runAuction } from '../quotes/auction.ts'
import { isWithinLimits } from '../quotes/pair.ts'
import { isWorthTooMuch } from '../quotes/prices.ts'
import type { IssuedQuote, OpenQuote } from '../quotes/quote-ids.ts'
import { SolverFailure } from '../solver-client.ts'
import type { Member } from '../solvers/member.ts'
import { type OfferKey, offerKey } from '../solvers/refused-offers.ts'
import type { OrderRequest, UserParty } from './request.ts'

export type Proposal = {
  readonly orderId: string
  readonly app: string
  readonly secretHash: string
  readonly createdAt: bigint
  readonly deadline: bigint
  readonly slippageBips: number
  readonly extraFeeBips: number
  readonly request: OrderRequest
  readonly quote: IssuedQuote | null
  readonly gas: GasRequest
  readonly users: Readonly<Record<Leg, UserParty>>
}

/** With more solvers the user would wait too long. */
const MAX_SOLVERS = 3
/** A solver has this time limit if another one can be asked after it. The last one has the time limit of its client. */
const EARLY_TIMEOUT_MS = 3_000
/** A quote about to expire may have expired for the solver: clocks differ, and the request takes a while. */
const EXPIRY_MARGIN_SECONDS = 5n

/** Solvers are asked by best price. The first that accepts with valid terms takes the order. */
export async function negotiate(context: ServiceContext, proposal: Proposal): Promise<Order> {
  const refusals: TandemError[] = []
  const chosen = await candidates(context, proposal)
  let isIncomplete = isOneLeftOut(context, proposal, chosen)
  for (const [index, candidate] of chosen.entries()) {
    const { member } = candidate
    try {
      return await offer(context, proposal, candidate, index + 1 < chosen.length ? EARLY_TIMEOUT_MS : undefined)
    } catch (error) {
      if (error instanceof TandemError) refusals.push(error)
      else if (error instanceof SolverFailure) {
        isIncomplete = true
        context.log.warn({ solver: member.id, order: proposal.orderId, err: error }, 'the solver failed: asking the next one')
      } else throw error
    }
  }
  throw relayedRefusal(refusals, isIncomplete) ?? noAnswer(chosen.length)
}

/** If solvers were asked, they failed, which is temporary. */
function noAnswer(asked: number): TandemError {
  return asked > 0
    ? new TandemError('chain_unavailable', 'no solver answers at the moment; try again')
    : new TandemError('no_quotes', 'no solver takes this order at the moment; ask for a new quote')
}

/** `bid` is the solver's open quote for this order, if this process knows one. */
type Candidate = { readonly member: Member; readonly bid: OpenQuote | null }

async function candidates(context: ServiceContext, proposal: Proposal): Promise<readonly Candidate[]> {
  const { pool, recentAuctions, now } = context
  const { solverId, pair, sourceAmount } = proposal.request
  const { source, destination } = pair
  const { extraFeeBips, app } = proposal
  const only = solversFor(context, proposal.gas)
  const mayTake = (id: string) => only?.includes(id) !== false
  const assertMayTake = (id: string) => {
    if (!mayTake(id)) throw new TandemError('bad_request', `destination_gas: solver ${id} takes no orders with it: leave one of them out`)
  }
  const members = pool.members.filter(({ id }) => mayTake(id))
  // An order with a quote belongs to the solver of the quote.
  if (proposal.quote !== null) {
    assertMayTake(proposal.quote.solverId)
    return [{ member: pool.named(proposal.quote.solverId), bid: proposal.quote }]
  }
  if (solverId === null && members.length < 2) return members.map((member) => ({ member, bid: null }))
  const question = {
    source,
    destination,
    exact: { leg: 'source', amount: sourceAmount },
    extraFeeBips,
    indicative: false,
    app,
    clientSecret: proposal.request.secretHash !== null,
    only,
  } as const
  const known = recentAuctions.find(question, sourceAmount, now())
  if (solverId !== null) {
    assertMayTake(solverId)
    const member = pool.named(solverId)
    return [{ member, bid: known?.find((bid) => bid.solverId === solverId) ?? null }]
  }
  const bids = known ?? (await runAuction(context, question)).bids
  const bidders = bids.flatMap((bid) => {
    const member = mayTake(bid.solverId) ? pool.find(bid.solverId) : null
    return member === null ? [] : [{ member, bid }]
  })
  // A solver without a price now may still honour an earlier quote, so it is asked last.
  const others = members.filter(({ id }) => !bids.some((bid) => bid.solverId === id)).map((member) => ({ member, bid: null }))
  const all = [...bidders, ...others]
  const sound = all.filter(({ member }) => isSound(member))
  return (sound.length > 0 ? sound : all).slice(0, MAX_SOLVERS)
}

/** Returns true if a solver that may serve the pair is left out because it fails now. A user who named a solver wants no other. */
function isOneLeftOut({ pool }: ServiceContext, { quote, request: { solverId, pair } }: Proposal, chosen: readonly Candidate[]): boolean {
  if (quote !== null || solverId !== null) return false
  const isAsked = (one: Member) => chosen.some(({ member }) => member === one)
  return pool.members.some((member) => !isAsked(member) && !isSound(member) && member.mayServe(pairKey(pair.source, pair.destination)))
}

function isSound(member: Member): boolean {
  const standing = member.standing()
  return standing === 'in' || standing === 'trial'
}

async function offer(context: ServiceContext, proposal: Proposal, { member, bid }: Candidate, limitMs?: number): Promise<Order> {
  member.orderOffered()
  try {
    const answer = await member.client.order(proposalToWire(context, proposal), limitMs)
    const order = await agree(context, proposal, member.id, answer)
    const { source, destination } = order
    await context.solverKeys.add(member.id, [
      [source.chain, source.terms.redeemer],
      [destination.chain, destination.terms.initiator],
    ])
    member.answered()
    if (bid === null || !isShort(order, bid, proposal.request)) member.orderTaken()
    else if (answer.below_quote === undefined) member.quoteBroken()
    // The solver's `below_quote` may be about this user only, like a `conflict`. If the quote was used before, the solver's claim is true.
    else if (!context.pool.isUsed(bid)) context.pool.recordShort(keyOf(proposal), member.id)
    if (bid !== null) context.pool.recordUse(bid)
    return order
  } catch (error) {
    if (error instanceof SolverFailure) {
      member.failed()
      // Good answers to quotes must not make up for this failure.
      member.quoteBroken()
    }
    if (error instanceof TandemError && bid !== null && bid.destinationAmount >= proposal.request.destinationAmount) {
      if (breaksQuote(error, bid, context.now())) member.quoteBroken()
      else if (!(error instanceof QuoteUsed && context.pool.isUsed(bid))) context.pool.recordRefusal(keyOf(proposal), member.id)
    }
    throw error
  }
}

/**
 * These refusals break a quote. Others are about this user or this moment: they count only if the solver refuses most of the users who then
 * fund the swap with another solver.
 */
const BREAKING_CODES: ReadonlySet<ErrorCode> = new Set(['insufficient_liquidity', 'price_moved', 'unsupported_pair', 'no_quotes'])

/** Returns true if the user accepts less than was quoted. An order without `quote_id` may ask for less; the solver then owes only that. */
function isShort({ destination }: Order, bid: OpenQuote, { destinationAmount: asked, acceptWorse, quoteId }: OrderRequest): boolean {
  const owed = acceptWorse || quoteId === null ? asked : bid.destinationAmount
  return asked <= bid.destinationAmount && destination.terms.amount < owed
}

/** Judges the refusal of an order that asks for no more than the solver quoted. Slippage does not count: a solver never owes more than it quoted. */
function breaksQuote(refusal: TandemError, bid: OpenQuote, now: bigint): boolean {
  if (!BREAKING_CODES.has(refusal.code) || refusal.retryAfterSeconds !== null || refusal instanceof QuoteUsed) return false
  return bid.expiresAt > now + EXPIRY_MARGIN_SECONDS
}

function keyOf({ request: { pair, sourceAmount }, users }: Proposal): OfferKey {
  return offerKey({ source: pair.source.id, destination: pair.destination.id }, users, sourceAmount)
}

function proposalToWire({ registry }: Pick<ServiceContext, 'registry'>, { request, ...proposal }: Proposal): SolverOrderRequest {
  return {
    order_id: proposal.orderId,
    secret_hash: proposal.secretHash,
    created_at: Number(proposal.createdAt),
    deadline: Number(proposal.deadline),
    slippage_bips: proposal.slippageBips,
    extra_fee_bips: proposal.extraFeeBips,
    ...(proposal.quote !== null && { quote_id: proposal.quote.quoteId }),
    ...(request.acceptWorse && { accept_worse: true }),
    source: {
      asset: request.pair.source.id,
      amount: request.sourceAmount.toString(),
      initiator: proposal.users.source.identity,
      listing: listingOf(registry, request.pair.source.id),
    },
    destination: {
      asset: request.pair.destination.id,
      amount: request.destinationAmount.toString(),
      redeemer: proposal.users.destination.identity,
      listing: listingOf(registry, request.pair.destination.id),
    },
    app: opaque('app', proposal.app),
    ...(request.sourceOwner !== null && { owner: opaque('owner', request.sourceOwner.name) }),
    client_secret: request.secretHash !== null,
  }
}

/** Throws `SolverFailure` if the solver's part of the terms violates the protocol. */
async function agree(context: ServiceContext, proposal: Proposal, solverId: string, answer: SolverOrderAcceptance): Promise<Order> {
  const { request, users, secretHash } = proposal
  const { pair } = request
  const amount = BigInt(answer.destination.amount)
  const minAmount = minAfterSlippage(request.destinationAmount, proposal.slippageBips)
  // A quoted amount passed the check of prices when it was quoted.
  const isQuoted = proposal.quote !== null && amount === proposal.quote.destinationAmount
  const isTooMuch =
    amount > request.destinationAmount &&
    (request.acceptWorse || (!isQuoted && isWorthTooMuch(context, pair, request.sourceAmount, amount)))
  if (amount < minAmount || isTooMuch || !isWithinLimits(pair.destination, amount))
    throw new SolverFailure(`solver ${solverId} offers ${amount}, asked for ${request.destinationAmount} and at least ${minAmount}`)
  const source: HtlcTerms = {
    asset: pair.source.id,
    initiator: users.source.identity,
    redeemer: answer.source.redeemer,
    amount: request.sourceAmount,
    secretHash,
    timelock: pair.sourceChain.timelocks.source,
  }
  const destination: HtlcTerms = {
    asset: pair.destination.id,
    initiator: answer.destination.initiator,
    redeemer: users.destination.identity,
    amount,
    secretHash,
    timelock: pair.destinationChain.timelocks.destination,
  }
  if (BigInt(answer.source.timelock) !== source.timelock || BigInt(answer.destination.timelock) !== destination.timelock)
    throw new SolverFailure(`solver ${solverId} states timelocks that are not those of the registry`)
  return {
    id: proposal.orderId,
    solverId,
    createdAt: proposal.createdAt,
    deadline: proposal.deadline,
    priceExpiresAt: min(BigInt(answer.price_expires_at), proposal.deadline),
    source: await completeSwap(context, proposal, 'source', source, source.redeemer),
    destination: await completeSwap(context, proposal, 'destination', destination, destination.initiator),
  }
}

async function completeSwap(context: ServiceContext, proposal: Proposal, leg: Leg, terms: HtlcTerms, named: string): Promise<Swap> {
  const { request, users } = proposal
  const user = users[leg]
  const chain = leg === 'source' ? request.pair.sourceChain : request.pair.destinationChain
  const client = clientFor(context.clients, chain.id)
  const solverIdentity = readSolverIdentity(client, named)
  if (user.clientKey || (leg === 'source' && user.privateKey === null)) assertNotSolver(user.identity, solverIdentity, `${leg}.owner`)
  // An honest solver would have declined the order.
  if (solverIdentity === user.identity) throw new SolverFailure(`the solver gave the user's identity on ${chain.id} as its own`)
  if (leg === 'source' && request.payer !== null) assertNotSolver(request.payer, solverIdentity, 'source.delegate')
  return {
    chain: chain.id,
    swapId: await computeSwapId(client, terms),
    terms,
    userAddress: user.address,
    orderKey: user.privateKey === null ? null : user.identity,
    payer: leg === 'source' ? request.payer : null,
    depositAddress: leg === 'source' && request.deposit ? depositAddressOf(client, terms, proposal.deadline) : null,
    clientKey: user.clientKey,
    agreedAmount: terms.amount,
    requiredConfirmations: requiredConfirmations(chain, request.pair[leg], terms.amount, leg),
    gas: leg === 'source' ? null : (proposal.gas?.amount ?? null),
    maxFee: leg === 'source' || user.clientKey ? null : await promisedFee(client, terms, proposal.quote),
  }
}

/** It is null where the HTLC itself is an address. */
function depositAddressOf({ prefund }: ChainClient, terms: HtlcTerms, deadline: bigint): string | null {
  return prefund?.addressOf?.({ terms, deadline }) ?? null
}

/** This is the fee of the quote, or without one the fee that a quote would name now. It is null where someone else pays the fee. */
async function promisedFee({ payoutFee }: ChainClient, { asset }: HtlcTerms, quote: IssuedQuote | null): Promise<bigint | null> {
  if (payoutFee === undefined) return null
  return quote === null ? payoutFee(asset) : quote.networkFee
}

function assertNotSolver(party: string, solverIdentity: string, field: string): void {
  if (party === solverIdentity)
    throw new TandemError('bad_request', `${field} ${party} is the solver, the other party of the swap: use an address of your own`)
}

/** The identity must be canonical: another notation gives another swap id, under which no watcher finds the HTLC. */
function readSolverIdentity(client: ChainClient, named: string): string {
  const canonical = usable(client, () => client.text.parseIdentity(named))
  if (canonical !== named) throw new SolverFailure(`the solver's identity on ${client.chain.id} is not in its canonical form`)
  return canonical
}

/** An error with `retryAfterSeconds` means that the worker threads are busy, which is not the solver's fault. */
async function computeSwapId(client: ChainClient, terms: HtlcTerms): Promise<string> {
  await client.prepare?.(terms).catch((error: unknown) => {
    if (error instanceof TandemError && error.retryAfterSeconds !== null) throw error
    throw unusable(client, error)
  })
  return usable(client, () => client.swapId(terms))
}

function usable(client: ChainClient, read: () => string): string {
  try {
    return read()
  } catch (error) {
    throw unusable(client, error)
  }
}

function unusable({ chain }: ChainClient, cause: unknown): SolverFailure {
  return new SolverFailure(`the solver's identity cannot be used on ${chain.id}`, { cause })
}
