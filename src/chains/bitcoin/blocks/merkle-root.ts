/** Whether the transactions of a block are those that its header, and with it its hash, stands for. */
import { hash } from 'node:crypto'
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js'
import type { RawBlock } from './raw-block.ts'

/** As headers are shown: byte-reversed. */
export function merkleRootOf({ bytes, walk }: RawBlock): string {
  let level: Uint8Array[] = []
  walk(({ start, bodyStart, bodyEnd, end }) => {
    // BIP144: an id is the hash of version, inputs, outputs and lock time; it leaves out the witnesses, and what else comes in between.
    level.push(sha256d(concatBytes(bytes.subarray(start, start + 4), bytes.subarray(bodyStart, bodyEnd), bytes.subarray(end - 4, end))))
  })
  while (level.length > 1) level = pairs(level).map(([left, right]) => sha256d(concatBytes(left, right)))
  return bytesToHex((level[0] ?? new Uint8Array(32)).reverse())
}

/** The last of an odd number is its own neighbour. */
function pairs(hashes: readonly Uint8Array[]): readonly (readonly [Uint8Array, Uint8Array])[] {
  return hashes.flatMap((left, index) => (index % 2 === 0 ? [[left, hashes[index + 1] ?? left] as const] : []))
}

/** By the machine's own means: a block has thousands of them. */
function sha256d(bytes: Uint8Array): Uint8Array {
  return hash('sha256', hash('sha256', bytes, 'buffer'), 'buffer')
}
