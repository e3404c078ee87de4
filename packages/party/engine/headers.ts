/** Reads several headers at once, and checks that they are from one chain. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Block } from '@tandem/protocol/chain.ts'

/** The map is in ascending order of height. Rejects with 'unreachable' as `linkHeaders` does. */
export async function readHeaders(client: ChainClient, heights: Iterable<bigint>): Promise<ReadonlyMap<bigint, Block>> {
  const wanted = ascending(heights)
  return linkHeaders(client, wanted, await client.headers(wanted))
}

/**
 * The map is in ascending order of height. `heights` are those that were requested. Throws 'unreachable' if neighbours are not linked, also
 * across skipped heights: the node reorganised while it answered.
 */
export function linkHeaders(client: ChainClient, heights: Iterable<bigint>, found: readonly Block[]): ReadonlyMap<bigint, Block> {
  const wanted = ascending(heights)
  const byHeight = new Map(found.map((header) => [header.height, header]))
  const headers = new Map(wanted.flatMap((height) => (byHeight.has(height) ? [[height, byHeight.get(height) as Block] as const] : [])))
  let parent: Block | undefined
  for (const [i, height] of wanted.entries()) {
    if (wanted[i - 1] !== height - 1n) parent = undefined
    const header = headers.get(height)
    if (header !== undefined && parent !== undefined && header.parentHash !== parent.hash)
      throw new ChainFailure('unreachable', `${client.chain.id} is reorganising at block ${height}`)
    parent = header ?? parent
  }
  return headers
}

function ascending(heights: Iterable<bigint>): readonly bigint[] {
  return [...new Set(heights)].sort((a, b) => Number(a - b))
}

/** Both ends are included. */
export function heightsBetween(from: bigint, to: bigint): readonly bigint[] {
  return Array.from({ length: Math.max(0, Number(to - from) + 1) }, (_, index) => from + BigInt(index))
}

export function lacksBlock(client: ChainClient, height: bigint): ChainFailure {
  return new ChainFailure('unreachable', `${client.chain.id}: the node does not have block ${height}`)
}
