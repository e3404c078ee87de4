/**
 * Pays from the signer's own P2WPKH coins: into an HTLC, or to an address of the operator.
 * A payment is never made twice, because a coin is spent once: at most one of several attempts that share a coin is ever mined. Therefore:
 * - A replacement spends all coins of the attempt that it replaces (and perhaps more).
 * - When attempts are dropped and cannot be rebroadcast (a reorg removed a coin of one), a new attempt spends at least one coin of every
 *   earlier attempt. An earlier attempt without such a coin is ignored only if it can never be mined: someone else's transaction spends
 *   one of its coins and is final. Otherwise a reorg may restore the missing coin, and the attempt could be mined: then this fails with an
 *   error.
 * - A cancel transaction pays nobody, so it does not count as an attempt. Like any transaction, it makes an earlier attempt impossible
 *   only once it is final.
 * - `assertExcludesAll` checks this for every attempt before it is recorded.
 * - Unconfirmed change is spent only if its transaction is the only one ever signed for those coins. Such a parent is not replaced
 *   afterwards (`mayReplace`): the child would be dropped with it. The child pays for a parent with a low fee (CPFP), and further fee
 *   bumps are children of the child.
 */
import { bytesToHex } from '@noble/hashes/utils.js'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { htlcOf } from '../../terms/htlc.ts'
import { scriptOfAddress, walletAddress } from '../../terms/script/address.ts'
import { type FeeRate, feeOf, type ReplacedFee, urgencyOf } from '../../terms/wallet/fees.ts'
import { type SpendableCoin, splitOutpoint } from '../../terms/wallet/sign.ts'
import { type Action, type BuildRequest, execute, higherFee, type Inspection, whoSpent } from '../execute.ts'
import type { Draft, Execution, HeldExecution, KnownAttempt } from '../execution.ts'
import type { Coin, Spender } from '../nodes/backend.ts'
import { classifyRejection } from '../nodes/rejection.ts'
import { type Outpoint, parseTransaction, type TransactionOutput } from '../script/transaction.ts'
import { bitcoinSigning } from '../signing.ts'
import { paysOnly } from './child-pays.ts'
import { planPayment } from './coin-selection.ts'
import { assertReplaces, hasWantedDescendant, splitAttempts, withAmounts } from './own-payments.ts'

export function initiateHtlc(execution: Execution, terms: HtlcTerms): Promise<string> {
  return payFromWallet(execution, { amount: terms.amount, script: htlcOf(terms, execution.network).script })
}

export async function payFromWallet(execution: Execution, output: TransactionOutput): Promise<string> {
  const { backend, network, outbox } = execution
  const address = walletAddress(outbox.key.publicKey, network)
  const changeScript = scriptOfAddress(address, network)
  const { payments, cancels } = splitAttempts(outbox, changeScript)

  async function build({ feeRate, replaced, live }: BuildRequest, held: HeldExecution): Promise<Draft> {
    const required = await withAmounts(backend, live === null ? await reusableCoins(held, payments, cancels) : live.slots)
    const coins = await freeCoins(held, address, changeScript)
    const plan = planPayment({
      output,
      changeScript,
      required,
      // BIP125 rule 2: a replacement must not bring in further unconfirmed coins.
      optional: replaced === null ? coins : coins.filter((coin) => coin.isConfirmed),
      feeRate,
      replaced,
      parentDebt: await parentDebts(held, [...required, ...coins.filter((coin) => !coin.isConfirmed)], feeRate),
      mayConsolidate: payments.length === 0 && hasTimeAndLowFees(held, feeRate),
      bounds: network,
    })
    await assertExcludesAll(held, plan.coins, payments)
    const signed = await bitcoinSigning.sign('walletPayment', held.signer, plan.coins, plan.outputs)
    return { signed, fee: plan.fee }
  }

  const action: Action = {
    attempts: payments,
    build,
    inspect: () => inspectCoins(execution, payments, cancels),
    restoreInputs: (attempt) => rebroadcastParents(execution, attempt),
    mayReplace: (live, others) => !hasWantedDescendant({ ...outbox, others }, live),
  }
  return execute(execution, action)
}

/** A node without a transaction index does not find a mined attempt whose outputs are all spent, but it sees that its coins are spent. */
async function inspectCoins(
  execution: Execution,
  payments: readonly KnownAttempt[],
  cancels: readonly KnownAttempt[],
): Promise<Inspection> {
  let conflict: ReplacedFee | null = null
  for (const outpoint of coinsSpentBy(payments)) {
    if ((await execution.backend.output(outpoint)).state === 'unspent') continue
    const spender = await whoSpent(execution, outpoint, payments)
    if (spender?.isOurs) return { kind: 'done', tx: spender.txid }
    if (!isUnconfirmedCancel(spender, cancels)) continue
    assertReplaces(execution.network)
    conflict = higherFee(conflict, await execution.backend.unconfirmedFee(spender.txid))
  }
  return conflict === null ? { kind: 'clear' } : { kind: 'conflict', replaced: conflict }
}

function isUnconfirmedCancel(spender: Spender | null, cancels: readonly KnownAttempt[]): spender is Spender {
  return spender !== null && spender.confirmations === 0n && cancels.some((cancel) => cancel.tx === spender.txid)
}

