/**
 * A lock pays a stranger, so the signer reads itself, by quorum, what it is paid with. Of the solver it takes only where to look. The same lock again is a fee
 * bump, which needs no reading: the journal has it.
 */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { PublicKeyring } from '@tandem/keys/keyring.ts'
import type { SourceHint } from '@tandem/keys/purpose.ts'
import { createWatchedSwaps } from '@tandem/party/engine/watched-swaps.ts'
import type { PriceFeed } from '@tandem/party/prices/feed.ts'
import { usdMicros } from '@tandem/protocol/amount.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { requiredConfirmations } from '@tandem/protocol/confirmations.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import { ageSeconds, minUnitsLeft, smallDepositsOf } from '@tandem/protocol/state.ts'
import { type Deposit, deriveSwap, isFinal, type SwapState, type Tip } from '@tandem/protocol/swap-state.ts'
import { maxSeconds, minSeconds, timelockGapSeconds } from '@tandem/protocol/timelock.ts'
import type { LockEntry, TermsEntry } from '../journal/entries.ts'
import type { History, Limits } from '../journal/history.ts'
import type { AskedAction } from '../wire/question.ts'
import { type Decision, Refusal, type Request } from './request.ts'

export type LockContext = {
  readonly registry: Registry
  readonly clients: ReadonlyMap<ChainId, ChainClient>
  readonly keys: PublicKeyring
  readonly prices: Pick<PriceFeed, 'find'>
  readonly history: Pick<History, 'isLocked' | 'isOverOpen'>
  readonly limits: Limits
  /** A payment may be worth this much more than what it is paid with. */
  readonly toleranceBips: bigint
  /** Asks the nodes which open locks are settled. */
  settle(): Promise<void>
  readonly now: () => bigint
}

const BIPS = 10_000n
/** A block that is final takes this many times its usual time at most. Until then a payment counts as unfinal. */
const FINALITY_SLACK = 3n

export async function readLock(context: LockContext, action: AskedAction, request: Request): Promise<Decision> {
  const { leg, terms, paidBy } = action
  const { chain, client } = servedBy(context, request.asked.chain)
  if (leg !== 'destination') throw new Refusal('only a destination is paid for')
  if (paidBy === undefined) throw new Refusal('it does not say what it is paid with')
  const source = servedBy(context, paidBy.chain)
  assertOurs(context, { chain, client }, source, action, paidBy)
  // An address of a chain with coins takes any amount, so the id alone does not say what is locked.
  const swap = `${terms.amount} ${terms.asset} in ${client.swapId(terms)}`
  const deposits = paidBy.deposits.map(({ id }) => id)
  const entryOf = (paid: Paid): LockEntry => ({
    kind: 'lock',
    ...request.asked,
    fee: request.fee,
    asset: terms.asset,
    swap,
    secret_hash: terms.secretHash,
    source: source.chain.id,
    deposits,
    worth: paid.worth.toString(),
    terms: termsEntry(terms),
    source_terms: termsEntry(paidBy.terms),
    unfinal_until: paid.unfinalUntil,
    source_ends: paid.sourceEnds,
    ends: paid.ends,
    transaction: request.transaction,
    repeat_until: paid.repeatUntil,
    used_up: request.locksOnce ? null : [...request.usedUp],
  })
  const paid = context.history.isLocked(terms.secretHash, swap)
    ? { worth: 0n, unfinalUntil: request.asked.at, sourceEnds: request.asked.at, ends: request.asked.at, repeatUntil: request.asked.at }
    : await readPaid(context, chain, source, action, paidBy)
  if (context.history.isOverOpen(paid.worth, context.limits)) await context.settle()
  return (history) => {
    const entry = entryOf(paid)
    const why = history.whyNotLock(entry, context.limits)
    if (why !== null) throw new Refusal(why)
    return entry
  }
}

type Served = { readonly chain: Chain; readonly client: ChainClient }
type Paid = {
  readonly worth: bigint
  readonly unfinalUntil: number
  readonly sourceEnds: number
  readonly ends: number
  readonly repeatUntil: number
}

function servedBy({ registry, clients }: LockContext, id: ChainId): Served {
  const client = clients.get(id)
  if (client === undefined) throw new Refusal(`${id} is not in the configuration of the signer`)
  return { chain: registry.chain(id), client }
}

/** Both legs are ours, and one secret opens them. The permit has compared the transaction with the terms of the destination. */
function assertOurs(
  { registry, keys }: LockContext,
  destination: Served,
  source: Served,
  { terms }: AskedAction,
  { terms: paid }: SourceHint,
): void {
  const ownOn = ({ client }: Served) => client.identityOf(keys.of(client))
  if (paid.redeemer !== ownOn(source)) throw new Refusal('its source does not pay us')
  if (terms.initiator !== ownOn(destination)) throw new Refusal('it would not be refunded to us')
  if (paid.secretHash !== terms.secretHash) throw new Refusal('the two sides have different secrets')
  for (const [{ asset }, { chain }] of [
    [terms, destination],
    [paid, source],
  ] as const)
    if (!registry.assetsOf(chain.id).some(({ id }) => id === asset)) throw new Refusal(`${asset} is not an asset of ${chain.id}`)
  if (terms.timelock <= 0n) throw new Refusal('it has no timelock')
}

