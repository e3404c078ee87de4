/** The registry's data section of Starknet chains. */
import type { Chain } from '@tandem/protocol/chain.ts'
import type { StarknetData } from '@tandem/protocol/registry/family-data.ts'

export function starknetDataOf(chain: Chain): StarknetData {
  if (!('starknet' in chain)) throw new Error(`${chain.id} is no Starknet chain`)
  return chain.starknet
}