/** A parent of another action may have been dropped together with this attempt. */
async function rebroadcastParents({ backend, others }: Execution, attempt: KnownAttempt): Promise<boolean> {
  let isRestored = false
  for (const outpoint of attempt.slots) {
    const parent = others.find((other) => other.wanted && other.tx === splitOutpoint(outpoint).txid)
    if (parent === undefined) continue
    const result = await backend.broadcast(parent.raw)
    isRestored ||= result.accepted || classifyRejection(result.reason) === 'known'
  }
  return isRestored
}

/** These coins of earlier attempts are unspent, or spent only by an unconfirmed cancel that can be outbid. */
async function reusableCoins(
  execution: Execution,
  payments: readonly KnownAttempt[],
  cancels: readonly KnownAttempt[],
): Promise<readonly Outpoint[]> {
  const coins: Outpoint[] = []
  for (const outpoint of coinsSpentBy(payments)) {
    const isUnspent = (await execution.backend.output(outpoint)).state === 'unspent'
    if (isUnspent || isUnconfirmedCancel(await whoSpent(execution, outpoint, payments), cancels)) coins.push(outpoint)
  }
  return coins
}

function hasTimeAndLowFees({ chain, network, outbox }: Execution, feeRate: FeeRate): boolean {
  return feeRate <= network.fallbackFeeRate && !urgencyOf(outbox.secondsLeft, chain.feeBumpSeconds).isUrgent
}

/** No other wanted action uses these coins. Those of an unwanted action are free: spending them cancels it. */
async function freeCoins(held: HeldExecution, address: string, ownScript: Uint8Array): Promise<readonly Coin[]> {
  const claimed = new Set(held.others.flatMap((other) => (other.wanted ? other.slots : [])))
  const coins = await held.backend.coinsOf(address)
  return coins.filter((coin) => !claimed.has(coin.outpoint) && (coin.isConfirmed || isSafeChange(held, coin, ownScript)))
}

/**
 * Change is safe if a wanted transaction of ours made it that we never replaced. Change of a child that only pays for its parent is not
 * safe: the next fee bump replaces it.
 */
function isSafeChange({ outbox, others }: HeldExecution, coin: Coin, ownScript: Uint8Array): boolean {
  const parent = others.find((other) => other.tx === splitOutpoint(coin.outpoint).txid)
  if (parent === undefined || !parent.wanted || paysOnly(parseTransaction(parent.raw), bytesToHex(ownScript))) return false
  const siblings = [...others, ...outbox.attempts].filter((other) => other.slots.some((slot) => parent.slots.includes(slot)))
  return siblings.length === 1
}

/** A debt is the fee that the unconfirmed ancestors of a coin lack at the wanted rate. */
async function parentDebts(held: HeldExecution, coins: readonly SpendableCoin[], rate: FeeRate): Promise<(outpoint: Outpoint) => bigint> {
  const debts = new Map<Outpoint, bigint>()
  for (const { outpoint } of coins) debts.set(outpoint, await debtBehind(held, outpoint, rate))
  return (outpoint) => debts.get(outpoint) ?? 0n
}

async function debtBehind(held: HeldExecution, outpoint: Outpoint, rate: FeeRate): Promise<bigint> {
  const parent = held.others.find((other) => other.tx === splitOutpoint(outpoint).txid)
  if (parent === undefined) return 0n
  const transaction = parseTransaction(parent.raw)
  if ((await held.backend.placeOf(transaction)) !== 'mempool') return 0n
  let debt = rate > parent.feeRate ? feeOf(transaction.vsize, rate - parent.feeRate) : 0n
  for (const slot of parent.slots) debt += await debtBehind(held, slot, rate)
  return debt
}

/** This check enforces that we never pay twice: see the top of this file. */
async function assertExcludesAll(execution: Execution, coins: readonly SpendableCoin[], attempts: readonly KnownAttempt[]): Promise<void> {
  const { backend } = execution
  const spent = new Set(coins.map((coin) => coin.outpoint))
  for (const attempt of attempts) {
    if (attempt.slots.some((slot) => spent.has(slot)) || (await isDead(execution, attempt, attempts))) continue
    throw new ChainFailure(
      'would-fail',
      `the earlier attempt ${attempt.tx} could still be mined after a reorg; paying from other coins now could pay twice`,
    )
  }
  for (const { outpoint } of coins) {
    if (attempts.some((attempt) => attempt.slots.includes(outpoint))) continue
    if ((await backend.output(outpoint)).state === 'missing')
      throw new ChainFailure('unreachable', `the coin ${outpoint} has just been spent`)
  }
}

async function isDead(execution: Execution, attempt: KnownAttempt, attempts: readonly KnownAttempt[]): Promise<boolean> {
  for (const outpoint of attempt.slots) {
    const spender = await whoSpent(execution, outpoint, attempts)
    if (spender !== null && !spender.isOurs && spender.confirmations >= BigInt(execution.chain.finalityBlocks)) return true
  }
  return false
}

function coinsSpentBy(attempts: readonly KnownAttempt[]): ReadonlySet<Outpoint> {
  return new Set(attempts.toReversed().flatMap((attempt) => attempt.slots))
}
