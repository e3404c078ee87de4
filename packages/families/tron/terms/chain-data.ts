/** Defines the fields that only chains of Tron have in the registry. */
import type { Chain } from '@tandem/protocol/chain.ts'

export type TronData = {
  /** CREATE2 hashes this byte first: 0x41 in Tron's virtual machine, where EIP-1014 has 0xff. */
  readonly create2Prefix: `0x${string}`
}

export function tronDataOf({ id, familyData }: Chain): TronData {
  if (!isTronData(familyData)) throw new Error(`${id} is no chain of Tron`)
  return familyData
}

const isTronData = (data: object | undefined): data is TronData => data !== undefined && 'create2Prefix' in data
