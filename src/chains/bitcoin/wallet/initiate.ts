/**
 * Initiates an HTLC by paying from the signer's own P2WPKH coins.
 *
 * Why this never pays twice. A coin is spent once, so of several attempts that all share a coin at most one is ever mined. Hence:
 * - An attempt that replaces a waiting one spends all coins of it (and perhaps more), so attempts form a chain in which each contains the one before.
 * - When attempts vanished and cannot be sent again (a reorg took away a coin that one of them spends), a new attempt spends at least
 *   one coin of every earlier attempt. An earlier attempt without such a coin is left out only if it can never be mined: someone else's
 *   transaction spent one of its coins and is final. Otherwise its missing coin may come back, and with it the attempt: then we wait and say so.
 * - What was signed to call the action back pays nobody, so it is no attempt to pay; but it may be what makes an earlier attempt
 *   impossible, and counts for that like anyone's transaction: only once it is final.
 * - `assertExcludesAll` checks this for every attempt before it is recorded, whichever way it was built.
 * - Unconfirmed change is spent only if its transaction is the only one ever signed for those coins, and such a parent is not replaced
 *   afterwards (`mayReplace`): the child would die with it. The child pays for a parent that pays too little instead (CPFP), and a parent
 *   that waits too long is raised by a further child behind it.
 */
import { bytesToHex } from '@noble/hashes/utils.js'
import type { HtlcTerms } from '../../../protocol/htlc.ts'
import { ChainFailure } from '../../port/failure.ts'
import type { Outbox } from '../../port/outbox.ts'
import { type Action, type BuildRequest, execute, higherBid, type Standing, whoSpent } from '../execute.ts'
import type { Draft, Execution, KnownAttempt } from '../execution.ts'
import { htlcOf } from '../htlc.ts'
import type { BitcoinBackend, Coin, Spender } from '../nodes/backend.ts'
import { classifyRejection } from '../nodes/rejection.ts'
import { scriptOfAddress, walletAddress } from '../script/address.ts'
import { type Outpoint, parseTransaction } from '../script/transaction.ts'
import { paysOnly } from './child-pays.ts'
import { planPayment } from './coin-selection.ts'
import { type FeeRate, feeOf, type Replaced, urgencyOf } from './fees.ts'
import { assertReplaces, hasWantedDescendant, splitAttempts, withAmounts } from './own-payments.ts'
import { type SpendableCoin, signWalletPayment, splitOutpoint } from './sign.ts'

export async function initiateHtlc(execution: Execution, terms: HtlcTerms): Promise<string> {
  const { backend, network, outbox } = execution
  const address = walletAddress(outbox.signer.publicKey, network)
  const changeScript = scriptOfAddress(address, network)
  const { payments, callbacks } = splitAttempts(outbox, changeScript)
  const output = { amount: terms.amount, script: htlcOf(terms, network).script }

  async function build({ feeRate, replaced, live }: BuildRequest): Promise<Draft> {
    const required = await withAmounts(backend, live === null ? await survivingCoins(execution, payments, callbacks) : live.slots)
    const coins = await freeCoins(backend, outbox, address, changeScript)
    const plan = planPayment({
      output,
      changeScript,
      required,
      // BIP125 rule 2: a replacement must not bring in further unconfirmed coins.
      optional: replaced === null ? coins : coins.filter((coin) => coin.isConfirmed),
      feeRate,
      replaced,
      parentDebt: await parentDebts(backend, outbox, [...required, ...coins.filter((coin) => !coin.isConfirmed)], feeRate),
      mayConsolidate: payments.length === 0 && isCalm(execution, feeRate),
      bounds: network,
    })
    await assertExcludesAll(execution, plan.coins, payments)
    const signed = signWalletPayment(outbox.signer, plan.coins, plan.outputs)
    return { signed, fee: plan.fee }
  }

  const action: Action = {
    attempts: payments,
    build,
    inspect: () => findStanding(execution, payments, callbacks),
    restoreInputs: (attempt) => resendParents(backend, outbox, attempt),
    mayReplace: (live) => !hasWantedDescendant(outbox, live),
  }
  return execute(execution, action)
}

/** An attempt whose outputs are all spent is invisible to a node without a transaction index, but it spent its coins. */
async function findStanding(
  execution: Execution,
  payments: readonly KnownAttempt[],
  callbacks: readonly KnownAttempt[],
): Promise<Standing> {
  let rival: Replaced | null = null
  for (const outpoint of coinsSpentBy(payments)) {
    if ((await execution.backend.output(outpoint)).state === 'unspent') continue
    const spender = await whoSpent(execution, outpoint, payments)
    if (spender?.isOurs) return { kind: 'done', tx: spender.txid }
    if (!isWaiting(spender, callbacks)) continue
    assertReplaces(execution.network)
    rival = higherBid(rival, await execution.backend.unconfirmedFee(spender.txid))
  }
  return rival === null ? { kind: 'clear' } : { kind: 'rival', replaced: rival }
}

