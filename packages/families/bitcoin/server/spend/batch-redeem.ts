/**
 * Spends deposits of any number of HTLCs in as few transactions as possible, each with one output.
 * Every deposit is handled, in any state of earlier attempts:
 * - Deposits that an unconfirmed transaction of ours spends stay with it. Its replacement spends all of them that are worth it. If it also
 *   spends deposits that are not requested here (of a batch), it is not replaced, and a child pays for it. Transactions that the same
 *   signer sent for other actions count as our own.
 * - Unspent deposits go into a new transaction, separate from the unconfirmed ones.
 * - Deposits that somebody else spends in unconfirmed transactions get a transaction of their own for each HTLC, which outbids those: the
 *   other deposits neither pay for that nor wait for it.
 * - Deposits that were spent or are not worth their own input are left out.
 */

import { bytesToHex } from '@noble/hashes/utils.js'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { inParallel } from '@tandem/chain-kit/providers/in-parallel.ts'
import { feeOf } from '../../terms/wallet/fees.ts'
import type { LeafInput } from '../../terms/wallet/sign.ts'
import { largestFirst } from '../../terms/wallet/sign.ts'
import { type Cosigned, readCosigned, sendCosigned } from '../cosign/send-cosigned.ts'
import { currentFeeRate, execute, knownAttempts, shareSlot } from '../execute.ts'
import type { Execution, KnownAttempt } from '../execution.ts'
import { type Outpoint, parseTransaction } from '../script/transaction.ts'
import { createSpend, type DepositState, depositState, type ReadDeposit, type Spend } from './spend-action.ts'
import { inputVsize, MAX_SPENT_AT_ONCE } from './spend-size.ts'

type LiveAttempt = KnownAttempt & { readonly place: 'mempool' | 'block' }
type Group = { readonly inputs: readonly LeafInput[]; readonly cosigned: Cosigned | null }

/** `cosigned` is a complete key path transaction, in hex. It is cheaper, so it is tried first. */
export async function spendInBatches(execution: Execution, spend: Spend, cosigned: string | null): Promise<string> {
  if (spend.inputs.length === 0) throw new ChainFailure('would-fail', `there is no deposit to ${spend.verb}`)
  const attempts = attemptsOn(execution, new Set(spend.inputs.map(({ outpoint }) => outpoint)))
  const live = await findAllLive(execution, attempts)
  const readDeposit = createDepositCache(execution, spend, attempts)
  const outcome = createOutcome()

  for (const waiting of live.filter(({ place }) => place === 'mempool')) {
    const inputs = spend.inputs.filter(({ outpoint }) => waiting.slots.includes(outpoint))
    const siblings = attempts.filter((attempt) => shareSlot(attempt, waiting))
    await outcome.of(() => execute(execution, createSpend(execution, { ...spend, inputs }, siblings, readDeposit)))
  }

  const uncovered = spend.inputs.filter(({ outpoint }) => !live.some(({ slots }) => slots.includes(outpoint)))
  const usable = attempts.filter((attempt) => !live.some((waiting) => shareSlot(attempt, waiting)))
  const left = uncovered.length === 0 ? [] : await choose(execution, spend, uncovered, readCosigned(cosigned))
  const states = await inParallel(left, readDeposit)
  const inState = (kind: DepositState['kind']) => left.filter((_, index) => states[index]?.kind === kind)
  for (const group of groupsOf(inState('free'), inState('conflict'), readCosigned(cosigned))) {
    const outpoints = new Set(group.inputs.map(({ outpoint }) => outpoint))
    const earlier = usable.filter(({ slots }) => slots.some((slot) => outpoints.has(slot)))
    await outcome.of(async () => {
      const tx = group.cosigned === null || earlier.length > 0 ? null : await sendCosigned(execution, group.cosigned, group.inputs)
      return tx ?? execute(execution, createSpend(execution, { ...spend, inputs: group.inputs }, earlier, readDeposit))
    })
  }
  for (const mined of live.filter(({ place }) => place === 'block')) await outcome.of(async () => mined.tx)
  for (const state of states) {
    if (state.kind === 'ours') await outcome.of(async () => state.tx)
    if (state.kind === 'unspendable') await outcome.of(() => Promise.reject(state.failure))
  }
  return outcome.transaction()
}

