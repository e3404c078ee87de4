// The guards of sendrawtransaction against absurd fees and burnt coins.
import { isUnspendable } from '../script/standard-scripts.ts'
import type { Transaction } from '../transaction/transaction.ts'
import { RPC, RpcError } from './rpc-error.ts'
import { wrongType } from './rpc-params.ts'

const DEFAULT_MAX_FEE_SATS_PER_KVB = 10_000_000n
const SATS_PER_BTC_DIGITS = 8

/** A JSON number or string in BTC, read digit by digit. */
function parseBtc(value: unknown): bigint {
  if (typeof value !== 'number' && typeof value !== 'string') throw wrongType(value, 'number')
  // JavaScript prints small numbers with an exponent; eight decimals are all that an amount can have.
  const text = typeof value === 'number' && value < 1e-6 ? value.toFixed(SATS_PER_BTC_DIGITS) : String(value)
  const match = /^(\d+)(?:\.(\d{1,8}))?$/.exec(text)
  if (match === null) throw new RpcError(RPC.TYPE, 'Invalid amount')
  return BigInt((match[1] ?? '0') + (match[2] ?? '').padEnd(SATS_PER_BTC_DIGITS, '0'))
}

/** The highest fee for this virtual size, or null when there is no limit. */
export function maxFeeSats(maxFeeRate: unknown, vsize: number): bigint | null {
  const satsPerKvb = maxFeeRate === undefined ? DEFAULT_MAX_FEE_SATS_PER_KVB : parseBtc(maxFeeRate)
  return satsPerKvb === 0n ? null : (satsPerKvb * BigInt(vsize)) / 1_000n
}

export function checkBurn(transaction: Transaction, maxBurn: unknown): void {
  const limit = maxBurn === undefined ? 0n : parseBtc(maxBurn)
  if (transaction.outputs.some(({ script, amount }) => isUnspendable(script) && amount > limit))
    throw new RpcError(RPC.VERIFY, 'Unspendable output exceeds maximum configured by user (maxburnamount)')
}
