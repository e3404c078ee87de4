/** Names the registries that lock the assets of a chain, and gives the order of a swap in the module's form. */

import { type ContractsOf, contractsOf, type DeployedAsset, placesOf } from '@tandem/chain-kit/contract/contracts.ts'
import { memoize } from '@tandem/chain-kit/contract/memoize.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { HtlcTerms, SwapId } from '@tandem/protocol/htlc.ts'
import { type OrderTerms, orderId } from '../contract/client/order.ts'
import { type Address, paddedAddress, parseAddress } from './address.ts'
import { type CoinType, parseCoinType, SUI_TYPE } from './coin-type.ts'

/** The registry locks one asset. Package and shared version are read from the chain: see `deployments.ts`. */
export type HtlcContract = {
  readonly asset: AssetId
  readonly registry: Address
  readonly coinType: CoinType
  readonly decimals: number
}

export type Contracts = ContractsOf<HtlcContract>

/** The coin pays fees, even if it cannot be swapped here. */
export function coinTypeOf(chain: Chain, contracts: Contracts, asset: AssetId): CoinType {
  return asset === chain.nativeAsset ? SUI_TYPE : contracts.of(asset).coinType
}

const MAX_U64 = 2n ** 64n - 1n

export function createContracts(chain: Chain, assets: readonly DeployedAsset[]): Contracts {
  return contractsOf(chain, assets, (asset) => {
    const { htlc, token } = placesOf(asset, 'a coin type')
    return {
      asset: asset.id,
      registry: paddedAddress(htlc),
      coinType: token === null ? SUI_TYPE : parseCoinType(token),
      decimals: asset.decimals,
    }
  })
}

/** Throws `amount_out_of_range` for an amount that does not fit in 64 bits. */
export function orderTermsOf({ initiator, redeemer, amount, timelock, secretHash }: HtlcTerms): OrderTerms {
  if (amount > MAX_U64) throw new TandemError('amount_out_of_range', `an amount on Sui has at most 64 bits, got ${amount}`)
  return { initiator: parseAddress(initiator), redeemer: parseAddress(redeemer), amount, timelock, secretHash: secretHash.toLowerCase() }
}

const PARTS = '|'

/** Every event and every read of a registry needs the id, so it is cached. */
const idOf = memoize(2000, (text) => {
  const [registry = '', initiator = '', redeemer = '', amount = '', timelock = '', secretHash = ''] = text.split(PARTS)
  return orderId(registry, { initiator, redeemer, amount: BigInt(amount), timelock: BigInt(timelock), secretHash })
})

/** The id is 64 hex digits and binds the registry and every term. */
export function swapIdOf({ registry }: Pick<HtlcContract, 'registry'>, terms: HtlcTerms): SwapId {
  const { initiator, redeemer, amount, timelock, secretHash } = orderTermsOf(terms)
  return idOf([registry, initiator, redeemer, amount, timelock, secretHash].join(PARTS))
}
