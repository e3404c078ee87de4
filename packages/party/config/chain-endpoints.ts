/** The nodes of a chain: those of the configuration, or the registry's public ones with a quorum. */
import type { Chain } from '@tandem/protocol/chain.ts'
import type { EndpointConfig, PartyConfig } from './schema.ts'

type ChainConfig = PartyConfig['chains'][string]

export type ChainEndpoints = {
  readonly endpoints: Readonly<Record<string, readonly EndpointConfig[]>>
  readonly quorum: number
}

/** A single public node is never trusted, so two must agree. */
export const PUBLIC_QUORUM = 2

export function chainEndpoints(chain: Pick<Chain, 'publicRpcs'>, { endpoints, quorum }: ChainConfig): ChainEndpoints {
  if (endpoints === undefined) return { endpoints: { rpc: chain.publicRpcs ?? [] }, quorum: quorum ?? PUBLIC_QUORUM }
  const listed = Object.entries(endpoints).map(([kind, urls]) => [kind, Array.isArray(urls) ? urls : [urls]])
  return { endpoints: Object.fromEntries(listed), quorum: quorum ?? 1 }
}
