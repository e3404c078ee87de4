/** Says what failed in the words of Tron: what is shared with the EVM family names accounts in hex. */
import type { Address } from 'viem'
import { TandemError } from '../../protocol/error.ts'
import { ChainFailure } from '../family.ts'
import { fromEvmAddress } from './address.ts'

export async function inTronWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof TandemError) {
      const { code, message, retryAfterSeconds } = error
      throw new TandemError(code, withTronAddresses(message), { cause: error, ...(retryAfterSeconds !== null && { retryAfterSeconds }) })
    }
    if (error instanceof ChainFailure) {
      const { kind, message, revertedTx } = error
      throw new ChainFailure(kind, withTronAddresses(message), { cause: error, ...(revertedTx !== null && { revertedTx }) })
    }
    throw error
  }
}

function withTronAddresses(text: string): string {
  return text.replace(/\b0x[0-9a-fA-F]{40}\b/g, (address) => fromEvmAddress(address as Address))
}
