/** What lies at a deposit address of a token that was sent there by mistake, or of the chain's coin. */
import type { DepositSide, Node, SdkFamily } from '@tandem/chain-kit/browser/family.ts'
import { addressOn } from '../families/parse-address.ts'
import { pinnedAssetsOn } from '../verify/pinned.ts'
import { addressesOf } from '../verify/verify-deposit.ts'
import type { SwapContext } from './context.ts'

/** Undefined stands for the asset of the order, null for the coin of the chain, a text for the canonical address of another token. */
export type Token = string | null | undefined

/** Throws an `AddressError` for a text that is no address of the chain. */
export function tokenOn(family: SdkFamily, { chain, deployment }: DepositSide, given: Token): Token {
  const token = given == null ? given : addressOn(family, chain, given)
  const own = deployment.token === null ? null : addressOn(family, chain, deployment.token)
  return token === own ? undefined : token
}

/** The result is null where the family does not read other tokens at the address. */
export async function readHeld(family: SdkFamily, side: DepositSide, token: Token, node: Node): Promise<bigint | null> {
  const { addressOf, amountAt } = addressesOf(family, side.chain.id)
  if (token === undefined) return amountAt(side, node)
  const deployment = { ...side.deployment, token }
  if (family.balanceOf !== undefined) return (await family.balanceOf({ ...side, deployment }, addressOf(side), node)).balance
  const [tokenSchema] = side.chain.tokenSchemas
  if (token === null || tokenSchema === undefined) return null
  // Where the token is no part of the address, the same terms at the same contract have this address for every token.
  const other: DepositSide = { ...side, asset: { ...side.asset, tokenSchema }, deployment }
  return addressOf(other) === addressOf(side) ? amountAt(other, node) : null
}

/** The result is null for a token that the registry does not know. */
export async function assetOf({ options }: SwapContext, family: SdkFamily, side: DepositSide, token: Token): Promise<string | null> {
  const { chain, asset } = side
  if (token === undefined) return asset.id
  if (token === null) return chain.nativeAsset
  const known = await pinnedAssetsOn(chain, options.deployments ?? {}, options.registry)
  return known.find(({ deployment }) => deployment.token !== null && addressOn(family, chain, deployment.token) === token)?.asset.id ?? null
}
