/** The running chains give an example quote. */

import { localAssets } from '@tandem/families/registry.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'

/** The query is from the first asset to a token of another chain, if there is one. Returns null if nothing can be swapped. */
export function exampleQuote(chains: readonly ChainId[]): string | null {
  const [from, ...others] = chains.flatMap((id) => localAssets.filter(({ chain }) => chain === id))
  const elsewhere = others.filter(({ chain }) => chain !== from?.chain)
  const to = elsewhere.find(({ tokenSchema }) => tokenSchema !== null) ?? elsewhere[0] ?? others[0]
  if (from === undefined || to === undefined) return null
  return `from=${from.id}&to=${to.id}&from_amount=${from.maxAmount / 100n}`
}
