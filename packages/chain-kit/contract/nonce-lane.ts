/**
 * The lane of chains whose accounts have nonces: which unmined transaction holds which nonce, and how to take the next. Nonces are mined in order, so a
 * nonce that no transaction fills (a gap) blocks all later ones.
 */
import type { Chain } from '@tandem/protocol/chain.ts'
import { ChainFailure } from '../port/failure.ts'
import type { Attempt, HeldKey, OtherAttempt, Outbox } from '../port/outbox.ts'
import { costInFlight, findShortage, REDEEMS_KEPT } from './funds.ts'
import type { Allocated, Duty, Followed, Lane, Refused, Sharing } from './lane.ts'
import type { NonceAccount, NonceTypes, Priced, SurchargeOf, Unsigned } from './nonce-account.ts'
import { findAbandoned, type Holder, type Holders, holdersOf, lowestFreeNonce, mayBeAbandoned, type Numbered, nonceOf } from './nonces.ts'

/** An action that is alive broadcasts what it recorded sooner than this. */
const BROADCAST_SECONDS = 2n

/** The state grows while the action signs. */
type LaneState<T extends NonceTypes> = {
  readonly account: NonceAccount<T>
  readonly chain: Chain
  readonly outbox: Outbox
  readonly duty: Duty
  readonly isUrgent: boolean
  readonly own: Attempt[]
  count: bigint
  /** The balance is never read before `count`: a transaction mined between the two would not count at all. */
  balance: bigint | null
  /** Holders are read without the key, and null until then. */
  holders: Holders<T['signed']> | null
  abandoned: ReadonlySet<string>
  isPartlyAccepted: boolean
}

/** `unmined` has all that may still be mined, even several at one nonce. */
type Line<T extends NonceTypes> = { readonly holders: Holders<T['signed']>; readonly unmined: readonly T['signed'][] }

/** `isCertain` means that no transaction in flight contributes to the shortage. */
type Shortage = { readonly failure: ChainFailure; readonly isCertain: boolean }

type Wanted<T extends NonceTypes> = {
  readonly call: T['call']
  readonly cost: T['cost']
  readonly refused: Refused<T> | null
  readonly mayShare: boolean
  readonly suggested: T['fees']
  readonly surchargeOf: SurchargeOf<T>
  readonly kept: bigint
}

export async function openNonceLane<T extends NonceTypes>(
  account: NonceAccount<T>,
  chain: Chain,
  outbox: Outbox,
  duty: Duty,
): Promise<Lane<T>> {
  // A first attempt needs the balance too, so it is read in the same batch.
  const [own, count, balance] = await Promise.all([
    ownOf(account, outbox.attempts),
    account.nextNonce(),
    outbox.attempts.length === 0 ? account.balance() : null,
  ])
  const lane: LaneState<T> = {
    account,
    chain,
    outbox,
    duty,
    isUrgent: outbox.secondsLeft !== null && outbox.secondsLeft < chain.feeBumpSeconds * 10n,
    own,
    count,
    balance,
    holders: null,
    abandoned: new Set(),
    isPartlyAccepted: false,
  }
  // A first attempt has nothing to follow. It reads the others under the key, as it must anyway.
  const atOpening: Holders<T['signed']> = outbox.attempts.length === 0 ? new Map() : await readHolders(lane)
  const mine = [...atOpening.values()].filter((holder) => holder.mine)
  const firstGap = lowestFreeNonce(lane.count, atOpening)
  return {
    pending: mine.filter(isBefore(firstGap)).map((holder) => holder.signed),
    unmined: async () => mine.map((holder) => holder.signed),
    findPending: async (call) => findInLine(lane, lane.holders ?? (await readHolders(lane)), call, true),
    follow: (signed) => follow(lane, signed),
    broadcast: (signed) => broadcast(lane, signed),
    isPartlyAccepted: () => lane.isPartlyAccepted,
    allocate: (...wanted) => allocate(lane, ...wanted),
    replacement: { noop: account.noop, isNoop: account.isNoop, replace: (...wanted) => replace(lane, ...wanted) },
  }
}

