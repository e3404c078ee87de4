// Describes a block with its place in the tree of all known blocks.
import type { Block } from './block.ts'
import type { Undo } from './connect-block.ts'
import { workOf } from './proof-of-work.ts'

export type BlockNode = {
  readonly block: Block
  readonly previous: BlockNode | null
  readonly height: number
  readonly chainWork: bigint
  readonly medianTimePast: number
  /** The order of arrival decides between two chains of equal work: the first seen stays. */
  readonly arrival: number
  readonly children: BlockNode[]
  failed: boolean
  undo: Undo | null
}

const MEDIAN_SPAN = 11

function medianTime(time: number, previous: BlockNode | null): number {
  const times = [time]
  for (let node = previous; node !== null && times.length < MEDIAN_SPAN; node = node.previous) times.push(node.block.header.time)
  times.sort((a, b) => a - b)
  return times[Math.floor(times.length / 2)] ?? time
}

export function createBlockNode(block: Block, previous: BlockNode | null, arrival: number): BlockNode {
  return {
    block,
    previous,
    height: previous === null ? 0 : previous.height + 1,
    chainWork: (previous?.chainWork ?? 0n) + workOf(block.header.bits),
    medianTimePast: medianTime(block.header.time, previous),
    arrival,
    children: [],
    failed: false,
    undo: null,
  }
}
