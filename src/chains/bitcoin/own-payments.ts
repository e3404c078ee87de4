/** What initiating and calling back must know about the payments that a signer makes from its own coins. */
import { bytesToHex } from '@noble/hashes/utils.js'
import { type Attempt, ChainFailure, type Outbox } from '../family.ts'
import type { BitcoinBackend } from './backend.ts'
import { type KnownAttempt, knownAttempts, shareSlot } from './execute.ts'
import type { BitcoinNetwork } from './networks.ts'
import type { SpendableCoin } from './sign.ts'
import type { Outpoint } from './transaction.ts'

export type OwnPayments = { readonly payments: readonly KnownAttempt[]; readonly callbacks: readonly KnownAttempt[] }

/** An attempt that pays nobody but the wallet itself was signed to call back the others, whose coins it takes; or to pay for one as its child. */
export function splitAttempts(outbox: Outbox, walletScript: Uint8Array): OwnPayments {
  const home = bytesToHex(walletScript)
  const attempts = knownAttempts(outbox)
  const isPayment = ({ transaction }: KnownAttempt) => transaction.outputs.some((output) => bytesToHex(output.script) !== home)
  const payments = attempts.filter(isPayment)
  const callbacks = attempts.filter((attempt) => !isPayment(attempt) && payments.some((payment) => shareSlot(attempt, payment)))
  return { payments, callbacks }
}

/** Another action that is still wanted spends its change, and would die with it. */
export function hasWantedChild(outbox: Outbox, attempt: Attempt): boolean {
  return outbox.others.some((other) => other.wanted && other.slots.some((slot) => slot.startsWith(`${attempt.tx}:`)))
}

export async function withAmounts(backend: BitcoinBackend, outpoints: Iterable<Outpoint>): Promise<readonly SpendableCoin[]> {
  const coins: SpendableCoin[] = []
  for (const outpoint of outpoints) {
    const amount = await backend.amountOf(outpoint)
    if (amount === null) throw new ChainFailure('unreachable', `the coin ${outpoint} went away while it was looked at`)
    coins.push({ outpoint, amount })
  }
  return coins
}

/** Signing against what nodes will not replace would only leave ever dearer transactions behind, to be sent one day. */
export function assertReplaces({ replaces, coin }: BitcoinNetwork): void {
  if (!replaces)
    throw new ChainFailure('would-fail', `${coin} nodes replace no transaction: the one that waits has to be mined or dropped first`)
}
