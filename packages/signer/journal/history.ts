/** What was granted before, by the journal alone. Each answer says why something may not be granted, or is null. */
import { formatUsd } from '@tandem/protocol/amount.ts'
import type { ConsentEntry, Entry, GrantEntry, LockEntry, WithdrawalEntry } from './entries.ts'
import { createFeeBudgets, type FeeUse } from './fee-budgets.ts'
import { createOpenLocks, type OpenLock } from './open-locks.ts'

/** Worth is in millionths of a dollar. An absent limit of a chain does not apply. */
export type Limits = {
  readonly order: bigint
  readonly hour: bigint
  readonly open: bigint
  /** By chain; redeems and refunds have as much again. */
  readonly feesPerHour: bigint
  readonly chainHour: ReadonlyMap<string, bigint>
  /** By the chain of the source. */
  readonly unfinal: ReadonlyMap<string, bigint>
}

const HOUR = 3_600
const DAY = 86_400

type Lock = {
  readonly swap: string
  readonly worth: bigint
  readonly repeatUntil: number
  /** Each of its transactions uses up all of these, so only one is ever mined. Null where the chain refuses a second lock. */
  readonly pinned: ReadonlySet<string> | null
}

type Paid = {
  readonly at: number
  readonly chain: string
  readonly source: string
  readonly worth: bigint
  readonly unfinalUntil: number
}
/** Each transaction of a withdrawal uses up all that is pinned, so only one is ever mined. */
type Sent = { readonly at: number; readonly pays: string; readonly worth: bigint; pinned: ReadonlySet<string> }

export interface History {
  /** Takes up an entry that was written, in the order of the journal. */
  note(entry: Entry): void
  /** Returns why nothing that could be paid twice may be granted until the operator confirms. */
  whyHeld(): string | null
  isLocked(secretHash: string, swap: string): boolean
  /** These locks count as open. */
  openLocks(): readonly OpenLock[]
  /** One more lock of this worth would be refused, because too much is open. */
  isOverOpen(worth: bigint, limits: Limits): boolean
  whyNotFee(grant: GrantEntry, limits: Limits): string | null
  /** Returns those of these claims that contradict earlier ones. */
  contested(claims: readonly string[]): readonly string[]
  whyNotLock(lock: LockEntry, limits: Limits): string | null
  whyNotConsent(consent: ConsentEntry): string | null
  /** Returns when this withdrawal was first asked for, since one like it was granted last. */
  withdrawalSeenAt(pays: string): number | null
  /** The transaction excludes one that was granted for the same withdrawal. */
  replacesWithdrawal(pays: string, usedUp: readonly string[]): boolean
  isUsedApproval(id: string): boolean
  whyNotWithdraw(withdrawal: WithdrawalEntry, maxPerDay: bigint | null): string | null
}

export function paysOf({ chain, asset, recipient, amount }: Pick<WithdrawalEntry, 'chain' | 'asset' | 'recipient' | 'amount'>): string {
  return `${amount} ${asset} on ${chain} to ${recipient}`
}

