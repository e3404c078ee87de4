/** Figures about the chains of a process and their nodes, for people and for Prometheus. */
import { providerNames, tallyOf } from '@tandem/chain-kit/port/provider-tally.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { ProviderRecord } from '@tandem/protocol/wire/operator.ts'
import type { ChainStatus } from '../engine/engine-report.ts'

export type ChainFigures = {
  readonly chain: Chain
  readonly status: ChainStatus
  readonly behind: number | null
  readonly blockAgeSeconds: number | null
  readonly providers: readonly ProviderRecord[]
}

export type ChainFigureSource = {
  readonly chains: readonly Chain[]
  readonly chainStatus: (chain: ChainId) => ChainStatus | null
  readonly nodes: Readonly<Record<ChainId, readonly string[]>>
  /** Unix seconds. */
  readonly now: () => bigint
}

export function readChainFigures({ chains, chainStatus, nodes, now }: ChainFigureSource): readonly ChainFigures[] {
  return chains.flatMap((chain) => {
    const status = chainStatus(chain.id)
    if (status === null) return []
    const { tip, recordedHeight } = status
    return [
      {
        chain,
        status,
        behind: tip === null || recordedHeight === null ? null : Math.max(0, Number(tip.height - recordedHeight)),
        blockAgeSeconds: tip === null ? null : Math.max(0, Number(now() - tip.time)),
        providers: providersOf(nodes[chain.id] ?? []),
      },
    ]
  })
}

/** Nodes that only announce blocks get no requests, so they have no figures. */
function providersOf(urls: readonly string[]): readonly ProviderRecord[] {
  const asked = urls.flatMap((url) => {
    const tally = tallyOf(url)
    return tally === null ? [] : [{ url, tally }]
  })
  const names = providerNames(asked.map(({ url }) => url))
  return asked.map(({ tally }, i) => ({ name: names[i] ?? '', ...tally.requests, failing: tally.isFailing }))
}
