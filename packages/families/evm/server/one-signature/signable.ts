/** Turns typed data of our wire into what a signer of viem takes. */

import { type Hex, hashStruct, hashTypedData, type TypedDataDefinition } from 'viem'
import type { TypedData } from '../../terms/one-signature.ts'

/** The encoder takes numbers as texts, and derives the type of the domain from the domain. */
export function signable({ domain, types, primaryType, message }: TypedData): TypedDataDefinition {
  const { EIP712Domain: _, ...others } = types
  const { chainId, ...rest } = domain
  const whole = chainId === undefined ? rest : { ...rest, chainId: BigInt(chainId) }
  return { domain: whole, types: others, primaryType, message } as TypedDataDefinition
}

export const digestOf = (data: TypedData): Hex => hashTypedData(signable(data))

/** Permit2 is given the hash of the terms beside the signature. */
export const witnessHash = ({ message, types }: TypedData): Hex =>
  hashStruct({ data: message.witness as Record<string, unknown>, primaryType: 'Initiate', types: types as TypedDataDefinition['types'] })