export function createHistory(): History {
  const locks = new Map<string, Lock>()
  const lockedDeposits = new Set<string>()
  const refundedOrders = new Set<string>()
  const refundedDeposits = new Set<string>()
  const seenWithdrawals = new Map<string, number>()
  const approvals = new Set<string>()
  const open = createOpenLocks()
  const fees = createFeeBudgets()
  let paid: Paid[] = []
  let sent: Sent[] = []
  let held: string | null = null

  function noteLock(entry: LockEntry): void {
    const { at, chain, source, swap, worth } = entry
    const before = locks.get(entry.secret_hash)
    const used = entry.used_up === null ? null : new Set(entry.used_up)
    locks.set(entry.secret_hash, {
      swap,
      worth: before?.worth ?? BigInt(worth),
      repeatUntil: before?.repeatUntil ?? entry.repeat_until,
      pinned: before === undefined || used === null ? used : shared(before.pinned, used),
    })
    for (const deposit of entry.deposits) lockedDeposits.add(`${source} ${deposit}`)
    open.note(entry)
    if (before !== undefined) return
    paid = paid.filter(({ unfinalUntil, ...one }) => at < unfinalUntil || at - one.at < HOUR)
    paid.push({ at, chain, source, worth: BigInt(worth), unfinalUntil: entry.unfinal_until })
  }

  function findReplaced(pays: string, usedUp: readonly string[]): Sent | null {
    return sent.find((one) => one.pays === pays && shared(one.pinned, new Set(usedUp)).size > 0) ?? null
  }

  function note(entry: Entry): void {
    const use = feeUseOf(entry)
    if (use !== null) fees.note(use)
    if (entry.kind === 'lock') noteLock(entry)
    if (entry.kind === 'settled') open.settle(entry.secret_hash)
    if (entry.kind === 'consent') {
      if (entry.deposits === null) refundedOrders.add(entry.secret_hash)
      for (const deposit of entry.deposits ?? []) refundedDeposits.add(`${entry.chain} ${deposit}`)
    }
    if (entry.kind === 'withdrawal-seen' && !seenWithdrawals.has(paysOf(entry))) seenWithdrawals.set(paysOf(entry), entry.at)
    if (entry.kind === 'withdrawal') {
      const replaced = findReplaced(paysOf(entry), entry.used_up)
      if (replaced === null) {
        seenWithdrawals.delete(paysOf(entry))
        sent = sent.filter(({ at }) => entry.at - at < DAY)
        sent.push({ at: entry.at, pays: paysOf(entry), worth: BigInt(entry.worth), pinned: new Set(entry.used_up) })
      } else replaced.pinned = shared(replaced.pinned, new Set(entry.used_up))
      if (entry.approval !== null) approvals.add(entry.approval)
    }
    if (entry.kind === 'held') held = entry.why
    if (entry.kind === 'confirmed') held = null
  }

  function whyOverLimit({ at, chain, source, unfinal_until, ...lock }: LockEntry, limits: Limits): string | null {
    const worth = BigInt(lock.worth)
    const over = (name: string, limit: bigint | undefined, counts: (one: Paid) => boolean) =>
      limit === undefined
        ? null
        : overBy(
            name,
            limit,
            paid.filter(counts).reduce((sum, one) => sum + one.worth, 0n),
          )
    const overBy = (name: string, limit: bigint, before: bigint) => {
      if (before + worth <= limit) return null
      return `it is worth ${formatUsd(worth)} dollars, and ${name} allows ${formatUsd(limit)}, of which ${formatUsd(before)} are used`
    }
    const inHour = (one: Paid) => at - one.at < HOUR
    return (
      over('limits_usd.order', limits.order, () => false) ??
      over('limits_usd.hour', limits.hour, inHour) ??
      over(`limits_usd.chain_hour of ${chain}`, limits.chainHour.get(chain), (one) => inHour(one) && one.chain === chain) ??
      overBy('limits_usd.open', limits.open, open.worth()) ??
      over(
        `limits_usd.unfinal of ${source}`,
        at < unfinal_until ? limits.unfinal.get(source) : undefined,
        (one) => at < one.unfinalUntil && one.source === source,
      )
    )
  }

  return {
    note,
    whyHeld: () => held,
    isLocked: (secretHash, swap) => locks.get(secretHash)?.swap === swap,
    openLocks: open.all,
    isOverOpen: (worth, limits) => open.worth() + worth > limits.open,
    whyNotFee(grant, limits) {
      const use = feeUseOf(grant)
      return use === null ? null : fees.whyNot(use, limits.feesPerHour, (secretHash) => locks.get(secretHash)?.worth ?? null)
    },
    contested: fees.contested,
    whyNotLock(entry, limits) {
      if (held !== null) return held
      if (refundedOrders.has(entry.secret_hash) || entry.deposits.some((one) => refundedDeposits.has(`${entry.source} ${one}`)))
        return 'a refund of its source is granted already'
      const before = locks.get(entry.secret_hash)
      if (before === undefined) {
        const other = entry.deposits.find((one) => lockedDeposits.has(`${entry.source} ${one}`))
        return other === undefined ? whyOverLimit(entry, limits) : `the deposit ${other} pays for another lock already`
      }
      if (before.swap !== entry.swap) return `another lock with its secret hash is granted: ${before.swap}`
      if (open.isSettled(entry.secret_hash) && open.worth() + before.worth > limits.open)
        return 'it was settled, and with it too much would be open: see limits_usd.open'
      if (entry.at >= before.repeatUntil) return 'it was granted before, and too little time is left now'
      if (entry.used_up === null && before.pinned === null) return null
      if (entry.used_up !== null && shared(before.pinned, new Set(entry.used_up)).size > 0) return null
      return 'it would pay a second time: it uses up nothing that the earlier transaction of this lock uses up'
    },
    whyNotConsent(entry) {
      if (held !== null) return held
      const locked = entry.deposits?.find((one) => lockedDeposits.has(`${entry.chain} ${one}`))
      if (locked !== undefined) return `the lock that the deposit ${locked} pays for is granted already`
      return entry.deposits === null && locks.has(entry.secret_hash) ? 'the lock of its order is granted already' : null
    },
    withdrawalSeenAt: (pays) => seenWithdrawals.get(pays) ?? null,
    isUsedApproval: (id) => approvals.has(id),
    replacesWithdrawal: (pays, usedUp) => findReplaced(pays, usedUp) !== null,
    whyNotWithdraw(entry, maxPerDay) {
      if (held !== null) return held
      if (entry.approval !== null && approvals.has(entry.approval)) return 'its approval was used before'
      if (maxPerDay === null || findReplaced(paysOf(entry), entry.used_up) !== null) return null
      const before = sent.filter(({ at }) => entry.at - at < DAY).reduce((sum, one) => sum + one.worth, 0n)
      if (before + BigInt(entry.worth) <= maxPerDay) return null
      return `it is worth ${formatUsd(BigInt(entry.worth))} dollars, and withdrawals.max_usd_per_day allows ${formatUsd(maxPerDay)}, of which ${formatUsd(before)} are used`
    },
  }
}

function feeUseOf(entry: Entry): FeeUse | null {
  if (!('fee' in entry) || entry.fee === null) return null
  return { at: entry.at, chain: entry.chain, fee: entry.fee, secretHashes: entry.kind === 'other' ? entry.secret_hashes : [] }
}

function shared(a: ReadonlySet<string> | null, b: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...(a ?? [])].filter((one) => b.has(one)))
}
