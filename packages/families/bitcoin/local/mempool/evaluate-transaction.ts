// Decides whether a transaction may enter the mempool, in the order and words of Bitcoin Core.
import type { ChainState } from '../chain/chain-state.ts'
import { type Coin, checkInputs } from '../chain/coins.ts'
import type { BitcoinNetwork } from '../network.ts'
import { checkTransaction, isFinal, sequenceLocksMet } from '../transaction/check-transaction.ts'
import { sigopsCost } from '../transaction/sigops.ts'
import { isCoinbase, outpointKey, type Transaction } from '../transaction/transaction.ts'
import type { ScriptVerifier } from '../transaction/verify-scripts.ts'
import { familyRefusal } from './family-limits.ts'
import type { Mempool, MempoolEntry } from './mempool.ts'
import { replacedBy, replacementRefusal } from './replacement.ts'
import { inputsRefusal, transactionRefusal } from './standardness.ts'

const MAX_STANDARD_SIGOPS_COST = 16_000
const BYTES_PER_SIGOP = 20
export const MISSING_INPUTS = 'bad-txns-inputs-missingorspent'

export type MempoolContext = {
  readonly chain: ChainState
  readonly mempool: Mempool
  readonly network: BitcoinNetwork
  readonly verifier: ScriptVerifier
  readonly nowSeconds: () => number
  /** The rate is also the minimum increment of a replacement. */
  readonly minRelaySatsPerKvb: bigint
}

/** Bitcoin Core rounds up, too. */
function feeFor(vsize: number, satsPerKvb: bigint): bigint {
  return (satsPerKvb * BigInt(vsize) + 999n) / 1_000n
}

export type Evaluation =
  | { readonly refusal: string }
  | { readonly refusal: null; readonly entry: MempoolEntry; readonly replaced: ReadonlyMap<string, MempoolEntry> }

export function findCoin({ chain, mempool }: MempoolContext, txid: string, index: number): Coin | undefined {
  const confirmed = chain.coins.get(outpointKey(txid, index))
  if (confirmed !== undefined) return confirmed
  const output = mempool.get(txid)?.transaction.outputs[index]
  return output === undefined ? undefined : { ...output, height: chain.next().height, coinbase: false }
}

function presenceRefusal(context: MempoolContext, transaction: Transaction): string | null {
  const known = context.mempool.get(transaction.txid)
  if (known === undefined) return null
  return known.transaction.wtxid === transaction.wtxid ? 'txn-already-in-mempool' : 'txn-same-nonwitness-data-in-mempool'
}

/** On networks without RBF the first spend of a coin stays, whatever the second one pays. */
function conflictRefusal({ mempool, network }: MempoolContext, { inputs }: Transaction): string | null {
  if (network.relay.replaces) return null
  return inputs.some((input) => mempool.spenderOf(outpointKey(input.txid, input.index)) !== undefined) ? 'txn-mempool-conflict' : null
}

function missingRefusal({ chain }: MempoolContext, transaction: Transaction): string {
  const confirmed = transaction.outputs.some((_, index) => chain.coins.has(outpointKey(transaction.txid, index)))
  return confirmed ? 'txn-already-known' : MISSING_INPUTS
}

export type EvaluationOptions = {
  /** A reorg returns transactions at any fee. */
  readonly ignoreFeeLimits?: boolean
}

export function evaluateTransaction(context: MempoolContext, transaction: Transaction, options: EvaluationOptions = {}): Evaluation {
  const { chain, mempool, network, verifier } = context
  const position = chain.next()
  const early =
    checkTransaction(transaction, network.maxMoneySats) ??
    (isCoinbase(transaction) ? 'coinbase' : null) ??
    transactionRefusal(transaction, network.relay) ??
    (isFinal(transaction, position) ? null : 'non-final') ??
    presenceRefusal(context, transaction) ??
    conflictRefusal(context, transaction)
  if (early !== null) return { refusal: early }

  const spent = transaction.inputs.flatMap((input) => findCoin(context, input.txid, input.index) ?? [])
  if (spent.length !== transaction.inputs.length) return { refusal: missingRefusal(context, transaction) }
  const heights = spent.map((coin) => coin.height)
  if (!sequenceLocksMet(transaction, heights, position, chain.medianTimeAt)) return { refusal: 'non-BIP68-final' }
  const inputs = checkInputs(transaction, spent, position.height, network)
  if (inputs.refusal !== null) return inputs
  const { feeSats } = inputs
  const nonStandard = inputsRefusal(transaction, spent, network.relay)
  if (nonStandard !== null) return { refusal: nonStandard }
  const sigops = sigopsCost(transaction, spent)
  if (sigops > MAX_STANDARD_SIGOPS_COST) return { refusal: 'bad-txns-too-many-sigops' }
  const vsize = Math.ceil(Math.max(transaction.weight, sigops * BYTES_PER_SIGOP) / 4)
  if (!options.ignoreFeeLimits && feeSats < feeFor(vsize, context.minRelaySatsPerKvb)) return { refusal: 'min relay fee not met' }

  const conflicts = new Set(transaction.inputs.flatMap((input) => mempool.spenderOf(outpointKey(input.txid, input.index))?.txid ?? []))
  const replaced = replacedBy(conflicts, mempool)
  const family = familyRefusal(transaction, vsize, mempool, new Set(replaced.keys()))
  if (family !== null) return { refusal: family }
  if (conflicts.size > 0) {
    const candidate = { transaction, vsize, feeSats, conflicts, incrementSats: feeFor(vsize, context.minRelaySatsPerKvb) }
    const refusal = replacementRefusal(candidate, replaced, mempool)
    if (refusal !== null) return { refusal }
  }
  const scripts = verifier.checkStandard(transaction, spent)
  if (scripts !== null) return { refusal: scripts }
  const entry: MempoolEntry = { transaction, feeSats, vsize, time: context.nowSeconds(), height: chain.tip().height, spent }
  return { refusal: null, entry, replaced }
}