async function readPaid(context: LockContext, chain: Chain, source: Served, { terms }: AskedAction, hint: SourceHint): Promise<Paid> {
  const { state, tip } = await readSource(context, source, hint)
  const now = context.now()
  const [unitsLeft, age] = [minUnitsLeft(state.counted), ageSeconds(tip, now)]
  const gap = timelockGapSeconds(source.chain, unitsLeft, chain, terms.timelock) - age
  if (gap <= 0n) throw new Refusal(`its source outlives it by ${gap} seconds only`)
  const collected = state.counted.reduce((sum, { amount }) => sum + amount, 0n)
  const pays = worthOf(context, terms.asset, terms.amount)
  // Rounded up by a millionth of a dollar, because the solver rounds its own check so.
  const worth = worthOf(context, hint.terms.asset, collected) + 1n
  if (pays * (BIPS - context.toleranceBips) > worth * BIPS)
    throw new Refusal(`it pays ${pays} millionths of a dollar for deposits worth ${worth}`)
  const isSettled = state.counted.every(({ block }) =>
    isFinal(block, { tip, heightsMaySkip: source.chain.heightsMaySkip, finalityBlocks: source.chain.finalityBlocks }),
  )
  const finalIn = (BigInt(source.chain.finalityBlocks) * source.chain.blockMs * FINALITY_SLACK) / 1000n
  return {
    worth: pays,
    ends: Number(now + maxSeconds(chain.clock, terms.timelock)),
    sourceEnds: Number(now + minSeconds(source.chain.clock, unitsLeft) - age),
    unfinalUntil: Number(isSettled ? now : now + finalIn),
    repeatUntil: Number(now + gap),
  }
}

type ReadSource = { readonly state: SwapState; readonly tip: Tip }

/** The deposits are there now, by exactly these terms, with the confirmations that their amount needs, and nothing has spent them. */
async function readSource({ registry }: LockContext, { chain, client }: Served, { terms, deposits }: SourceHint): Promise<ReadSource> {
  const ids = deposits.map(({ id }) => id)
  const watched = createWatchedSwaps([{ swapId: client.swapId(terms), terms, deposits: ids }])
  const heights = [...new Set(deposits.map(({ height }) => height))]
  const newest = await client.tip()
  if (heights.some((height) => height < 0n || height > newest.height))
    throw new Refusal('its source is said to be in a block that is not there')
  const [reading, finalHeight, ...events] = await Promise.all([
    client.readHtlc(terms, ids),
    client.finalHeight?.() ?? null,
    ...heights.map((height) => client.events(watched, height, height)),
  ])
  const tip: Tip = { ...newest, finalHeight }
  const needed = (amount: bigint) => requiredConfirmations(chain, registry.asset(terms.asset), amount, 'source')
  const state = deriveSwap(terms, events.flat(), {
    tip,
    clock: chain.clock,
    heightsMaySkip: chain.heightsMaySkip,
    requiredConfirmations: needed(terms.amount),
    finalityBlocks: chain.finalityBlocks,
    counting: chain.deposits.kind === 'exact' ? { kind: 'exact' } : { kind: 'agreed', deposits: ids },
    smallDeposits: smallDepositsOf(chain),
  })
  const isOpen = ({ id, amount }: Deposit) => reading.deposits.some((one) => one.id === id && one.state === 'open' && one.amount === amount)
  if (state.phase !== 'initiated') throw new Refusal(`its source is "${state.phase}", with ${state.confirmations} confirmations`)
  // Where anyone may send any amount, the terms can name a small one.
  const most = needed(state.filledAmount)
  if (state.confirmations < BigInt(most)) throw new Refusal(`its source has ${state.confirmations} of ${most} confirmations`)
  if (!state.counted.every(isOpen)) throw new Refusal('the money of its source is not there')
  // They are what the journal marks.
  if (!state.counted.every(({ id }) => ids.includes(id))) throw new Refusal('its source was paid by other deposits')
  return { state, tip }
}

function termsEntry({ asset, initiator, redeemer, amount, timelock }: HtlcTerms): TermsEntry {
  return { asset, initiator, redeemer, amount: amount.toString(), timelock: timelock.toString() }
}

function worthOf({ registry, prices }: LockContext, asset: AssetId, amount: bigint): bigint {
  const price = prices.find(asset)
  if (price === null) throw new Refusal(`the signer has no price of ${asset}`)
  return usdMicros(amount, registry.asset(asset).decimals, price)
}
