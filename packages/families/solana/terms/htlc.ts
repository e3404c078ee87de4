/** Names the programs that lock the assets of a chain, and gives the order of a swap in the program's form. */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import type { Address } from '@solana/kit'
import { type ContractsOf, contractsOf, type DeployedAsset, placesOf } from '@tandem/chain-kit/contract/contracts.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { HtlcTerms, SwapId } from '@tandem/protocol/htlc.ts'
import { type OrderTerms, orderAddress, vaultAddress } from '../contract/client/addresses.ts'
import type { OrderAccount } from '../contract/client/decode.ts'
import { parseAddress } from './address.ts'

/** One program may lock many assets. `mint` is null for SOL. */
export type HtlcContract = { readonly asset: AssetId; readonly program: Address; readonly mint: Address | null; readonly decimals: number }

export type Contracts = ContractsOf<HtlcContract>

const MAX_U64 = 2n ** 64n - 1n

export function createContracts(chain: Chain, assets: readonly DeployedAsset[]): Contracts {
  return contractsOf(chain, assets, (asset) => {
    const { htlc, token } = placesOf(asset)
    return { asset: asset.id, program: parseAddress(htlc), mint: token === null ? null : parseAddress(token), decimals: asset.decimals }
  })
}

/** The result is null for the coin, which pays fees even where it cannot be swapped. */
export function mintOf({ nativeAsset }: Chain, contracts: Contracts, asset: AssetId): Address | null {
  return asset === nativeAsset ? null : contracts.of(asset).mint
}

/** Throws `amount_out_of_range` for an amount that does not fit in 64 bits. */
export function orderTermsOf({ mint }: Pick<HtlcContract, 'mint'>, terms: HtlcTerms): OrderTerms {
  const { initiator, redeemer, amount, timelock, secretHash } = terms
  if (amount > MAX_U64) throw new TandemError('amount_out_of_range', `an amount on Solana has at most 64 bits, got ${amount}`)
  return {
    initiator: parseAddress(initiator),
    redeemer: parseAddress(redeemer),
    secretHash: hexToBytes(secretHash),
    amount,
    timelock,
    mint,
  }
}

/**
 * The account must have these terms and the one vault from which a redeem or refund pays. The program writes nothing else at the address of
 * the terms.
 */
export function isOrderOf(contract: HtlcContract, terms: HtlcTerms, order: OrderAccount): boolean {
  const expected = orderTermsOf(contract, terms)
  const vault = contract.mint === null ? null : vaultAddress(orderAddress(contract.program, expected).address)
  const secretHash = order.status === 'redeemed' ? sha256(Uint8Array.from(order.secret)) : Uint8Array.from(order.secretHash)
  return isSameOrder({ ...order, secretHash }, expected) && order.vault === vault
}

export function isSameOrder(a: OrderTerms, b: OrderTerms): boolean {
  const keyOf = ({ initiator, redeemer, amount, timelock, mint, secretHash }: OrderTerms) =>
    [initiator, redeemer, amount, timelock, mint, bytesToHex(Uint8Array.from(secretHash))].join(' ')
  return keyOf(a) === keyOf(b)
}

/** The address of the order's account binds the program and every term. */
export function swapIdOf(contract: HtlcContract, terms: HtlcTerms): SwapId {
  return orderAddress(contract.program, orderTermsOf(contract, terms)).address
}
