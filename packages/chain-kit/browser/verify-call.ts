/** Compares a contract call from the service with ours. */
import type { TransactionRequest } from '@tandem/protocol/funding/calls.ts'
import { verifySame } from './check.ts'

type ExpectedCall = { readonly chainId: number; readonly to: string; readonly data: string; readonly value: bigint }

/** The gas limit is not compared: the wallet estimates it, or its family bounds it. */
export function verifyCall(
  field: string,
  { chainId, to, data, value }: ExpectedCall,
  numbers: 'hex' | 'decimal',
  given: TransactionRequest | undefined,
): void {
  const { gas_limit: _, ...compared } = given ?? { gas_limit: '' }
  const written = numbers === 'hex' ? `0x${value.toString(16)}` : value.toString()
  verifySame(field, { chain_id: chainId, to, data, value: written }, compared)
}
