/** Proves that the code at an address is what our sources compile to, byte for byte. An imitation could answer every call as ours does. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { type Address, bytesToHex, domainSeparator, type Hex, hexToBytes, keccak256, numberToHex, pad } from 'viem'
import { htlcErc20 } from '../../contract/artifacts/htlc-erc20.ts'
import { htlcNative } from '../../contract/artifacts/htlc-native.ts'
import type { EvmNode } from '../../server/nodes/node.ts'
import { type HtlcContract, initiateDomain, nativeDomain } from '../htlc.ts'

export type ContractArtifact = {
  readonly contractName: string
  readonly deployedBytecode: Hex
  readonly immutableReferences: Readonly<Record<string, readonly { readonly start: number; readonly length: number }[]>>
}

export function deployedCode(artifact: ContractArtifact, immutables: Readonly<Record<string, Hex>>): Hex {
  const code = hexToBytes(artifact.deployedBytecode)
  for (const [name, ranges] of Object.entries(artifact.immutableReferences)) {
    const value = immutables[name]
    if (value === undefined) throw new Error(`the immutable variable ${name} of ${artifact.contractName} has no known value`)
    for (const { start, length } of ranges) code.set(hexToBytes(pad(value, { size: length })), start)
  }
  return bytesToHex(code)
}

/** The constructor of every HTLC computes this from chain and address: see `Signatures.sol`. */
export function signatureImmutables({ chainId, address }: Pick<HtlcContract, 'chainId' | 'address'>, name: string): Record<string, Hex> {
  const domain = { ...initiateDomain, name, chainId, verifyingContract: address }
  return { _deployedChainId: numberToHex(chainId), _deployedDomainSeparator: domainSeparator({ domain }) }
}

export function htlcCode(contract: HtlcContract): Hex {
  return contract.token === null
    ? deployedCode(htlcNative, signatureImmutables(contract, nativeDomain.name))
    : deployedCode(htlcErc20, { ...signatureImmutables(contract, initiateDomain.name), _token: contract.token })
}

export async function verifyCode(node: Pick<EvmNode, 'code'>, address: Address, expected: Hex, what = 'our HTLC'): Promise<Hex> {
  const [found, wanted] = [keccak256(await node.code(address)), keccak256(expected)]
  if (found === wanted) return found
  throw new ChainFailure(
    'would-fail',
    `the code at ${address} is not that of ${what}: its hash is ${found}, expected ${wanted}. It is another contract, or another version of ours`,
  )
}
