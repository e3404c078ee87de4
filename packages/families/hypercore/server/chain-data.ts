/** The registry's data section of HyperCore. */
import type { Chain } from '@tandem/protocol/chain.ts'

/** The index of HYPE on HyperCore. */
export function hypeTokenOf(chain: Chain): bigint {
  if (chain.family !== 'hypercore') throw new Error(`${chain.id} is no chain of HyperCore`)
  return chain.hypercore.hypeToken
}
