/** Selects the coins that pay for an initiation, and its change. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { estimateVsize, WALLET_INPUT_VSIZE, WALLET_WITNESS } from '../../terms/script/weight.ts'
import {
  dustLimit,
  type FeeBounds,
  type FeeRate,
  feeCap,
  feeOf,
  MAX_RATE_FACTOR,
  type ReplacedFee,
  replacementFee,
  uneconomic,
} from '../../terms/wallet/fees.ts'
import type { SpendableCoin } from '../../terms/wallet/sign.ts'
import { byAmount, totalOf } from '../../terms/wallet/sign.ts'
import type { Coin } from '../nodes/backend.ts'
import type { TransactionOutput } from '../script/transaction.ts'

/** Anyone can send us any number of coins, so we consider only the largest. */
export const MAX_COINS = 200
/** A wallet with more mined coins than this consolidates a few of the smallest when it pays. */
const MANY_COINS = 20
const MAX_CONSOLIDATED = 5

export type PaymentRequest = {
  readonly output: TransactionOutput
  readonly changeScript: Uint8Array
  /** All these coins must be spent, so that this transaction excludes earlier ones. */
  readonly required: readonly SpendableCoin[]
  readonly optional: readonly Coin[]
  readonly feeRate: FeeRate
  readonly replaced: ReplacedFee | null
  /** A coin's unconfirmed parents lack this fee. The child pays it (CPFP). */
  readonly parentDebt: (outpoint: string) => bigint
  readonly mayConsolidate: boolean
  readonly bounds: FeeBounds
}

export type PaymentPlan = {
  readonly coins: readonly SpendableCoin[]
  readonly outputs: readonly TransactionOutput[]
  readonly fee: bigint
  readonly vsize: bigint
}

/**
 * The required coins pay alone if they suffice. Else the smallest single mined coin that suffices is added, which keeps large coins for
 * large swaps; else the largest mined coins, and unconfirmed change last.
 */
export function planPayment(request: PaymentRequest): PaymentPlan {
  const { mined, unmined } = usefulCoins(request)
  for (const extra of candidates(mined, unmined)) {
    const plan = fund(request, [...request.required, ...extra])
    if (plan === null) continue
    assertReasonable(request, plan.vsize, debtOf(request, plan.coins))
    if (plan.fee > feeCap(request.output.amount, plan.vsize, request.bounds))
      throw uneconomic('an initiation', request.output.amount, plan.fee)
    return consolidate(request, plan, mined)
  }
  const available = [...request.required, ...mined, ...unmined].reduce((sum, coin) => sum + coin.amount, 0n)
  throw new ChainFailure('would-fail', `insufficient funds: ${request.output.amount} and a fee cannot be paid from ${available}`)
}

/** These coins are worth more than they cost to spend. The smallest comes first. */
function usefulCoins({ required, optional, feeRate, parentDebt }: PaymentRequest) {
  const known = new Set(required.map((coin) => coin.outpoint))
  const inputFee = feeOf(WALLET_INPUT_VSIZE, feeRate)
  const coins = optional
    .filter(({ outpoint, amount }) => !known.has(outpoint) && amount > inputFee + parentDebt(outpoint))
    .sort(byAmount)
    .slice(-MAX_COINS)
  return { mined: coins.filter((coin) => coin.isConfirmed), unmined: coins.filter((coin) => !coin.isConfirmed) }
}

function* candidates(mined: readonly Coin[], unmined: readonly Coin[]): Generator<readonly Coin[]> {
  yield []
  for (const coin of mined) yield [coin]
  const run = [...mined.toReversed(), ...unmined.toReversed()]
  for (const index of run.keys()) yield run.slice(0, index + 1)
}

function consolidate(request: PaymentRequest, plan: PaymentPlan, mined: readonly Coin[]): PaymentPlan {
  if (!request.mayConsolidate || mined.length <= MANY_COINS) return plan
  const spare = mined.filter((coin) => !plan.coins.includes(coin)).slice(0, MAX_CONSOLIDATED)
  const larger = fund(request, [...plan.coins, ...spare])
  return larger === null || larger.fee > feeCap(request.output.amount, larger.vsize, request.bounds) ? plan : larger
}

/** An initiation may fail, so its fee bumps stay near the market rate. */
function assertReasonable({ feeRate, replaced, bounds }: PaymentRequest, vsize: bigint, debt: bigint): void {
  const fee = replacementFee(vsize, feeRate, replaced, bounds, debt)
  if (fee <= feeOf(vsize, feeRate * MAX_RATE_FACTOR) + debt) return
  throw new ChainFailure('would-fail', `a fee of ${fee} for ${vsize} vB is more than ${MAX_RATE_FACTOR} times the market rate`)
}

function fund(request: PaymentRequest, coins: readonly SpendableCoin[]): PaymentPlan | null {
  if (coins.length === 0) return null
  const { output, changeScript } = request
  const surplus = totalOf(coins) - output.amount
  const debt = debtOf(request, coins)
  const cost = (scripts: readonly Uint8Array[]) => {
    const vsize = estimateVsize(Array<readonly number[]>(coins.length).fill(WALLET_WITNESS), scripts)
    return { vsize, fee: replacementFee(vsize, request.feeRate, request.replaced, request.bounds, debt) }
  }
  const withChange = cost([output.script, changeScript])
  const change = surplus - withChange.fee
  if (change >= dustLimit(changeScript, request.bounds)) {
    return { coins, outputs: [output, { amount: change, script: changeScript }], fee: withChange.fee, vsize: withChange.vsize }
  }
  const withoutChange = cost([output.script])
  // The change would be dust, so it goes to the fee.
  return surplus >= withoutChange.fee ? { coins, outputs: [output], fee: surplus, vsize: withoutChange.vsize } : null
}

function debtOf({ parentDebt }: PaymentRequest, coins: readonly SpendableCoin[]): bigint {
  return coins.reduce((sum, coin) => sum + parentDebt(coin.outpoint), 0n)
}
