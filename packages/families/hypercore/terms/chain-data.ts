/** What only chains of HyperCore have in the registry, beside what EVM chains have. */
import type { Chain } from '@tandem/protocol/chain.ts'

/** The index of HYPE on HyperCore, which pays there for transfers to HyperEVM. */
export function hypeTokenOf({ id, familyData }: Chain): bigint {
  if (familyData === undefined || !('hypeToken' in familyData) || typeof familyData.hypeToken !== 'bigint')
    throw new Error(`${id} is no chain of HyperCore`)
  return familyData.hypeToken
}
