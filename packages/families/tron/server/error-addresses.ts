/** Writes addresses in error texts as Tron does, because code that is shared with the EVM family writes them in hex. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Address } from 'viem'
import { fromEvmAddress } from '../terms/address.ts'

export async function withTronAddresses<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    // The message is changed in place, to keep the error's other fields.
    if (error instanceof TandemError || error instanceof ChainFailure) error.message = rewrite(error.message)
    throw error
  }
}

function rewrite(text: string): string {
  return text.replace(/\b0x[0-9a-fA-F]{40}\b/g, (address) => fromEvmAddress(address as Address))
}
