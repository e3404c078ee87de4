/** Gives order ids, calls and typed data of the HTLC contracts, as pure functions of the terms. */

import { type ContractsOf, contractsOf, type DeployedAsset } from '@tandem/chain-kit/contract/contracts.ts'
import { memoize } from '@tandem/chain-kit/contract/memoize.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { HtlcTerms, SwapId } from '@tandem/protocol/htlc.ts'
import type { Hex32 } from '@tandem/protocol/secret.ts'
import {
  approveCall,
  type Call,
  initiateCall,
  initiateOnBehalfCall,
  initiateWithSignatureCall,
  instantRefundCall,
  redeemCall,
  refundCall,
} from '../contract/client/calls.ts'
import { type Felt, shortString } from '../contract/client/felt.ts'
import { type Deployment as Contract, type OrderTerms, orderId } from '../contract/client/order.ts'
import { type InitiateTypedData, initiateDigest, initiateTypedData, refundDigest } from '../contract/client/typed-data.ts'
import { feltOf, paddedAddress } from './address.ts'

export type HtlcContract = Contract & { readonly token: Felt }

export type Contracts = ContractsOf<HtlcContract>

/** 'starknet:SN_MAIN' gives the short string as a felt. */
export function chainIdOf(chain: Chain): Felt {
  const name = /^starknet:(\w{1,31})$/.exec(chain.reference)?.[1]
  if (name === undefined) throw new Error(`chain ${chain.id} has the reference "${chain.reference}", expected starknet:<chain id>`)
  return shortString(name)
}

export function createContracts(chain: Chain, assets: readonly DeployedAsset[]): Contracts {
  const chainId = chainIdOf(chain)
  return contractsOf(chain, assets, ({ id, deployment: { htlc, token } }) => {
    if (htlc === null || token === null) throw new Error(`asset ${id} must have the addresses of an HTLC and of a token`)
    return { chainId, address: feltOf(paddedAddress(htlc)), token: feltOf(paddedAddress(token)) }
  })
}

export function orderTermsOf({ initiator, redeemer, timelock, amount, secretHash }: HtlcTerms): OrderTerms {
  return { initiator: feltOf(initiator), redeemer: feltOf(redeemer), timelock, amount, secretHash: secretHash.toLowerCase() }
}

const ID_PARTS = '|'

/** Every event and every read of a contract needs the id, which takes eight permutations of Poseidon, so it is cached. */
const idOf = memoize(2000, (text): Felt => {
  const [chainId, address, initiator, redeemer, timelock, amount, secretHash] = text.split(ID_PARTS) as [
    Felt,
    Felt,
    Felt,
    Felt,
    ...string[],
  ]
  return orderId(
    { chainId, address },
    { initiator, redeemer, timelock: BigInt(timelock ?? ''), amount: BigInt(amount ?? ''), secretHash: secretHash ?? '' },
  )
})

export function orderIdOf({ chainId, address }: Contract, terms: HtlcTerms): Felt {
  const { initiator, redeemer, timelock, amount, secretHash } = orderTermsOf(terms)
  return idOf([chainId, address, initiator, redeemer, timelock, amount, secretHash].join(ID_PARTS))
}

/** SDKs use this form: without 0x and leading zeros. */
export function swapIdOf(contract: Contract, terms: HtlcTerms): SwapId {
  return orderIdOf(contract, terms).slice(2)
}

export function initiateCallOf({ address }: Contract, terms: HtlcTerms, sender: string): Call {
  const order = orderTermsOf(terms)
  return feltOf(sender) === order.initiator ? initiateCall(address, order) : initiateOnBehalfCall(address, order)
}

export function signedInitiateCallOf({ address }: Contract, terms: HtlcTerms, signature: readonly Felt[]): Call {
  return initiateWithSignatureCall(address, orderTermsOf(terms), signature)
}

export function redeemCallOf({ address }: Contract, terms: HtlcTerms, secret: Hex32): Call {
  return redeemCall(address, orderTermsOf(terms), secret)
}

export function refundCallOf({ address }: Contract, terms: HtlcTerms): Call {
  return refundCall(address, orderTermsOf(terms))
}

/** The redeemer has signed: see `refundDigestOf`. */
export function instantRefundCallOf({ address }: Contract, terms: HtlcTerms, signature: readonly Felt[]): Call {
  return instantRefundCall(address, orderTermsOf(terms), signature)
}

export function approvalCallOf({ token, address }: HtlcContract, amount: bigint): Call {
  return approveCall(token, address, amount)
}

export function typedDataOf(contract: Contract, terms: HtlcTerms): InitiateTypedData {
  return initiateTypedData(contract, orderTermsOf(terms))
}

export function digestOf(contract: Contract, terms: HtlcTerms): Felt {
  return initiateDigest(contract, orderTermsOf(terms))
}

/** The redeemer signs this to consent to a refund before the timelock ends. The order id binds the chain, the contract and every term. */
export function refundDigestOf(contract: Contract, terms: HtlcTerms): Felt {
  return refundDigest(contract, orderTermsOf(terms))
}
