/** The nodes that a configuration means for a chain: its own, or where it names none, public ones that must agree. */
import type { Chain } from '../protocol/chain.ts'
import type { PartyConfig, SecretReference } from './schema.ts'

type ChainConfig = PartyConfig['chains'][string]

export type ChainEndpoints = {
  readonly endpoints: Readonly<Record<string, readonly (SecretReference | string)[]>>
  readonly quorum: number
}

/** Nobody answers for a public node, so that none of them is believed alone. */
export const PUBLIC_QUORUM = 2

export function chainEndpoints(chain: Pick<Chain, 'publicRpcs'>, { endpoints, quorum }: ChainConfig): ChainEndpoints {
  if (endpoints === undefined) return { endpoints: { rpc: chain.publicRpcs ?? [] }, quorum: quorum ?? PUBLIC_QUORUM }
  const listed = Object.entries(endpoints).map(([kind, urls]) => [kind, Array.isArray(urls) ? urls : [urls]])
  return { endpoints: Object.fromEntries(listed), quorum: quorum ?? 1 }
}
