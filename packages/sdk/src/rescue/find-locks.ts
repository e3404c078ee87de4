/**
 * Finds the swaps of a phrase on chains with accounts by a node alone: no service, no file. A lock names the hash of its secret, and the phrase knows all of
 * those. The node's list is only a hint: a lock counts once the pinned contract, as the same node shows it, has these very terms.
 */

import type { ListedLock, Lock, Node, SdkFamily, Settled, SwapSide } from '@tandem/chain-kit/browser/family.ts'
import { sleep } from '@tandem/chain-kit/browser/sleep.ts'
import { VerificationError } from '@tandem/chain-kit/browser/verification-error.ts'
import { loadFamily } from '@tandem/families/browser.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { requiredConfirmations } from '@tandem/protocol/confirmations.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { Leg } from '@tandem/protocol/order.ts'
import { type Hex32, hashSecret } from '@tandem/protocol/secret.ts'
import { addressOn } from '../families/parse-address.ts'
import { nodeOf, now, type SwapContext } from '../swap/context.ts'
import type { RefundTime } from '../swap/refund-time.ts'
import { isInTime, refundableAt } from '../swap/time-left.ts'
import { chainNamed, pinnedAssetsOn } from '../verify/pinned.ts'

const GAP = 20
/** The search starts with this many indices. The blocks of a period show only some of them, so a gap does not end the search. */
const INDICES = 1_000
const DAYS = 30
const MAX_REQUESTS = 3_000
const DAY_SECONDS = 86_400n
/** Each lock costs some requests, and anybody can make locks with the hash of a secret that is on a chain. */
const MAX_LOCKS = 200
/** One index takes a millisecond or two. After each batch the page can do other work. */
const INDICES_PER_BATCH = 25

export type FindLocksOptions = {
  /** These chains are searched. The default is the chains of the option `nodes`. */
  readonly chains?: readonly string[]
  /** The user's own accounts by chain. Some chains list locks by account alone; on all others the account says which locks are the user's. */
  readonly addresses?: Readonly<Record<string, string>>
  /** Blocks are read back to this many days ago. The default is 30. */
  readonly days?: number
  /** The maximum of requests on one chain. The default is 3000. Locks in older blocks than they reach are not found: see `searched`. */
  readonly maxRequests?: number
  /** `part` is the part of this chain's blocks that was read, from 0 to 1. */
  readonly onProgress?: (progress: { readonly chain: string; readonly chainName: string; readonly part: number }) => void
  readonly signal?: AbortSignal
}

/** `source`: the user's payment, refunded to its initiator. `destination`: the solver's payment, redeemed with the secret, which then pays the solver. */
export type FoundLock = {
  readonly chain: string
  readonly asset: string
  readonly index: number
  readonly leg: Leg
  readonly terms: HtlcTerms
  /** The node names this transaction as the one that made the lock. It may be empty. */
  readonly tx: string
  /** Whether the user is the party that gets the money. Null means that no address of the user on this chain was named. */
  readonly isYours: boolean | null
  readonly state: 'open' | 'redeemed' | 'refunded'
  /** `wait`: a refund is possible later, or a payment lacks confirmations. `nothing`: it is settled, too late to redeem, or somebody else gets the money. */
  readonly can: 'redeem' | 'refund' | 'wait' | 'nothing'
  /** When the initiator of an open lock can take it back, in unix seconds. */
  readonly refundable: RefundTime | null
}

export type SearchedChain = {
  readonly chain: string
  readonly chainName: string
  /** Locks before this time, in unix seconds, were not searched. Null means that all were. */
  readonly since: number | null
  /** The chain lists locks by account, and none was named in `addresses`, so nothing was searched. */
  readonly needsAddress: boolean
  /** Why the search on this chain failed, or did not get to its end. */
  readonly problem: string | null
}

export type FoundLocks = { readonly locks: readonly FoundLock[]; readonly searched: readonly SearchedChain[] }