function isLive<T extends NonceTypes>({ account }: LaneState<T>): (attempt: Attempt) => boolean {
  return (attempt) => account.isExpired === undefined || !account.isExpired(account.read(attempt))
}

function holdersAmong<T extends NonceTypes>(lane: LaneState<T>, others: readonly OtherAttempt[]): Holders<T['signed']> {
  const { account, count, own, abandoned } = lane
  return holdersOf(account.read, count, own.filter(isLive(lane)), others.filter(isLive(lane)), abandoned)
}

/** This runs without the key, and also asks the nodes which transactions they know. */
async function readHolders<T extends NonceTypes>(lane: LaneState<T>): Promise<Holders<T['signed']>> {
  const { account, chain, outbox, count } = lane
  const others = await outbox.readOthers({ fromNonce: count })
  const isKnown = account.hidesUnmined ? null : account.isKnown
  lane.abandoned = new Set()
  lane.abandoned = await findAbandoned(isKnown, chain, outbox.now, count, holdersAmong(lane, others))
  lane.holders = holdersAmong(lane, others)
  return lane.holders
}

/** This runs under the key, because more attempts may have been recorded since the lane was opened. */
async function lineNow<T extends NonceTypes>(lane: LaneState<T>, key: HeldKey): Promise<Line<T>> {
  const { account, count, own } = lane
  const others = await key.readOthers({ fromNonce: count })
  const unmined = [...others, ...own].filter((attempt) => nonceOf(attempt) >= count).filter(isLive(lane))
  return { unmined: unmined.map(account.read), holders: holdersAmong(lane, others) }
}

async function readAccount<T extends NonceTypes>(lane: LaneState<T>): Promise<void> {
  const [next, balance] = await Promise.all([lane.account.nextNonce(), lane.account.balance()])
  lane.count = atLeast(next, lane.count)
  lane.balance = balance
}

async function sign<T extends NonceTypes>(
  { account, outbox, own }: LaneState<T>,
  key: HeldKey,
  unsigned: Unsigned<T>,
): Promise<T['signed']> {
  const attempt = await account.sign(key.signer, unsigned)
  await key.record(attempt)
  const recorded = { ...attempt, at: outbox.now }
  own.push(recorded)
  return account.read(recorded)
}

/** Every node would refuse a transaction with this shortage, so we find it before the record. `kept` is the balance to leave. */
function shortageFor<T extends NonceTypes>(
  { account, duty, balance }: LaneState<T>,
  unsigned: Unsigned<T>,
  { unmined }: Line<T>,
  surchargeOf: SurchargeOf<T>,
  kept: bigint,
): Shortage | null {
  const costOf = (priced: Priced<T>) => account.highestCost(priced) + surchargeOf(priced.call)
  // An obligatory transaction ignores those behind it: they cannot be mined before it.
  const others = unmined.filter(({ nonce }) => (duty.isObligatory ? nonce < unsigned.nonce : nonce !== unsigned.nonce))
  const inFlight = costInFlight(others, (signed) => costOf({ call: signed.call, ...account.partsOf(signed) }))
  const failure = findShortage({ ...account, balance: balance ?? 0n }, { cost: costOf(unsigned), inFlight, kept })
  return failure && { failure, isCertain: inFlight === 0n }
}

/** Optional transactions leave money for obligatory ones. */
function keptAt<T extends NonceTypes>({ account, duty }: LaneState<T>, fees: T['fees'], cost: T['cost'], surcharge: bigint): bigint {
  if (duty.isObligatory || duty.isAlone === true) return 0n
  return REDEEMS_KEPT * (account.highestCost({ call: account.noop, cost: account.redeemCost(cost), fees }) + surcharge)
}

/** The same gas limit would be refused again. */
function assertOtherCost<T extends NonceTypes>({ account }: LaneState<T>, cost: T['cost'], refused: Refused<T> | null): void {
  if (refused?.why !== 'wrong-gas' || !account.isSameCost(account.partsOf(refused.signed).cost, cost)) return
  throw new ChainFailure('would-fail', `the node refuses the gas limit of the transaction at nonce ${refused.signed.nonce}`)
}

