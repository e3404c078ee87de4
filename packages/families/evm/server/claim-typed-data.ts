/** The typed data (EIP-712) that lets an affiliate take what it earned out of the distributor. */
import type { Claim } from '@tandem/chain-kit/port/abilities/distributor.ts'
import type { Address } from 'viem'
import { parseAddress } from '../terms/address.ts'

export const CLAIM_DOMAIN = 'Distributor'

export function claimTypedData(where: { readonly chainId: number; readonly verifyingContract: Address }, claim: Claim, token: Address) {
  return {
    domain: { name: CLAIM_DOMAIN, version: '1', ...where },
    types: {
      Claim: [
        { name: 'recipient', type: 'address' },
        { name: 'token', type: 'address' },
        { name: 'total', type: 'uint256' },
      ],
    },
    primaryType: 'Claim',
    message: { recipient: parseAddress(claim.recipient), token, total: claim.total },
  } as const
}
