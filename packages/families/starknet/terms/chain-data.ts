/** What only Starknet chains have in the registry. */
import type { Chain } from '@tandem/protocol/chain.ts'

export type StarknetData = {
  /** The class of the accounts of our keys. An account's address is computed from it: the salt is the public key, which is also the only argument of the constructor. */
  readonly accountClass: string
  /** The ERC-20 that fees are paid in. */
  readonly feeToken: string
  /** Whatever a node claims, we never offer more for one gas: in the smallest unit of the fee token. The tip counts as part of the L2 gas price. */
  readonly maxPerGas: { readonly l1Gas: bigint; readonly l1DataGas: bigint; readonly l2Gas: bigint }
}

export function starknetDataOf({ id, familyData }: Chain): StarknetData {
  if (!isStarknetData(familyData)) throw new Error(`${id} is no Starknet chain`)
  return familyData
}

/** No other family has classes of accounts. */
const isStarknetData = (data: object | undefined): data is StarknetData => data !== undefined && 'accountClass' in data
