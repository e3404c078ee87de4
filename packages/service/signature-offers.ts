/** Remembers what users may sign for an asset instead of an approval. Lists wait for no node: an asset says it once it is known. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { ListedAsset } from '@tandem/protocol/registry/registry.ts'
import type { Logger } from '@tandem/runtime/log.ts'

export interface SignatureOffers {
  /** The best one is first. Empty while nothing is known. */
  of(asset: ListedAsset): readonly string[]
}

/** The client remembers for longer what it has tried. */
const REFRESH_MS = 60_000

export function createSignatureOffers(options: {
  readonly clients: ReadonlyMap<ChainId, ChainClient>
  readonly log: Pick<Logger, 'error'>
  readonly nowMs?: () => number
}): SignatureOffers {
  const { clients, log, nowMs = () => performance.now() } = options
  const known = new Map<AssetId, readonly string[]>()
  const askedAt = new Map<AssetId, number>()

  async function ask({ id, chain }: ListedAsset): Promise<void> {
    try {
      known.set(id, (await clients.get(chain)?.gasless?.offers?.(id)) ?? [])
    } catch (error) {
      // A node that does not answer leaves what was known before. The watchers report it.
      if (!(error instanceof ChainFailure)) throw error
    }
  }

  return {
    of(asset) {
      const { id, deployment } = asset
      if (deployment !== null && nowMs() - (askedAt.get(id) ?? Number.NEGATIVE_INFINITY) > REFRESH_MS) {
        askedAt.set(id, nowMs())
        void ask(asset).catch((error) => log.error({ asset: id, err: error }, 'what users may sign could not be found out'))
      }
      return known.get(id) ?? []
    },
  }
}
