/** Which affiliates a contract can pay. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { TandemError } from '@tandem/protocol/error.ts'

/** Old accounts may be any text. A non-canonical form of an address would be another account in the ledger but the same in the contract. */
export function isPayable({ text }: Pick<ChainClient, 'text'>, affiliate: string): boolean {
  try {
    return text.parseAddress(affiliate) === affiliate
  } catch (error) {
    if (!(error instanceof TandemError)) throw error
    return false
  }
}

export function whyUnpayable({ affiliate, chain }: { readonly affiliate: string; readonly chain: ChainId }): string {
  return `"${affiliate}" is not an address on ${chain}: the operator has to pay it in another way`
}