function isWaiting(spender: Spender | null, callbacks: readonly KnownAttempt[]): spender is Spender {
  return spender !== null && spender.confirmations === 0n && callbacks.some((callback) => callback.tx === spender.txid)
}

/** A parent that we signed for another action may have been dropped together with this attempt. */
async function resendParents(backend: BitcoinBackend, outbox: Outbox, attempt: KnownAttempt): Promise<boolean> {
  let isRestored = false
  for (const outpoint of attempt.slots) {
    const parent = outbox.others.find((other) => other.wanted && other.tx === splitOutpoint(outpoint).txid)
    if (parent === undefined) continue
    const result = await backend.broadcast(parent.raw)
    isRestored ||= result.accepted || classifyRejection(result.reason) === 'known'
  }
  return isRestored
}

/** Of each earlier attempt the coins that are still there, if only by outbidding what was to call it back. */
async function survivingCoins(
  execution: Execution,
  payments: readonly KnownAttempt[],
  callbacks: readonly KnownAttempt[],
): Promise<readonly Outpoint[]> {
  const coins: Outpoint[] = []
  for (const outpoint of coinsSpentBy(payments)) {
    const isUnspent = (await execution.backend.output(outpoint)).state === 'unspent'
    if (isUnspent || isWaiting(await whoSpent(execution, outpoint, payments), callbacks)) coins.push(outpoint)
  }
  return coins
}

/** Nothing presses, and the fee is no more than what the network usually asks for. */
function isCalm({ chain, network, outbox }: Execution, feeRate: FeeRate): boolean {
  return feeRate <= network.fallbackFeeRate && !urgencyOf(outbox.secondsLeft, chain.feeBumpSeconds).isUrgent
}

/** What no other wanted action has a claim on. What an unwanted one spends is free: spending it makes sure that it is never mined. */
async function freeCoins(backend: BitcoinBackend, outbox: Outbox, address: string, home: Uint8Array): Promise<readonly Coin[]> {
  const claimed = new Set(outbox.others.flatMap((other) => (other.wanted ? other.slots : [])))
  const coins = await backend.coinsOf(address)
  return coins.filter((coin) => !claimed.has(coin.outpoint) && (coin.isConfirmed || isLastingChange(outbox, coin, home)))
}

/**
 * Change of our own transaction that is wanted and has never had a rival of our own making. What pays nobody but ourselves is there to pay
 * for its parent, and goes when that is raised again.
 */
function isLastingChange(outbox: Outbox, coin: Coin, home: Uint8Array): boolean {
  const parent = outbox.others.find((other) => other.tx === splitOutpoint(coin.outpoint).txid)
  if (parent === undefined || !parent.wanted || paysOnly(parseTransaction(parent.raw), bytesToHex(home))) return false
  const siblings = [...outbox.others, ...outbox.attempts].filter((other) => other.slots.some((slot) => parent.slots.includes(slot)))
  return siblings.length === 1
}

/** Per coin, what the unmined transactions of ours behind it lack to the wanted rate. */
async function parentDebts(
  backend: BitcoinBackend,
  outbox: Outbox,
  coins: readonly SpendableCoin[],
  rate: FeeRate,
): Promise<(outpoint: Outpoint) => bigint> {
  const debts = new Map<Outpoint, bigint>()
  for (const { outpoint } of coins) debts.set(outpoint, await debtBehind(backend, outbox, outpoint, rate))
  return (outpoint) => debts.get(outpoint) ?? 0n
}

async function debtBehind(backend: BitcoinBackend, outbox: Outbox, outpoint: Outpoint, rate: FeeRate): Promise<bigint> {
  const parent = outbox.others.find((other) => other.tx === splitOutpoint(outpoint).txid)
  if (parent === undefined) return 0n
  const transaction = parseTransaction(parent.raw)
  if ((await backend.placeOf(transaction)) !== 'mempool') return 0n
  let debt = rate > parent.feeRate ? feeOf(transaction.vsize, rate - parent.feeRate) : 0n
  for (const slot of parent.slots) debt += await debtBehind(backend, outbox, slot, rate)
  return debt
}

/** The rule that keeps us from paying twice: see the top of this file. */
async function assertExcludesAll(execution: Execution, coins: readonly SpendableCoin[], attempts: readonly KnownAttempt[]): Promise<void> {
  const { backend } = execution
  const spent = new Set(coins.map((coin) => coin.outpoint))
  for (const attempt of attempts) {
    if (attempt.slots.some((slot) => spent.has(slot)) || (await isDead(execution, attempt, attempts))) continue
    throw new ChainFailure(
      'would-fail',
      `the earlier attempt ${attempt.tx} could still be mined if its coins come back to the chain; paying from other coins now could pay twice`,
    )
  }
  for (const { outpoint } of coins) {
    if (attempts.some((attempt) => attempt.slots.includes(outpoint))) continue
    if ((await backend.output(outpoint)).state === 'missing')
      throw new ChainFailure('unreachable', `the coin ${outpoint} was spent while it was looked at`)
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