/** The newest index comes first. `searched` names a chain whose node fails. The others are searched nevertheless. */
export async function findLocks(context: SwapContext, options: FindLocksOptions = {}): Promise<FoundLocks> {
  if (context.keys.startAt === undefined)
    throw new Error('only keys of a rescue phrase can be searched for: give rescueKeys(phrase, storage) in the option keys')
  const { signal } = options
  const secrets = createSecrets(context, signal)
  const [locks, searched]: [FoundLock[], SearchedChain[]] = [[], []]
  for (const id of options.chains ?? Object.keys(context.options.nodes ?? {})) {
    const chain = chainNamed(id, context.options.registry)
    const family = await loadFamily(chain.family)
    if (family.findLocks === undefined) continue
    const needsAddress = family.listsLocksByAccount === true && options.addresses?.[id] === undefined
    const result = { chain: id, chainName: chain.displayName, since: null, needsAddress, problem: null }
    if (needsAddress) {
      searched.push(result)
      continue
    }
    try {
      const found = await findOn(context, chain, family, secrets, options)
      locks.push(...found.locks)
      const problem = found.isCut ? 'there is more than was read' : null
      searched.push({ ...result, since: found.since === null ? null : Number(found.since), problem })
    } catch (error) {
      signal?.throwIfAborted()
      searched.push({ ...result, problem: error instanceof Error ? error.message : String(error) })
    }
  }
  return { locks: locks.toSorted((a, b) => b.index - a.index), searched }
}

async function findOn(context: SwapContext, chain: Chain, family: SdkFamily, secrets: Secrets, options: FindLocksOptions) {
  const { addresses = {}, days = DAYS, maxRequests = MAX_REQUESTS, onProgress, signal } = options
  const asked = nodeOf(context, chain, signal)
  if (asked === null) throw new Error(`name a node of ${chain.id} in the option nodes`)
  const contracts = await pinnedAssetsOn(chain, context.options.deployments ?? {}, context.options.registry)
  if (chain.needsHtlcContract && contracts.length === 0)
    throw new Error(`the contracts of ${chain.id} are not known: name them in the option deployments`)
  const budget = { left: maxRequests }
  const node = counted(asked, budget)
  const own = addresses[chain.id]
  const account = own === undefined ? null : addressOn(family, chain, own)
  const search = {
    chain,
    contracts,
    accounts: account === null ? [] : [account],
    since: now() - BigInt(days) * DAY_SECONDS,
    budget,
    onProgress: (part: number) => onProgress?.({ chain: chain.id, chainName: chain.displayName, part }),
  }
  for (let indices = INDICES; ; indices += INDICES) {
    const known = await secrets.upTo(indices)
    const {
      locks,
      since,
      isCut = false,
    } = (await family.findLocks?.({ ...search, secretHashes: new Set(known.keys()) }, node)) ?? {
      locks: [],
      since: null,
    }
    const highest = Math.max(-1, ...locks.map(({ terms }) => known.get(terms.secretHash) ?? -1))
    // A user with this many swaps may have made more.
    if (highest + GAP >= indices && budget.left > 0) continue
    const found: FoundLock[] = []
    const listed = likelyFirst(distinct(locks), account)
    for (const one of listed.slice(0, MAX_LOCKS)) {
      const index = known.get(one.terms.secretHash)
      const lock = index === undefined ? null : await verified(sideOf(chain, one), { family, node, index, account })
      if (lock !== null) found.push(lock)
    }
    return { locks: found, since, isCut: isCut || listed.length > MAX_LOCKS }
  }
}

type Checked = { readonly family: SdkFamily; readonly node: Node; readonly index: number; readonly account: string | null }

