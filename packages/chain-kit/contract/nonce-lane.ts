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

/** `isCertain`: no transaction in flight counts. */
type Shortage = { readonly failure: ChainFailure; readonly isCertain: boolean }

/** An action that is alive broadcasts what it recorded sooner than this. */
const BROADCAST_SECONDS = 2n

export async function openNonceLane<T extends NonceTypes>(
  account: NonceAccount<T>,
  chain: Chain,
  outbox: Outbox,
  duty: Duty,
): Promise<Lane<T>> {
  type Signed = T['signed']
  /** `unmined`: all that may still be mined, also several at one nonce. */
  type Line = { readonly holders: Holders<Signed>; readonly unmined: readonly Signed[] }
  const { partsOf, suggestFees, isKnown } = account
  const urgent = outbox.secondsLeft !== null && outbox.secondsLeft < chain.feeBumpSeconds * 10n
  // A first attempt needs the balance too: asked in the same batch.
  const [own, nextNonce, balanceAtOpening] = await Promise.all([
    ownOf(account, outbox.attempts),
    account.nextNonce(),
    outbox.attempts.length === 0 ? account.balance() : null,
  ])
  let count = nextNonce
  /** Never read before `count`: what was mined between the two would not count at all. */
  let balance = balanceAtOpening
  /** Without the key; null before. */
  let holders: Holders<Signed> | null = null
  let abandoned: ReadonlySet<string> = new Set()

  const isLive = (attempt: Attempt) => account.isExpired === undefined || !account.isExpired(account.read(attempt))

  function holdersAmong(others: readonly OtherAttempt[]): Holders<Signed> {
    return holdersOf(account.read, count, own.filter(isLive), others.filter(isLive), abandoned)
  }

  async function readHolders(): Promise<Holders<Signed>> {
    const others = await outbox.readOthers({ fromNonce: count })
    const known = account.hidesUnmined ? null : isKnown
    abandoned = new Set()
    abandoned = await findAbandoned(known, chain, outbox.now, count, holdersAmong(others))
    holders = holdersAmong(others)
    return holders
  }

  // A first attempt has nothing to follow. It reads the others under the key, as it must anyway.
  const atOpening: Holders<Signed> = outbox.attempts.length === 0 ? new Map() : await readHolders()
  const mine = [...atOpening.values()].filter((holder) => holder.mine)
  let isPartlyAccepted = false
  const onPartlyAccepted = () => {
    isPartlyAccepted = true
  }

  /** Under the key: more attempts may have been recorded since the lane was opened. */
  async function lineNow(held: HeldKey): Promise<Line> {
    const others = await held.readOthers({ fromNonce: count })
    const unmined = [...others, ...own].filter((attempt) => nonceOf(attempt) >= count && isLive(attempt)).map(account.read)
    return { unmined, holders: holdersAmong(others) }
  }

  async function readAccount(): Promise<void> {
    const [next, held] = await Promise.all([account.nextNonce(), account.balance()])
    count = atLeast(next, count)
    balance = held
  }

  async function sign(held: HeldKey, unsigned: Unsigned<T>): Promise<Signed> {
    const attempt = account.sign(held.signer, unsigned)
    await held.record(attempt)
    const recorded = { ...attempt, at: outbox.now }
    own.push(recorded)
    return account.read(recorded)
  }

  /** Every node would refuse it, but only after it was recorded and shown. `kept`: what it must leave. */
  function shortageFor(unsigned: Unsigned<T>, line: Line, surchargeOf: SurchargeOf<T>, kept: bigint): Shortage | null {
    const costOf = (priced: Priced<T>) => account.highestCost(priced) + surchargeOf(priced.call)
    // What is obligatory does not wait for those behind it: they cannot be mined before it.
    const others = line.unmined.filter(({ nonce }) => (duty.isObligatory ? nonce < unsigned.nonce : nonce !== unsigned.nonce))
    const inFlight = costInFlight(others, (signed) => costOf({ call: signed.call, ...partsOf(signed) }))
    const failure = findShortage({ ...account, balance: balance ?? 0n }, { cost: costOf(unsigned), inFlight, kept })
    return failure && { failure, isCertain: inFlight === 0n }
  }

  /** What is optional leaves money for duties. */
  function keptAt(fees: T['fees'], cost: T['cost'], surcharge: bigint): bigint {
    if (duty.isObligatory || duty.isAlone === true) return 0n
    return REDEEMS_KEPT * (account.highestCost({ call: account.noop, cost: account.redeemCost(cost), fees }) + surcharge)
  }

  /** The same gas limit would be refused again. */
  function assertOtherCost(cost: T['cost'], refused: Refused<T> | null): void {
    if (refused?.why !== 'wrong-gas' || !account.isSameCost(partsOf(refused.signed).cost, cost)) return
    throw new ChainFailure('would-fail', `the node refuses the gas limit of the transaction at nonce ${refused.signed.nonce}`)
  }

  async function allocate(call: T['call'], cost: T['cost'], refused: Refused<T> | null, { mayShare }: Sharing): Promise<Allocated<T>> {
    assertOtherCost(cost, refused)
    if (refused?.why === 'nonce-used') count = atLeast(await account.nextNonce(), refused.signed.nonce + 1n)
    const [suggested, held, surchargeOf] = await Promise.all([
      suggestFees(),
      refused === null && balance !== null ? balance : account.balance(),
      account.surcharges(call),
    ])
    balance = held
    const kept = keptAt(suggested, cost, surchargeOf(call))
    const outbid = refused?.why === 'underpriced' ? refused.signed : null
    const allocateOnce = () =>
      outbox.withKey(async (key): Promise<Allocated<T> | Shortage | null> => {
        let line = await lineNow(key)
        // Whether nodes still know it is asked without the key.
        if (holders === null && mayBeAbandoned(chain, outbox.now, line.holders)) return null
        const same = refused === null ? findInLine(line.holders, call, mayShare) : null
        if (same !== null) return { signed: same, isNew: false }
        let nonce = outbid?.nonce ?? lowestFreeNonce(count, line.holders)
        if (outbid === null && line.holders.has(nonce)) {
          // Nobody wants the transaction at this nonce any more: perhaps because it was mined meanwhile.
          await readAccount()
          line = await lineNow(key)
          nonce = lowestFreeNonce(count, line.holders)
        }
        const inTheWay = outbid ?? line.holders.get(nonce)?.signed
        const isUrgent = urgent || outbid !== null
        const fees =
          inTheWay === undefined ? suggested : account.raiseFees(partsOf(inTheWay).fees, suggested, { ...duty, urgent: isUrgent })
        if (fees === null) throw feeCapReached(nonce)
        const unsigned = { call, cost, fees, nonce }
        return shortageFor(unsigned, line, surchargeOf, kept) ?? { signed: await sign(key, unsigned), isNew: true }
      })
    for (let isFresh = false; ; ) {
      const allocated = await allocateOnce()
      if (allocated === null) await readHolders()
      else if (!('failure' in allocated)) return allocated
      else if (allocated.isCertain || isFresh) throw allocated.failure
      else {
        // What was mined after we read the nonce counts twice.
        await readAccount()
        isFresh = true
      }
    }
  }

  async function replace(old: Signed, call: T['call'], cost: T['cost'], refused: Refused<T> | null): Promise<Signed> {
    if (refused?.why === 'nonce-used') throw nonceUsed(old.nonce)
    assertOtherCost(cost, refused)
    const last = refused?.signed ?? old
    const [suggested, held, surchargeOf] = await Promise.all([suggestFees(), account.balance(), account.surcharges(call)])
    balance = held
    const fees = account.raiseFees(partsOf(last).fees, suggested, { ...duty, urgent: urgent || last !== old })
    if (fees === null) throw feeCapReached(old.nonce)
    return outbox.withKey(async (key) => {
      const line = await lineNow(key)
      // Another action may have taken over the nonce of a transaction that it found abandoned.
      if (line.holders.get(old.nonce)?.mine !== true) throw nonceUsed(old.nonce)
      const unsigned = { call, cost, fees, nonce: old.nonce }
      // It may use what is kept for duties: they wait behind it.
      const shortage = shortageFor(unsigned, line, surchargeOf, 0n)
      if (shortage !== null) throw shortage.failure
      return sign(key, unsigned)
    })
  }

  /** A fee bump does not help while the chain makes no blocks. */
  async function hasChainMovedSince({ at }: Signed): Promise<boolean> {
    const tip = await account.newestBlock()
    return tip !== null && tip.time > at
  }

  /** The next nonce is another action's, which may have ended between the record and the broadcast. All behind it wait. */
  async function hurryNext(): Promise<void> {
    const next = holders?.get(count)
    if (next === undefined || next.mine || !next.wanted || outbox.now - next.signed.at < BROADCAST_SECONDS) return
    if (!(await isKnown(next.signed.tx))) await outbox.hurry(next.signed.tx)
  }

  async function follow(signed: Signed): Promise<Followed<T>> {
    const { cost, fees } = partsOf(signed)
    const isSent = !(await isKnown(signed.tx))
    if (isSent) {
      const verdict = await account.broadcast(signed, onPartlyAccepted)
      if (verdict === 'nonce-used') throw nonceUsed(signed.nonce)
      // Nodes that hide their mempool say "underpriced" for a transaction that they have already. The fee bump below still comes in time.
      const mayBeKnown = account.hidesUnmined && verdict === 'underpriced'
      if (verdict !== 'accepted' && !mayBeKnown)
        return { kind: 'replace', cost: verdict === 'wrong-gas' ? null : cost, refused: { signed, why: verdict }, isSent: false }
    }
    // Only the next nonce can be mined: a fee bump of a later one would be wasted.
    const waitsForBlock = signed.nonce === count
    if (!waitsForBlock) await hurryNext()
    // Also after a rebroadcast: a node that accepts it may not pass it on.
    const isOverdue = outbox.now - signed.at >= chain.feeBumpSeconds
    if (!waitsForBlock || !isOverdue || !(await hasChainMovedSince(signed))) return { kind: 'waits' }
    if (account.raiseFees(fees, await suggestFees(), { ...duty, urgent }) === null) return { kind: 'waits' }
    return { kind: 'replace', cost, refused: null, isSent }
  }

  /** The same call, if it will be mined before the next free nonce. */
  function findInLine(among: Holders<Signed>, call: T['call'], ofAnyAction: boolean): Signed | null {
    const candidates = [...among.values()].filter(isBefore(lowestFreeNonce(count, among)))
    return candidates.find((holder) => (holder.mine || ofAnyAction) && account.isSameCall(holder.signed.call, call))?.signed ?? null
  }

  return {
    pending: mine.filter(isBefore(lowestFreeNonce(count, atOpening))).map((holder) => holder.signed),
    unmined: async () => mine.map((holder) => holder.signed),
    findPending: async (call) => findInLine(holders ?? (await readHolders()), call, true),
    follow,
    broadcast: (signed) => account.broadcast(signed, onPartlyAccepted),
    isPartlyAccepted: () => isPartlyAccepted,
    allocate,
    replacement: { noop: account.noop, isNoop: account.isNoop, replace },
  }
}

/** Raising a fee signs the recorded call again: a row that somebody else wrote would choose what we sign. It counts for nothing. */
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
