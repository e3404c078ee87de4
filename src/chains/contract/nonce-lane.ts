/**
 * The lane of chains whose accounts have nonces: which unmined transaction holds which nonce, and how to take the next. Nonces are mined in order, so a
 * nonce that no transaction fills (a gap) blocks all later ones.
 */
import type { Signer } from '../../keys/key.ts'
import type { Chain } from '../../protocol/chain.ts'
import { ChainFailure } from '../port/failure.ts'
import type { Attempt, HeldKey, Outbox } from '../port/outbox.ts'
import type { Allocated, ContractTypes, Duty, Followed, Lane, Refused, Sharing } from './lane.ts'
import { findAbandoned, type Holder, type Holders, holdersOf, lowestFreeNonce, mayBeAbandoned, type Numbered } from './nonces.ts'

export interface NonceTypes extends ContractTypes {
  readonly signed: ContractTypes['signed'] & Numbered
  readonly refusal: NonceRefusal
  readonly fees: unknown
}

/**
 * nonce-used    another transaction of this account was mined at its nonce
 * underpriced   the fee is too low for the next block, or to replace the transaction at this nonce
 * wrong-gas     the gas limit is below what the transaction takes at least, or above what a transaction may take
 */
export type NonceRefusal = 'nonce-used' | 'underpriced' | 'wrong-gas'

export type Unsigned<T extends NonceTypes> = Pick<T, 'call' | 'cost' | 'fees'> & { readonly nonce: bigint }

/** What the lane needs of a family, for one account. */
export interface NonceAccount<T extends NonceTypes> {
  readonly address: string
  /** For messages: what it pays fees with. */
  readonly coin: string
  /** A call that does nothing. */
  readonly noop: T['call']
  isNoop(call: T['call']): boolean
  isSameCall(a: T['call'], b: T['call']): boolean

  // Records.

  read(attempt: Attempt): T['signed']
  sign(signer: Signer, unsigned: Unsigned<T>): Omit<Attempt, 'at'>
  partsOf(signed: T['signed']): Pick<T, 'cost' | 'fees'>

  // Nodes.

  nextNonce(): Promise<bigint>
  balance(): Promise<bigint>
  /** A node has it, mined or not. */
  isKnown(tx: string): Promise<boolean>
  /** Nodes do not show unmined transactions: one that they do not know may still be pending. */
  readonly hidesUnmined: boolean
  newestBlock(): Promise<{ readonly time: bigint } | null>
  broadcast(signed: T['signed'], onPartlyAccepted: () => void): Promise<'accepted' | T['refusal']>

  // Fees.

  suggestFees(): Promise<T['fees']>
  /** As much higher as nodes require of a replacement, and not below `suggested`; null above our fee cap. */
  raiseFees(fees: T['fees'], suggested: T['fees'], options: Duty & { readonly urgent: boolean }): T['fees'] | null
  isSameCost(a: T['cost'], b: T['cost']): boolean
  /** What may be charged beside the gas. */
  surchargeOf(call: T['call']): Promise<bigint>
  /** The most that can leave the account, without the surcharge. */
  highestCost(unsigned: Omit<Unsigned<T>, 'nonce'>): bigint
}

/** An action that is alive broadcasts what it recorded sooner than this. */
const BROADCAST_SECONDS = 2n

