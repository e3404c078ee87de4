/** Which coins pay for an initiation, and what change comes back. Pure. */
import { ChainFailure } from '../family.ts'
import type { Coin } from './backend.ts'
import { dustLimit, type FeeBounds, type FeeRate, feeOf, largestFee, type Replaced, replacementFee, uneconomic } from './fees.ts'
import type { SpendableCoin } from './sign.ts'
import type { TransactionOutput } from './transaction.ts'
import { estimateVsize, WALLET_WITNESS } from './weight.ts'

const MAX_RATE_FACTOR = 3n

export type PaymentRequest = {
  readonly output: TransactionOutput
  readonly changeScript: Uint8Array
  /** Must all be spent: they make this transaction exclude earlier ones. */
  readonly required: readonly SpendableCoin[]
  readonly optional: readonly Coin[]
  readonly feeRate: FeeRate
  readonly replaced: Replaced | null
  /** What unconfirmed parents of a coin pay too little, to be paid by the child (CPFP). */
  readonly parentDebt: (outpoint: string) => bigint
  readonly bounds: FeeBounds
}

export type PaymentPlan = {
  readonly coins: readonly SpendableCoin[]
  readonly outputs: readonly TransactionOutput[]
  readonly fee: bigint
  readonly vsize: bigint
}

/**
 * The required coins alone if they suffice; else with them the smallest single mined coin that does, which keeps large coins free
 * for large swaps; else the largest mined coins, and unconfirmed change only after those.
 */
export function planPayment(request: PaymentRequest): PaymentPlan {
  const required = new Set(request.required.map((coin) => coin.outpoint))
  const optional = request.optional.filter((coin) => !required.has(coin.outpoint))
  const mined = optional.filter((coin) => coin.isConfirmed).sort(byAmount)
  const unmined = optional.filter((coin) => !coin.isConfirmed).sort(byAmount)
  const run = [...mined.toReversed(), ...unmined.toReversed()]
  const candidates = [[], ...mined.map((coin) => [coin]), ...run.map((_, index) => run.slice(0, index + 1))]
  for (const extra of candidates) {
    const plan = fund(request, [...request.required, ...extra])
    if (plan === null) continue
    assertReasonable(request, plan.vsize, debtOf(request, plan.coins))
    if (plan.fee > largestFee(request.output.amount, plan.vsize, request.bounds))
      throw uneconomic('an initiation', request.output.amount, plan.fee)
    return plan
  }
  const available = [...request.required, ...optional].reduce((sum, coin) => sum + coin.amount, 0n)
  throw new ChainFailure('would-fail', `insufficient funds: ${request.output.amount} and a fee are to be paid from ${available}`)
}

/** An initiation may as well not happen, so it does not follow its own raises far away from what others pay. */
function assertReasonable({ feeRate, replaced, bounds }: PaymentRequest, vsize: bigint, debt: bigint): void {
  const fee = replacementFee(vsize, feeRate, replaced, bounds, debt)
  if (fee <= feeOf(vsize, feeRate * MAX_RATE_FACTOR) + debt) return
  throw new ChainFailure('would-fail', `a fee of ${fee} for ${vsize} vB is more than ${MAX_RATE_FACTOR} times what is usual now`)
}

function fund(request: PaymentRequest, coins: readonly SpendableCoin[]): PaymentPlan | null {
  if (coins.length === 0) return null
  const { output, changeScript } = request
  const surplus = coins.reduce((sum, coin) => sum + coin.amount, 0n) - output.amount
  const debt = debtOf(request, coins)
  const cost = (scripts: readonly Uint8Array[]) => {
    const vsize = estimateVsize(
      coins.map(() => WALLET_WITNESS),
      scripts,
    )
    return { vsize, fee: replacementFee(vsize, request.feeRate, request.replaced, request.bounds, debt) }
  }
  const withChange = cost([output.script, changeScript])
  const change = surplus - withChange.fee
  if (change >= dustLimit(changeScript, request.bounds)) {
    return { coins, outputs: [output, { amount: change, script: changeScript }], fee: withChange.fee, vsize: withChange.vsize }
  }
  const withoutChange = cost([output.script])
  // What is left is worth less than the output that would hold it.
  return surplus >= withoutChange.fee ? { coins, outputs: [output], fee: surplus, vsize: withoutChange.vsize } : null
}

function debtOf({ parentDebt }: PaymentRequest, coins: readonly SpendableCoin[]): bigint {
  return coins.reduce((sum, coin) => sum + parentDebt(coin.outpoint), 0n)
}

function byAmount(a: SpendableCoin, b: SpendableCoin): number {
  return a.amount < b.amount ? -1 : a.amount > b.amount ? 1 : 0
}