function createOutcome() {
  const transactions: string[] = []
  const failures: ChainFailure[] = []
  return {
    async of(send: () => Promise<string>): Promise<void> {
      try {
        transactions.push(await send())
      } catch (error) {
        if (!(error instanceof ChainFailure) || error.kind === 'unreachable') throw error
        failures.push(error)
      }
    },
    transaction(): string {
      const [tx] = transactions
      if (tx !== undefined) return tx
      throw failures[0] ?? new ChainFailure('uneconomic', 'uneconomic: every deposit costs more to spend than it is worth')
    },
  }
}

function createDepositCache(execution: Execution, { verb }: Spend, attempts: readonly KnownAttempt[]): ReadDeposit {
  const known = new Map<Outpoint, Promise<DepositState>>()
  return (input) => {
    const state = known.get(input.outpoint) ?? depositState(execution, verb, input, attempts)
    known.set(input.outpoint, state)
    return state
  }
}

/** Batches that this signer sent for other actions are included if they spend these deposits. The oldest comes first. */
function attemptsOn({ outbox, others }: Execution, outpoints: ReadonlySet<Outpoint>): readonly KnownAttempt[] {
  const isOn = ({ slots }: { readonly slots: readonly string[] }) => slots.some((slot) => outpoints.has(slot))
  const ofOthers = others.filter(isOn).map((other) => ({ ...other, transaction: parseTransaction(other.raw) }))
  return [...knownAttempts(outbox).filter(isOn), ...ofOthers].sort((a, b) => Number(a.at - b.at))
}

/** No two attempts spend the same deposit. The oldest comes first. */
async function findAllLive({ backend }: Execution, attempts: readonly KnownAttempt[]): Promise<readonly LiveAttempt[]> {
  const live: LiveAttempt[] = []
  for (const attempt of attempts.toReversed()) {
    if (live.some((other) => shareSlot(attempt, other))) continue
    const place = await backend.placeOf(attempt.transaction)
    if (place !== null) live.push({ ...attempt, place })
  }
  return live.toReversed()
}

/**
 * Only deposits that are worth spending now are chosen. A refund takes the largest, because anyone can send dust. A redeem takes all
 * deposits of an HTLC or none: in a batch, an HTLC that costs more than it brings waits for lower fees, unless it is co-signed.
 */
async function choose(
  execution: Execution,
  { verb }: Spend,
  inputs: readonly LeafInput[],
  cosigned: Cosigned | null,
): Promise<readonly LeafInput[]> {
  const htlcs = byHtlc(inputs)
  if (verb === 'redeem' && htlcs.length === 1) return inputs
  const rate = await currentFeeRate(execution)
  const isWorthIt = (deposits: readonly LeafInput[]) =>
    deposits.reduce((sum, input) => sum + input.amount - feeOf(inputVsize(input), rate), 0n) > 0n
  if (verb === 'redeem') {
    return htlcs.filter((deposits) => isWorthIt(deposits) || deposits.some(({ outpoint }) => cosigned?.outpoints.has(outpoint))).flat()
  }
  return inputs
    .filter((input) => isWorthIt([input]))
    .sort(largestFirst)
    .slice(0, MAX_SPENT_AT_ONCE)
}

/** The deposits of a group share a transaction. Those of the co-signed transaction are one group, if all of them are free. */
function groupsOf(free: readonly LeafInput[], contested: readonly LeafInput[], cosigned: Cosigned | null): readonly Group[] {
  const signed = free.filter(({ outpoint }) => cosigned?.outpoints.has(outpoint))
  const isUsable = cosigned !== null && signed.length === cosigned.outpoints.size
  const others = isUsable ? free.filter((input) => !signed.includes(input)) : free
  const chunks = Array.from({ length: Math.ceil(others.length / MAX_SPENT_AT_ONCE) }, (_, i) =>
    others.slice(i * MAX_SPENT_AT_ONCE, (i + 1) * MAX_SPENT_AT_ONCE),
  )
  const alone = [...chunks, ...byHtlc(contested)].map((inputs) => ({ inputs, cosigned: null }))
  return isUsable ? [{ inputs: signed, cosigned }, ...alone] : alone
}

function byHtlc(inputs: readonly LeafInput[]): readonly (readonly LeafInput[])[] {
  const groups = new Map<string, LeafInput[]>()
  for (const input of inputs) {
    const key = bytesToHex(input.script)
    groups.set(key, [...(groups.get(key) ?? []), input])
  }
  return [...groups.values()]
}
