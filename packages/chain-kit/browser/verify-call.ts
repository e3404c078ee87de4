/** Compares a contract call that the service names with ours. */
import type { TransactionRequest } from '@tandem/protocol/funding/calls.ts'
import { verifySame } from './check.ts'

type ExpectedCall = { readonly chainId: number; readonly to: string; readonly data: string; readonly value: bigint }

/** All but the gas limit: the wallet estimates it, or its family bounds it. */
export function verifyCall(
  field: string,
  { chainId, to, data, value }: ExpectedCall,
  numbers: 'hex' | 'decimal',
  told: TransactionRequest | undefined,
): void {
  const { gas_limit: _, ...compared } = told ?? { gas_limit: '' }
  const written = numbers === 'hex' ? `0x${value.toString(16)}` : value.toString()
  verifySame(field, { chain_id: chainId, to, data, value: written }, compared)
}
