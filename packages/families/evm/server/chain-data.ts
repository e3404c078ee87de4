/** The registry's data section of EVM chains. */
import type { Chain } from '@tandem/protocol/chain.ts'
import type { EvmData } from '@tandem/protocol/registry/family-data.ts'

export function evmDataOf(chain: Chain): EvmData {
  if (!('evm' in chain)) throw new Error(`${chain.id} is no EVM chain`)
  return chain.evm
}