async function allocate<T extends NonceTypes>(
  lane: LaneState<T>,
  call: T['call'],
  cost: T['cost'],
  refused: Refused<T> | null,
  { mayShare }: Sharing,
): Promise<Allocated<T>> {
  const { account, outbox } = lane
  assertOtherCost(lane, cost, refused)
  if (refused?.why === 'nonce-used') lane.count = atLeast(await account.nextNonce(), refused.signed.nonce + 1n)
  const [suggested, balance, surchargeOf] = await Promise.all([
    account.suggestFees(),
    refused === null && lane.balance !== null ? lane.balance : account.balance(),
    account.surcharges(call),
  ])
  lane.balance = balance
  const kept = keptAt(lane, suggested, cost, surchargeOf(call))
  const wanted: Wanted<T> = { call, cost, refused, mayShare, suggested, surchargeOf, kept }
  for (let isFresh = false; ; ) {
    const allocated = await outbox.withKey((key) => allocateOnce(lane, key, wanted))
    if (allocated === null) await readHolders(lane)
    else if (!('failure' in allocated)) return allocated
    else if (allocated.isCertain || isFresh) throw allocated.failure
    else {
      // A transaction that was mined after we read the nonce was counted twice.
      await readAccount(lane)
      isFresh = true
    }
  }
}

/** Resolves to null if nodes must be asked first, without the key, whether they still know the transactions in line. */
async function allocateOnce<T extends NonceTypes>(
  lane: LaneState<T>,
  key: HeldKey,
  wanted: Wanted<T>,
): Promise<Allocated<T> | Shortage | null> {
  const { call, cost, refused, mayShare, surchargeOf, kept } = wanted
  const outbid = refused?.why === 'underpriced' ? refused.signed : null
  let line = await lineNow(lane, key)
  if (lane.holders === null && mayBeAbandoned(lane.chain, lane.outbox.now, line.holders)) return null
  const same = refused === null ? findInLine(lane, line.holders, call, mayShare) : null
  if (same !== null) return { signed: same, isNew: false }
  let nonce = outbid?.nonce ?? lowestFreeNonce(lane.count, line.holders)
  if (outbid === null && line.holders.has(nonce)) {
    // The transaction at this nonce is not wanted, perhaps because it was mined meanwhile.
    await readAccount(lane)
    line = await lineNow(lane, key)
    nonce = lowestFreeNonce(lane.count, line.holders)
  }
  const fees = feesAt(lane, nonce, outbid ?? line.holders.get(nonce)?.signed, wanted.suggested, outbid !== null)
  const unsigned = { call, cost, fees, nonce }
  return shortageFor(lane, unsigned, line, surchargeOf, kept) ?? { signed: await sign(lane, key, unsigned), isNew: true }
}

function feesAt<T extends NonceTypes>(
  { account, duty, isUrgent }: LaneState<T>,
  nonce: bigint,
  replaced: T['signed'] | undefined,
  suggested: T['fees'],
  isOutbid: boolean,
): T['fees'] {
  if (replaced === undefined) return suggested
  const fees = account.raiseFees(account.partsOf(replaced).fees, suggested, { ...duty, urgent: isUrgent || isOutbid })
  if (fees === null) throw feeCapReached(nonce)
  return fees
}

async function replace<T extends NonceTypes>(
  lane: LaneState<T>,
  old: T['signed'],
  call: T['call'],
  cost: T['cost'],
  refused: Refused<T> | null,
): Promise<T['signed']> {
  const { account, outbox } = lane
  if (refused?.why === 'nonce-used') throw nonceUsed(old.nonce)
  assertOtherCost(lane, cost, refused)
  const last = refused?.signed ?? old
  const [suggested, balance, surchargeOf] = await Promise.all([account.suggestFees(), account.balance(), account.surcharges(call)])
  lane.balance = balance
  const unsigned = { call, cost, fees: feesAt(lane, old.nonce, last, suggested, last !== old), nonce: old.nonce }
  return outbox.withKey(async (key) => {
    const line = await lineNow(lane, key)
    // Another action may have taken over the nonce of a transaction that it found abandoned.
    if (line.holders.get(old.nonce)?.mine !== true) throw nonceUsed(old.nonce)
    // It may use the money kept for obligatory transactions: they wait behind it.
    const shortage = shortageFor(lane, unsigned, line, surchargeOf, 0n)
    if (shortage !== null) throw shortage.failure
    return sign(lane, key, unsigned)
  })
}

