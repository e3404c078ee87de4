/** Parses the registry's fields that only Starknet chains have. */
import type { Chain } from '@tandem/protocol/chain.ts'

export type StarknetData = {
  /** Our accounts have this class. Their address follows from it: the public key is the salt and the only constructor argument. */
  readonly accountClass: string
  /** Fees are paid in this ERC-20. */
  readonly feeToken: string
  /** We never offer more for one gas, in the smallest unit of the fee token. The tip counts as part of the L2 gas price. */
  readonly maxPerGas: { readonly l1Gas: bigint; readonly l1DataGas: bigint; readonly l2Gas: bigint }
}

export function starknetDataOf({ id, familyData }: Chain): StarknetData {
  if (!isStarknetData(familyData)) throw new Error(`${id} is no Starknet chain`)
  return familyData
}

/** Only this family has classes of accounts. */
const isStarknetData = (data: object | undefined): data is StarknetData => data !== undefined && 'accountClass' in data