/** The result is null if the contract has no such lock, whatever the node listed. */
async function verified(side: SwapSide, { family, node, index, account }: Checked): Promise<FoundLock | null> {
  const { chain, asset, leg, terms } = side
  const lock = await lockOrNull(family, side, node)
  const settled: Settled = lock === null ? ((await family.settledAs?.(side, node)) ?? 'none') : 'none'
  const state = lock !== null ? 'open' : settled === 'redeemed' || settled === 'refunded' ? settled : null
  if (state === null) return null
  return {
    chain: chain.id,
    asset: asset.id,
    index,
    leg,
    terms,
    tx: side.record.initiate_tx_hash,
    isYours: account === null ? null : isOf(account, side),
    state,
    // A refund would pay a stranger, and a redeem would show the user's secret for nothing.
    can: lock === null || (account !== null && !isOf(account, side)) ? 'nothing' : canDo(side, lock),
    refundable: lock === null ? null : refundableAt(chain, lock.unitsLeft),
  }
}

/** Whether this account gets the money. */
function isOf(account: string | null, { leg, terms }: Pick<SwapSide, 'leg' | 'terms'>): boolean {
  return (leg === 'source' ? terms.initiator : terms.redeemer) === account
}

/**
 * The user's own first, and the largest of each asset: to hide one of the user's behind others, a stranger has to lock as much as it many times, for the user
 * to take. Amounts of different assets cannot be compared, so the assets go round robin.
 */
function likelyFirst(locks: readonly ListedLock[], account: string | null): readonly ListedLock[] {
  const taken = new Map<string, number>()
  return locks
    .toSorted((a, b) => Number(isOf(account, b)) - Number(isOf(account, a)) || (a.terms.amount > b.terms.amount ? -1 : 1))
    .map((lock) => {
      const rank = taken.get(lock.asset.id) ?? 0
      taken.set(lock.asset.id, rank + 1)
      return { lock, rank, isOwn: isOf(account, lock) }
    })
    .toSorted((a, b) => Number(b.isOwn) - Number(a.isOwn) || a.rank - b.rank)
    .map(({ lock }) => lock)
}

/** A lock that is not as the node listed it counts as none: it must not hide the others. */
async function lockOrNull(family: SdkFamily, side: SwapSide, node: Node): Promise<Lock | null> {
  try {
    return await family.readLock(side, node)
  } catch (error) {
    if (error instanceof VerificationError) return null
    throw error
  }
}

function canDo({ chain, asset, leg, terms }: SwapSide, { confirmations, unitsLeft }: Lock): FoundLock['can'] {
  if (leg === 'source') return unitsLeft <= 0n ? 'refund' : 'wait'
  if (!isInTime(chain, unitsLeft)) return 'nothing'
  return confirmations >= requiredConfirmations(chain, asset, terms.amount, 'destination') ? 'redeem' : 'wait'
}

export function sideOf(chain: Chain, { asset, deployment, leg, terms, tx }: ListedLock): SwapSide {
  // There is no record of a service. Only the transaction of one is read here.
  const record = { initiate_tx_hash: tx, redeem_tx_hash: '' } as SwapSide['record']
  return { leg, chain, asset, deployment, terms, owner: null, record }
}

function distinct(locks: readonly ListedLock[]): readonly ListedLock[] {
  const key = ({ terms: { asset, initiator, redeemer, timelock, amount, secretHash } }: ListedLock) =>
    [asset, initiator, redeemer, timelock, amount, secretHash].join(' ')
  return [...new Map(locks.map((lock) => [key(lock), lock])).values()]
}

function counted(node: Node, budget: { left: number }): Node {
  const { fetch } = node
  return {
    ...node,
    fetch: (...given) => {
      budget.left -= 1
      return fetch(...given)
    },
  }
}

type Secrets = { upTo(indices: number): Promise<ReadonlyMap<Hex32, number>> }

function createSecrets({ keys }: SwapContext, signal?: AbortSignal): Secrets {
  const known = new Map<Hex32, number>()
  return {
    async upTo(indices) {
      for (let index = known.size; index < indices; index += 1) {
        known.set(hashSecret(await keys.secretFor(index)), index)
        if (index % INDICES_PER_BATCH === 0) await sleep(0, signal)
      }
      return known
    },
  }
}