function broadcast<T extends NonceTypes>(lane: LaneState<T>, signed: T['signed']): Promise<'accepted' | T['refusal']> {
  return lane.account.broadcast(signed, () => {
    lane.isPartlyAccepted = true
  })
}

async function follow<T extends NonceTypes>(lane: LaneState<T>, signed: T['signed']): Promise<Followed<T>> {
  const { account, chain, outbox, duty, isUrgent } = lane
  const { cost, fees } = account.partsOf(signed)
  const isSent = !(await account.isKnown(signed.tx))
  if (isSent) {
    const verdict = await broadcast(lane, signed)
    if (verdict === 'nonce-used') throw nonceUsed(signed.nonce)
    // Nodes that hide their mempool say "underpriced" for a transaction that they have already. The fee bump below still comes in time.
    const mayBeKnown = account.hidesUnmined && verdict === 'underpriced'
    if (verdict !== 'accepted' && !mayBeKnown)
      return { kind: 'replace', cost: verdict === 'wrong-gas' ? null : cost, refused: { signed, why: verdict }, isSent: false }
  }
  // Only the next nonce can be mined: a fee bump of a later one would be wasted.
  const isNext = signed.nonce === lane.count
  if (!isNext) await expediteNext(lane)
  // This applies after a rebroadcast too: a node that accepts a transaction may not pass it on.
  const isOverdue = outbox.now - signed.at >= chain.feeBumpSeconds
  if (!isNext || !isOverdue || !(await hasChainMovedSince(lane, signed))) return { kind: 'waits' }
  if (account.raiseFees(fees, await account.suggestFees(), { ...duty, urgent: isUrgent }) === null) return { kind: 'waits' }
  return { kind: 'replace', cost, refused: null, isSent }
}

/** A fee bump does not help while the chain makes no blocks. */
async function hasChainMovedSince<T extends NonceTypes>({ account }: LaneState<T>, { at }: T['signed']): Promise<boolean> {
  const tip = await account.newestBlock()
  return tip !== null && tip.time > at
}

/** The next nonce is another action's, which may have ended between the record and the broadcast. All behind it wait. */
async function expediteNext<T extends NonceTypes>({ account, outbox, holders, count }: LaneState<T>): Promise<void> {
  const next = holders?.get(count)
  if (next === undefined || next.mine || !next.wanted || outbox.now - next.signed.at < BROADCAST_SECONDS) return
  if (!(await account.isKnown(next.signed.tx))) await outbox.makeDue(next.signed.tx)
}

function findInLine<T extends NonceTypes>(
  { account, count }: LaneState<T>,
  among: Holders<T['signed']>,
  call: T['call'],
  ofAnyAction: boolean,
): T['signed'] | null {
  const candidates = [...among.values()].filter(isBefore(lowestFreeNonce(count, among)))
  return candidates.find((holder) => (holder.mine || ofAnyAction) && account.isSameCall(holder.signed.call, call))?.signed ?? null
}

/** Raising a fee signs the recorded call again. A row that somebody else wrote would choose what we sign, so it counts for nothing. */
async function ownOf<T extends NonceTypes>(account: NonceAccount<T>, attempts: readonly Attempt[]): Promise<Attempt[]> {
  const areOurs = await Promise.all(attempts.map((attempt) => account.isOurs(account.read(attempt))))
  return attempts.filter((_, index) => areOurs[index])
}

/** A nonce that nobody fills blocks all after it. */
function isBefore(firstGap: bigint): (holder: Holder<Numbered>) => boolean {
  return ({ wanted, signed }) => wanted && signed.nonce < firstGap
}

function nonceUsed(nonce: bigint): ChainFailure {
  return new ChainFailure('superseded', `nonce ${nonce} was used by another transaction`)
}

function feeCapReached(nonce: bigint): ChainFailure {
  return new ChainFailure('would-fail', `nonce ${nonce} is held by a transaction at our fee cap`)
}

function atLeast(value: bigint, minimum: bigint): bigint {
  return value > minimum ? value : minimum
}
