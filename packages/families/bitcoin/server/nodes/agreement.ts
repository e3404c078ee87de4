/** Decides between the answers of Bitcoin nodes by quorum. `size` is the quorum. We assume that fewer nodes than that lie. */
import { bytesToHex } from '@noble/hashes/utils.js'
import type { Rule } from '@tandem/chain-kit/providers/quorum.ts'
import { byDecision, kthNumber, listedByQuorum, settledKthNumber } from '@tandem/chain-kit/providers/rules.ts'
import type { FeeRate, ReplacedFee } from '../../terms/wallet/fees.ts'
import type { ParsedTransaction, TransactionOutput } from '../script/transaction.ts'
import type { Coin, OutputState, Place, Spender } from './backend.ts'

/** While a block propagates, the confirmations of honest nodes differ by one. */
const NORMAL_SPREAD = 1n

/**
 * Only transactions that a quorum shows are accepted: an invented spend would stop us from redeeming. Mempools differ, so we may miss a
 * real one until it is mined. Witnesses are compared too: they show the secret and distinguish a redeem from a refund.
 */
export const unconfirmedRule = listedByQuorum<ParsedTransaction>(
  ({ bytes }) => bytesToHex(bytes),
  ([transaction]) => transaction,
)

/**
 * The result is null if no quorum is reached. Then the transaction is rebroadcast, which does no harm.
 * A null from Core proves little: it does not find a mined transaction whose outputs are all spent.
 */
export const placeRule: Rule<Place | null> = byDecision((size) => ({
  decide(places) {
    const count = (place: Place | null) => places.filter((one) => one === place).length
    if (count('block') >= size) return 'block'
    if (count('block') + count('mempool') >= size) return 'mempool'
    return count(null) >= size ? null : undefined
  },
  otherwise: () => null,
}))

/** The output counts as unspent if no quorum is reached: nodes refuse a double spend anyway, but a redeem or refund that is not sent now may be too late. */
export const outputRule: Rule<OutputState> = byDecision((size) => {
  const depths = (states: readonly OutputState[]) => states.flatMap((one) => (one.state === 'unspent' ? [one.confirmations] : []))
  return {
    decide(states) {
      const unspent = depths(states)
      const confirmations = agreedDepth(unspent, size)
      if (confirmations !== undefined) return { state: 'unspent', confirmations }
      return states.length - unspent.length >= size ? { state: 'missing' } : undefined
    },
    // The chain itself refuses a refund that is too early.
    otherwise: (states) => ({
      state: 'unspent',
      confirmations: depths(states).reduce((deepest, one) => (one > deepest ? one : deepest), 0n),
    }),
  }
})

/** The result is null if no quorum is reached. If we believed an invented final spender, we would pay again from other coins. */
export const spenderRule: Rule<Spender | null> = byDecision((size) => ({
  decide(spenders) {
    const found = spenders.flatMap((one) => one ?? [])
    for (const { txid } of found) {
      const depths = found.filter((other) => other.txid === txid).map(({ confirmations }) => confirmations)
      const confirmations = agreedDepth(depths, size)
      if (confirmations !== undefined) return { txid, confirmations }
    }
    return spenders.length - found.length >= size ? null : undefined
  },
  otherwise: () => null,
}))

/** A null means that the node does not have the output. */
export function keyOfContent(content: TransactionOutput | null): string | null {
  return content === null ? null : `${content.amount} ${bytesToHex(content.script)}`
}

/** The result is null if no quorum is reached, as if the transaction were not in the mempool. */
export const unconfirmedFeeRule: Rule<ReplacedFee | null> = byDecision((size) => {
  const replacedFee = (fees: readonly (ReplacedFee | null)[], pick: typeof kthNumber) => {
    const known = fees.flatMap((one) => one ?? [])
    const fee = pick(
      known.map((one) => one.fee),
      size,
      'up',
    )
    const rate = pick(
      known.map((one) => one.rate),
      size,
      'up',
    )
    return fee === undefined || rate === undefined ? undefined : { fee, rate }
  }
  return {
    decide: (fees) => replacedFee(fees, settledKthNumber) ?? nullIfQuorum(fees, size),
    otherwise: (fees) => replacedFee(fees, kthNumber) ?? null,
  }
})

export const feeRateRule: Rule<FeeRate | null> = byDecision((size) => {
  const known = (rates: readonly (FeeRate | null)[]) => rates.flatMap((one) => one ?? [])
  return {
    decide: (rates) => settledKthNumber(known(rates), size, 'up') ?? nullIfQuorum(rates, size),
    otherwise: (rates) => kthNumber(known(rates), size, 'up') ?? null,
  }
})

/** A coin counts if a quorum lists it with the same amount. It is confirmed when a quorum says so. */
export const coinsRule = listedByQuorum<Coin>(
  ({ outpoint, amount }) => `${outpoint} ${amount}`,
  (alike, size) => ({ ...alike[0], isConfirmed: alike.filter(({ isConfirmed }) => isConfirmed).length >= size }),
)

/** The result is undefined if the answers are too few, or so few and so far apart that a liar could choose the result. */
function agreedDepth(depths: readonly bigint[], size: number): bigint | undefined {
  const sorted = depths.toSorted((a, b) => Number(b - a))
  const [highest = 0n, lowest = 0n] = [sorted[0], sorted.at(-1)]
  return sorted.length >= 2 * size - 1 || highest - lowest <= NORMAL_SPREAD ? sorted[size - 1] : undefined
}

function nullIfQuorum(answers: readonly unknown[], size: number): null | undefined {
  return answers.filter((one) => one === null).length >= size ? null : undefined
}
