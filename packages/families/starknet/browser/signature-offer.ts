/** What the user may sign instead of an approval is computed here too. Only the account that may relay it is taken from the service. */

import { verifySame, verifyThat } from '@tandem/chain-kit/browser/check.ts'
import type { SourceSide } from '@tandem/chain-kit/browser/family.ts'
import type { FundingResult } from '@tandem/protocol/funding/funding.ts'
import { parseAddress } from '../terms/address.ts'
import type { HtlcContract } from '../terms/htlc.ts'
import { type OutsideTypedData, type OutsideWay, outsideExecutionOf, outsideTypedData, outsideWays } from '../terms/outside-execution.ts'

export type SignedOffer = { readonly offer: OutsideWay; readonly typedData: OutsideTypedData }

type Shown = NonNullable<FundingResult<'feltCalls'>['signature_offers']>[number]

const callerFields = { 'outside-execution-v2': 'Caller', 'outside-execution-v1': 'caller' } as const satisfies Record<OutsideWay, string>

/** The first offer that we know. Whoever the caller is: it can approve and initiate this order, once and until the deadline, or nothing. */
export function offerOf({ terms, deadline }: SourceSide, contract: HtlcContract, shown: readonly Shown[] = []): SignedOffer | null {
  // The answer of a service is of any shape.
  verifyThat(Array.isArray(shown), 'signature_offers', 'a list', JSON.stringify(shown))
  for (const one of shown as readonly (Partial<Shown> | null | undefined)[]) {
    const offer = outsideWays.find((way) => way === one?.offer)
    if (one == null || offer === undefined) continue
    verifyThat(Array.isArray(one.typed_data), 'signature_offers', 'a list of typed data', JSON.stringify(one.typed_data))
    const execution = outsideExecutionOf(
      contract,
      { ...terms, initiator: parseAddress(terms.initiator) },
      callerIn(offer, one.typed_data),
      deadline,
    )
    const typedData = outsideTypedData(offer, contract.chainId, execution)
    verifySame('signature_offers', [typedData], one.typed_data)
    return { offer, typedData }
  }
  return null
}

function callerIn(offer: OutsideWay, [first]: Shown['typed_data']): string {
  const caller = ((first?.message ?? {}) as Partial<Record<string, unknown>>)[callerFields[offer]]
  const isAccount = (value: unknown): value is string => typeof value === 'string' && /^0x[1-9a-f][0-9a-f]{0,62}$/.test(value)
  verifyThat(isAccount(caller), 'signature_offers', 'an account that calls', JSON.stringify(caller))
  return caller
}
