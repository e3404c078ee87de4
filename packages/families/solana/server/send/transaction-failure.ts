/** Turns the error of a transaction into a `ChainFailure`, with the program's own name for the reason. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { htlcProgram } from '../../contract/artifacts/htlc.ts'
import type { TransactionError } from '../nodes/node.ts'

/** The Token and the System program name their errors by number. */
const otherPrograms: Readonly<Record<number, string>> = { 1: 'insufficient funds', 17: 'the token account is frozen' }

export function asChainFailure(error: TransactionError, what: string, logs: readonly string[] = []): ChainFailure {
  const last = logs.at(-1)
  return new ChainFailure('would-fail', `${what}: ${reasonOf(error)}${last === undefined ? '' : ` (${last})`}`)
}

/** The transaction has expired, or the nodes are behind. */
export function isBlockhashNotFound(error: TransactionError): boolean {
  return error === 'BlockhashNotFound'
}

export function reasonOf(error: TransactionError): string {
  const code = customCodeOf(error)
  if (code === null) return typeof error === 'string' ? error : JSON.stringify(error)
  const known = htlcProgram.errors.find((one) => one.code === code)
  if (known !== undefined) return `${known.name}: ${known.message}`
  return otherPrograms[code] ?? `a program's error ${code}`
}

/** The code of {"InstructionError":[2,{"Custom":6011}]} is 6011. */
function customCodeOf(error: TransactionError): number | null {
  if (typeof error === 'string' || !Array.isArray(error.InstructionError)) return null
  const [, detail]: readonly unknown[] = error.InstructionError
  if (typeof detail !== 'object' || detail === null || !('Custom' in detail)) return null
  return Number(detail.Custom)
}
