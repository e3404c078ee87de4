/** No test deploys anything at these contract addresses. */
import { base58 } from '@scure/base'
import { fromEvmAddress } from '@tandem/tron/terms/address.ts'

/** The address is in the notation of the schema's family. `digit` (hex) and `index` tell addresses apart. */
export function unusedAddress(schema: string, digit: string, index: number): string {
  if (schema.startsWith('solana:')) return base58.encode(Buffer.from(String(index).padStart(64, digit), 'hex'))
  const address = `0x${String(index).padStart(40, digit)}` as const
  if (schema === 'sui:coin') return `${address}::coin::COIN`
  return schema.startsWith('tron:') ? fromEvmAddress(address) : address
}
