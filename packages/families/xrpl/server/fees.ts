/** Fees of a transaction: a price for each unit, where a plain transaction is one unit. In drops. */

import { divideRoundingUp } from '@tandem/protocol/amount.ts'
import { max, min } from '@tandem/protocol/bigint.ts'
import type { XrplNode } from './nodes/node.ts'

/** What a transaction offers, and until which ledger. */
export type Fees = {
  readonly perUnit: bigint
  /** LastLedgerSequence: from the next ledger on it can never be validated. */
  readonly lastLedger: bigint
}

/** A minute and more: long enough to pass through a queue, short enough to be over soon. */
export const LIFETIME_LEDGERS = 20n

/** An initiation near its deadline lives shorter, but long enough to reach a ledger. */
const LEAST_LIFETIME_LEDGERS = 4n
const LEDGER_SECONDS = 4n

/** A finish of 36 units then costs less than the smallest swap, of one XRP. The usual fee is a two-thousandth of it. */
export const MAX_PER_UNIT = 25_000n

/** The fee cap of an optional action, as a multiple of the suggested fee. */
const OPTIONAL_FEE_FACTOR = 3n

/** `secondsLeft` null: without a deadline. */
export async function suggestFees(node: Pick<XrplNode, 'fee'>, newest: bigint, secondsLeft: bigint | null): Promise<Fees> {
  const fee = await node.fee()
  // A fifth more: the fee rises while a ledger fills.
  const perUnit = min(divideRoundingUp(fee * 6n, 5n), MAX_PER_UNIT)
  return { perUnit, lastLedger: newest + lifetime(secondsLeft) }
}

function lifetime(secondsLeft: bigint | null): bigint {
  if (secondsLeft === null) return LIFETIME_LEDGERS
  return min(max(secondsLeft / LEDGER_SECONDS, LEAST_LIFETIME_LEDGERS), LIFETIME_LEDGERS)
}

type Bump = { readonly urgent: boolean; readonly isObligatory: boolean }

/**
 * The fee bump that nodes accept for a replacement in their queue: more than a quarter more. Null at the cap: not doing an obligatory action costs more than any fee
 * below the cap.
 */
export function raiseFees(fees: Fees, suggested: Fees, { urgent, isObligatory }: Bump): Fees | null {
  const cap = isObligatory ? MAX_PER_UNIT : min(suggested.perUnit * OPTIONAL_FEE_FACTOR, MAX_PER_UNIT)
  const least = (fees.perUnit * 5n) / 4n + 1n
  if (least > cap) return null
  const wanted = max(urgent ? fees.perUnit * 2n : least, suggested.perUnit)
  return { perUnit: max(min(wanted, cap), least), lastLedger: suggested.lastLedger }
}
