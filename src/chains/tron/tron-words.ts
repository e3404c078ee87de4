/** Says what failed in the words of Tron: what is shared with the EVM family names accounts in hex. */
import type { Address } from 'viem'
import { TandemError } from '../../protocol/error.ts'
import { ChainFailure } from '../port/failure.ts'
import { fromEvmAddress } from './address.ts'

export async function inTronWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    // The error itself, so that all that it carries besides its words stays.
    if (error instanceof TandemError || error instanceof ChainFailure) error.message = withTronAddresses(error.message)
    throw error
  }
}

function withTronAddresses(text: string): string {
  return text.replace(/\b0x[0-9a-fA-F]{40}\b/g, (address) => fromEvmAddress(address as Address))
}
