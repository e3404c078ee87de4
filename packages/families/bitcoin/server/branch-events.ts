/** Events of a branch. One new block, which is the usual poll, is read by its hash alone: its header names its parent. */

import type { BranchRead } from '@tandem/chain-kit/port/abilities/reading.ts'
import type { WatchedSwaps } from '@tandem/chain-kit/port/watched-swaps.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import type { BitcoinNetwork } from '../terms/networks.ts'
import { reorgWhileReading } from './blocks/scan-blocks.ts'
import { findEvents } from './events.ts'
import type { BitcoinBackend } from './nodes/backend.ts'

type Branch = { readonly from: bigint; readonly end: Block; readonly heights: readonly bigint[] }

export async function readBranch(
  backend: BitcoinBackend,
  network: BitcoinNetwork,
  watched: WatchedSwaps,
  { from, end, heights }: Branch,
): Promise<BranchRead> {
  const headers = async () => (heights.length === 0 ? [] : backend.headers(heights))
  if (watched.isEmpty || end.height < from) return { events: [], headers: await headers() }
  if (from === end.height) {
    const seen = await backend.transactionsOf(watched, end)
    return { events: await findEvents(seen, watched, network), headers: await headers() }
  }
  const seen = await backend.transactionsIn(watched, from, end.height)
  const events = await findEvents(seen, watched, network)
  const read = await headers()
  const last = read.find(({ height }) => height === end.height) ?? (await backend.blockAt(end.height))
  if (last?.hash !== end.hash) throw reorgWhileReading(end.height)
  return { events, headers: read }
}
