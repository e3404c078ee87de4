/** The state of a deposit that is to be spent. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { ReplacedFee } from '../../terms/wallet/fees.ts'
import type { LeafInput } from '../../terms/wallet/sign.ts'
import { whoSpent } from '../execute.ts'
import type { Execution, KnownAttempt } from '../execution.ts'

/**
 * free          it can be spent now
 * ours          a transaction of ours spent it
 * conflict      an unconfirmed transaction of somebody else spends it, and may be outbid
 * unspendable   its timelock has not passed, or somebody else has spent it
 */
export type DepositState =
  | { readonly kind: 'free' }
  | { readonly kind: 'ours'; readonly tx: string }
  | { readonly kind: 'conflict'; readonly tx: string; readonly replaced: ReplacedFee }
  | { readonly kind: 'unspendable'; readonly failure: ChainFailure }

/** A redeem outbids an unconfirmed refund: the deposit is ours until that is mined. A refund never outbids a redeem. */
export async function depositState(
  execution: Execution,
  verb: 'redeem' | 'refund',
  { outpoint, timelock }: Pick<LeafInput, 'outpoint' | 'timelock'>,
  attempts: readonly KnownAttempt[],
): Promise<DepositState> {
  const { backend, network } = execution
  const output = await backend.output(outpoint)
  if (output.state === 'unspent') {
    // BIP68: N blocks after the block of the deposit, which counts as the first confirmation.
    if (timelock === null || output.confirmations >= timelock) return { kind: 'free' }
    return unspendable('would-fail', `the timelock of ${outpoint} is ${timelock} blocks, and only ${output.confirmations} have passed`)
  }
  const spender = await whoSpent(execution, outpoint, attempts)
  if (spender === null) return unspendable('superseded', `the deposit ${outpoint} is not on the chain now, or was spent long ago`)
  if (spender.isOurs) return { kind: 'ours', tx: spender.txid }
  const mayOutbid = verb === 'redeem' && network.replaces && spender.confirmations === 0n
  const replaced = mayOutbid ? await backend.unconfirmedFee(spender.txid) : null
  if (replaced !== null) return { kind: 'conflict', tx: spender.txid, replaced }
  return unspendable('superseded', `the deposit ${outpoint} was spent by ${spender.txid}`)
}

function unspendable(kind: 'would-fail' | 'superseded', message: string): DepositState {
  return { kind: 'unspendable', failure: new ChainFailure(kind, message) }
}
