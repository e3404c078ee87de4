/** Encodes the HTLC of a token on Tron: the same Solidity as on EVM chains, with addresses in Tron's form. */

import type { ConnectOptions } from '@tandem/chain-kit/port/family.ts'
import { htlcTrc20 } from '@tandem/evm/contract/artifacts/htlc-trc20.ts'
import { deployedCode, signatureImmutables } from '@tandem/evm/terms/deploy/verify-code.ts'
import { type Contracts, createContracts, type HtlcContract, initiateDomain, initiateTypedData } from '@tandem/evm/terms/htlc.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { type Address, type Hex, pad } from 'viem'
import { fromEvmAddress, toEvmAddress } from './address.ts'
import { tronDataOf } from './chain-data.ts'

export function evmTerms(terms: HtlcTerms): HtlcTerms {
  return { ...terms, initiator: toEvmAddress(terms.initiator), redeemer: toEvmAddress(terms.redeemer) }
}

export function tronContracts(chain: Chain, assets: ConnectOptions['assets']): Contracts {
  return createContracts(
    chain,
    assets.map((asset) => {
      const { htlc, token } = asset.deployment
      if (token === null) throw new Error(`asset ${asset.id} has no token: TRX itself cannot be locked`)
      return { ...asset, deployment: { htlc: htlc === null ? null : toEvmAddress(htlc), token: toEvmAddress(token) } }
    }),
  )
}

export function tokenOf({ token }: HtlcContract): Address {
  if (token === null) throw new Error('an HTLC on Tron without a token')
  return token
}

export function htlcTrc20Code(chain: Chain, contract: HtlcContract): Hex {
  return deployedCode(htlcTrc20, {
    ...signatureImmutables(contract, initiateDomain.name),
    _token: tokenOf(contract),
    // A value of fewer bytes than a word is at its beginning.
    _create2Prefix: pad(tronDataOf(chain).create2Prefix, { dir: 'right', size: 32 }),
  })
}

/** Wallets must remove `EIP712Domain` from the types, and `destinationData` from types and message: the contract does not check it. */
export function tronTypedData(contract: HtlcContract, terms: HtlcTerms): Readonly<Record<string, unknown>> {
  const { domain, types, message, primaryType } = initiateTypedData(contract, terms)
  return {
    domain: { ...domain, verifyingContract: fromEvmAddress(domain.verifyingContract) },
    primaryType,
    types: { ...types, Initiate: [...types.Initiate, { name: 'destinationData', type: 'bytes' }] },
    message: { ...message, redeemer: fromEvmAddress(message.redeemer), destinationData: '0x' },
  }
}
