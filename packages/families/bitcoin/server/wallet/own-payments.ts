/** Sorts the payments of a signer from its own coins, for initiating and cancelling. */
import { bytesToHex } from '@noble/hashes/utils.js'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Attempt, OtherAttempt, Outbox } from '@tandem/chain-kit/port/outbox.ts'
import type { BitcoinNetwork } from '../../terms/networks.ts'
import type { SpendableCoin } from '../../terms/wallet/sign.ts'
import { knownAttempts, shareSlot } from '../execute.ts'
import type { KnownAttempt } from '../execution.ts'
import type { BitcoinBackend } from '../nodes/backend.ts'
import type { Outpoint } from '../script/transaction.ts'
import { isChildOf } from './child-pays.ts'

export type OwnPayments = { readonly payments: readonly KnownAttempt[]; readonly cancels: readonly KnownAttempt[] }

/** An attempt that pays only the wallet itself either cancels the others, whose coins it spends, or is a child that pays for one (CPFP). */
export function splitAttempts(outbox: Outbox, walletScript: Uint8Array): OwnPayments {
  const ownScript = bytesToHex(walletScript)
  const attempts = knownAttempts(outbox)
  const isPayment = ({ transaction }: KnownAttempt) => transaction.outputs.some((output) => bytesToHex(output.script) !== ownScript)
  const payments = attempts.filter(isPayment)
  const cancels = attempts.filter((attempt) => !isPayment(attempt) && payments.some((payment) => shareSlot(attempt, payment)))
  return { payments, cancels }
}

/** A wanted action that spends the change of `tx`, or change of that, would be dropped with `tx`. */
export function hasWantedDescendant(
  { attempts, others }: { readonly attempts: readonly Attempt[]; readonly others: readonly OtherAttempt[] },
  { tx }: Pick<Attempt, 'tx'>,
): boolean {
  const signed = [...others, ...attempts.map((attempt) => ({ ...attempt, wanted: false }))]
  const descendants = new Set([tx])
  for (const member of descendants) {
    for (const child of signed.filter((attempt) => isChildOf(attempt, { tx: member }))) {
      if (child.wanted) return true
      descendants.add(child.tx)
    }
  }
  return false
}

export async function withAmounts(
  backend: Pick<BitcoinBackend, 'contentOf'>,
  outpoints: Iterable<Outpoint>,
): Promise<readonly SpendableCoin[]> {
  const coins: SpendableCoin[] = []
  for (const outpoint of outpoints) {
    const content = await backend.contentOf(outpoint)
    if (content === null) throw new ChainFailure('unreachable', `the coin ${outpoint} has just been spent`)
    coins.push({ outpoint, amount: content.amount })
  }
  return coins
}

/** Without RBF, recorded replacements would pile up, each with a higher fee, and might be broadcast later. */
export function assertReplaces({ replaces, coin }: BitcoinNetwork): void {
  if (!replaces)
    throw new ChainFailure('would-fail', `${coin} nodes do not support RBF: the unconfirmed transaction must be mined or dropped first`)
}
