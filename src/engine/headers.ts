/** Reads several headers at once, and checks that they are of one chain. */
import type { ChainClient } from '../chains/port/client.ts'
import { ChainFailure } from '../chains/port/failure.ts'
import type { Block } from '../protocol/chain.ts'

/** By height. Rejects with 'unreachable' if neighbours are not linked, also across skipped heights: the node reorganised while it answered. */
export async function readHeaders(client: ChainClient, heights: Iterable<bigint>): Promise<ReadonlyMap<bigint, Block>> {
  const wanted = [...new Set(heights)].sort((a, b) => Number(a - b))
  const headers = new Map((await client.headers(wanted)).map((header) => [header.height, header]))
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

/** Heights [from, to]. */
export function heightsBetween(from: bigint, to: bigint): readonly bigint[] {
  return Array.from({ length: Math.max(0, Number(to - from) + 1) }, (_, index) => from + BigInt(index))
}

export function lacksBlock(client: ChainClient, height: bigint): ChainFailure {
  return new ChainFailure('unreachable', `${client.chain.id}: the node does not have block ${height}`)
}
