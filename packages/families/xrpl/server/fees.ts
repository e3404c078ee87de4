/** Computes fees in drops: a price for each unit, where a plain transaction is one unit. */
import { divideRoundingUp } from '@tandem/protocol/amount.ts'
import { max, min } from '@tandem/protocol/bigint.ts'
import type { XrplNode } from './nodes/node.ts'

export type Fees = {
  readonly perUnit: bigint
  /** From the ledger after this one (LastLedgerSequence) the transaction can never be validated. */
  readonly lastLedger: bigint
}

/** The lifetime is more than a minute: long enough to pass through a queue, short enough to expire soon. */
export const LIFETIME_LEDGERS = 20n

/** An initiation near its deadline lives shorter, but long enough to reach a ledger. */
const MIN_LIFETIME_LEDGERS = 4n
const LEDGER_SECONDS = 4n

/** A finish of 36 units then costs less than the smallest swap, of one XRP. The usual fee is a two-thousandth of it. */
export const MAX_PER_UNIT = 25_000n

/** The fee cap of an optional action is this multiple of the suggested fee. */
const OPTIONAL_FEE_FACTOR = 3n

/** `secondsLeft` is null without a deadline. */
export async function suggestFees(node: Pick<XrplNode, 'fee'>, newest: bigint, secondsLeft: bigint | null): Promise<Fees> {
  const fee = await node.fee()
  // We pay a fifth more: the fee rises while a ledger fills.
  const perUnit = min(divideRoundingUp(fee * 6n, 5n), MAX_PER_UNIT)
  return { perUnit, lastLedger: newest + lifetime(secondsLeft) }
}

function lifetime(secondsLeft: bigint | null): bigint {
  if (secondsLeft === null) return LIFETIME_LEDGERS
  return min(max(secondsLeft / LEDGER_SECONDS, MIN_LIFETIME_LEDGERS), LIFETIME_LEDGERS)
}

type Bump = { readonly urgent: boolean; readonly isObligatory: boolean }

/**
 * Nodes accept a replacement in their queue for more than a quarter more. The result is null at the cap, which is high for an obligatory
 * action: not doing it costs more than any fee below the cap.
 */
export function raiseFees(fees: Fees, suggested: Fees, { urgent, isObligatory }: Bump): Fees | null {
  const cap = isObligatory ? MAX_PER_UNIT : min(suggested.perUnit * OPTIONAL_FEE_FACTOR, MAX_PER_UNIT)
  const least = (fees.perUnit * 5n) / 4n + 1n
  if (least > cap) return null
  const wanted = max(urgent ? fees.perUnit * 2n : least, suggested.perUnit)
  return { perUnit: max(min(wanted, cap), least), lastLedger: suggested.lastLedger }
}
