/** What the user may sign instead of an approval is computed here too. Only what the token itself decides is taken from the service. */

import { verifySame, verifyThat } from '@tandem/chain-kit/browser/check.ts'
import type { SourceSide } from '@tandem/chain-kit/browser/family.ts'
import type { FundingResult } from '@tandem/protocol/funding/funding.ts'
import { maxUint256 } from 'viem'
import { type HtlcContract, initiateTypedData } from '../terms/htlc.ts'
import {
  authorizationData,
  authorizationOf,
  permit2Data,
  permitData,
  permitOf,
  type SignatureWay,
  signatureWays,
  type TokenDomain,
  type TypedData,
} from '../terms/one-signature.ts'

export type SignedOffer = { readonly offer: SignatureWay; readonly typedData: readonly TypedData[] }

type Shown = NonNullable<FundingResult<'calls'>['signature_offers']>[number]

const MAX_TEXT = 100

/** The first offer that we know. A wrong domain or nonce makes a signature that the token refuses, and nothing else takes it. */
export function offerOf(side: SourceSide, contract: HtlcContract, shown: readonly Shown[] = []): SignedOffer | null {
  // The answer of a service is of any shape.
  verifyThat(Array.isArray(shown), 'signature_offers', 'a list', JSON.stringify(shown))
  for (const one of shown as readonly (Partial<Shown> | null | undefined)[]) {
    const offer = signatureWays.find((way) => way === one?.offer)
    if (one == null || offer === undefined) continue
    verifyThat(Array.isArray(one.typed_data), 'signature_offers', 'a list of typed data', JSON.stringify(one.typed_data))
    const typedData = expected(side, contract, offer, one.typed_data)
    verifySame('signature_offers', typedData, one.typed_data)
    return { offer, typedData }
  }
  return null
}

function expected({ terms, deadline }: SourceSide, contract: HtlcContract, offer: SignatureWay, shown: Shown['typed_data']) {
  const { chainId, token } = contract
  verifyThat(token !== null, 'signature_offers', 'none for a native coin', offer)
  switch (offer) {
    case 'authorization':
      return [authorizationData(chainId, token, domainIn(shown), authorizationOf(contract, terms, deadline))]
    case 'permit': {
      const permit = permitOf(contract, terms, nonceIn(shown), deadline)
      return [permitData(chainId, token, domainIn(shown), permit), initiateTypedData(contract, terms)]
    }
    case 'permit2':
      return [permit2Data(contract, token, terms, deadline)]
  }
}

function domainIn([first]: Shown['typed_data']): TokenDomain {
  const { name, version, salt } = (first?.domain ?? {}) as Partial<Record<string, unknown>>
  const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= MAX_TEXT
  verifyThat(isText(name) && isText(version), 'signature_offers', 'a domain with name and version', JSON.stringify({ name, version }))
  // Which of the two names the chain is the token's own. The chain itself is ours.
  return salt === undefined ? { name, version } : { name, version, chainIsSalt: true }
}

function nonceIn([first]: Shown['typed_data']): bigint {
  const { nonce } = (first?.message ?? {}) as Partial<Record<string, unknown>>
  const isNonce = (value: unknown): value is string => typeof value === 'string' && /^\d{1,78}$/.test(value) && BigInt(value) <= maxUint256
  verifyThat(isNonce(nonce), 'signature_offers', 'a nonce', JSON.stringify(nonce))
  return BigInt(nonce)
}