export async function openNonceLane<T extends NonceTypes>(
  account: NonceAccount<T>,
  chain: Chain,
  outbox: Outbox,
  duty: Duty,
): Promise<Lane<T>> {
  type Signed = T['signed']
  const { partsOf, suggestFees, isKnown } = account
  const urgent = outbox.secondsLeft !== null && outbox.secondsLeft < chain.feeBumpSeconds * 10n
  const own: Attempt[] = [...outbox.attempts]
  // A first attempt needs the balance too: asked in the same batch.
  const [nextNonce, balanceAtOpening] = await Promise.all([account.nextNonce(), outbox.attempts.length === 0 ? account.balance() : null])
  let count = nextNonce
  /** Without the key; null before. */
  let holders: Holders<Signed> | null = null
  let abandoned: ReadonlySet<string> = new Set()

  async function readHolders(): Promise<Holders<Signed>> {
    const others = await outbox.readOthers({ fromNonce: count })
    const known = account.hidesUnmined ? null : isKnown
    abandoned = await findAbandoned(known, chain, outbox.now, count, holdersOf(account.read, count, own, others))
    holders = holdersOf(account.read, count, own, others, abandoned)
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
  const holdersNow = async (held: HeldKey) => holdersOf(account.read, count, own, await held.readOthers({ fromNonce: count }), abandoned)

  async function sign(held: HeldKey, unsigned: Unsigned<T>): Promise<Signed> {
    const attempt = account.sign(held.signer, unsigned)
    await held.record(attempt)
    const recorded = { ...attempt, at: outbox.now }
    own.push(recorded)
    return account.read(recorded)
  }

  /** Every node would refuse it, but only after it was recorded and shown. */
  function requireFunds(balance: bigint, cost: bigint): void {
    if (balance >= cost) return
    throw new ChainFailure('would-fail', `${account.address} holds ${balance} of ${account.coin}, needs ${cost} with all fees`)
  }

  /** The same gas limit would be refused again. */
  function assertOtherCost(cost: T['cost'], refused: Refused<T> | null): void {
    if (refused?.why !== 'wrong-gas' || !account.isSameCost(partsOf(refused.signed).cost, cost)) return
    throw new ChainFailure('would-fail', `the node refuses the gas limit of the transaction at nonce ${refused.signed.nonce}`)
  }

  async function allocate(call: T['call'], cost: T['cost'], refused: Refused<T> | null, { mayShare }: Sharing): Promise<Allocated<T>> {
    assertOtherCost(cost, refused)
    if (refused?.why === 'nonce-used') count = atLeast(await account.nextNonce(), refused.signed.nonce + 1n)
    const [suggested, balance, surcharge] = await Promise.all([
      suggestFees(),
      refused === null && balanceAtOpening !== null ? balanceAtOpening : account.balance(),
      account.surchargeOf(call),
    ])
    const outbid = refused?.why === 'underpriced' ? refused.signed : null
    const allocateOnce = () =>
      outbox.withKey(async (held): Promise<Allocated<T> | null> => {
        let current = await holdersNow(held)
        // Whether nodes still know it is asked without the key.
        if (holders === null && mayBeAbandoned(chain, outbox.now, current)) return null
        const same = refused === null ? findInLine(current, call, mayShare) : null
        if (same !== null) return { signed: same, isNew: false }
        let nonce = outbid?.nonce ?? lowestFreeNonce(count, current)
        if (outbid === null && current.has(nonce)) {
          // Nobody wants the transaction at this nonce any more: perhaps because it was mined meanwhile.
          count = atLeast(await account.nextNonce(), count)
          current = await holdersNow(held)
          nonce = lowestFreeNonce(count, current)
        }
        const inTheWay = outbid ?? current.get(nonce)?.signed
        const isUrgent = urgent || outbid !== null
        const fees =
          inTheWay === undefined ? suggested : account.raiseFees(partsOf(inTheWay).fees, suggested, { ...duty, urgent: isUrgent })
        if (fees === null) throw feeCapReached(nonce)
        requireFunds(balance, account.highestCost({ call, cost, fees }) + surcharge)
        return { signed: await sign(held, { call, cost, fees, nonce }), isNew: true }
      })
    for (;;) {
      const allocated = await allocateOnce()
      if (allocated !== null) return allocated
      await readHolders()
    }
  }

  async function replace(old: Signed, call: T['call'], cost: T['cost'], refused: Refused<T> | null): Promise<Signed> {
    if (refused?.why === 'nonce-used') throw nonceUsed(old.nonce)
    assertOtherCost(cost, refused)
    const last = refused?.signed ?? old
    const fees = account.raiseFees(partsOf(last).fees, await suggestFees(), { ...duty, urgent: urgent || last !== old })
    if (fees === null) throw feeCapReached(old.nonce)
    return outbox.withKey(async (held) => {
      // Another action may have taken over the nonce of a transaction that it found abandoned.
      if ((await holdersNow(held)).get(old.nonce)?.mine !== true) throw nonceUsed(old.nonce)
      return sign(held, { call, cost, fees, nonce: old.nonce })
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
