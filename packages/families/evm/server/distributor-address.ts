/** Tells where an account's claims are paid: the CREATE2 address follows from the code and from the account that signs claims. */
import type { AssetId } from '@tandem/protocol/asset.ts'
import { type Address, encodeDeployData, type Hex, zeroAddress } from 'viem'
import { distributor } from '../contract/artifacts/distributor.ts'
import { create2AddressOf } from '../terms/deploy/create2-deployer.ts'
import type { Contracts } from '../terms/htlc.ts'

export function distributorCode(signer: Address): Hex {
  return encodeDeployData({ abi: distributor.abi, bytecode: distributor.bytecode, args: [signer] })
}

export const distributorOf = (signer: Address): Address => create2AddressOf(distributorCode(signer))

/** The zero address stands for the native coin. */
export const claimedToken = (contracts: Contracts, asset: AssetId): Address => contracts.of(asset).token ?? zeroAddress
