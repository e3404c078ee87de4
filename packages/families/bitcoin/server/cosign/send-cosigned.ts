/** Sends a co-signed redeem if its fee is high enough. Otherwise we redeem by script path. */

import { feeCap, rateOf, urgencyOf } from '../../terms/wallet/fees.ts'
import type { SpendableCoin } from '../../terms/wallet/sign.ts'
import { totalOf } from '../../terms/wallet/sign.ts'
import { recordAndSend } from '../execute.ts'
import type { Execution } from '../execution.ts'
import { type Outpoint, type ParsedTransaction, parseTransaction } from '../script/transaction.ts'

export type Cosigned = { readonly raw: string; readonly transaction: ParsedTransaction; readonly outpoints: ReadonlySet<Outpoint> }

/** Invalid input is null, too: it must not keep us from redeeming by script path. */
export function readCosigned(raw: string | null): Cosigned | null {
  if (raw === null) return null
  try {
    const transaction = parseTransaction(raw)
    return { raw, transaction, outpoints: new Set(transaction.inputs.map(({ outpoint }) => outpoint)) }
  } catch {
    return null
  }
}

/** The result is null when the fee is too low for the urgency, or the node refuses the transaction. `coins` are all its inputs. */
export async function sendCosigned(
  execution: Execution,
  { raw, transaction }: Cosigned,
  coins: readonly SpendableCoin[],
): Promise<string | null> {
  const { chain, network, outbox, feeRate } = execution
  const total = totalOf(coins)
  const fee = transaction.outputs.reduce((left, { amount }) => left - amount, total)
  const rate = rateOf(fee, transaction.vsize)
  if (rate < network.minFeeRate || fee > feeCap(total, transaction.vsize, network)) return null
  const { isUrgent } = urgencyOf(outbox.secondsLeft, chain.feeBumpSeconds)
  if (isUrgent && rate * 2n < (await feeRate('urgent'))) return null
  const { tx, reason } = await recordAndSend(execution, async () => ({ signed: { txid: transaction.txid(), raw }, fee }))
  return reason === null ? tx : null
}
