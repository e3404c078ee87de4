/**
 * A Bloom filter over ids, with 4 bytes an id and at most 4 MB. It never denies an id that was added. It wrongly confirms one in 170,000
 * other ids, or one in 20 with five million ids: then the database decides.
 */
import { ID_END } from '../store/chain/watched.ts'

const BITS_PER_ID = 32
const HASHES = 8
const MAX_WORDS = 2 ** 20

export interface IdFilter {
  /** A full filter holds as many ids as its capacity. */
  readonly isFull: boolean
  /** The last `ID_END` characters of an id are enough, because they are parts of hashes. */
  add(id: string): void
  mayHave(id: string): boolean
}

export function createIdFilter(capacity: number): IdFilter {
  const words = new Uint32Array(Math.min(capacity, MAX_WORDS))
  const bits = words.length * BITS_PER_ID
  let size = 0
  return {
    get isFull() {
      return size >= capacity
    },
    add(id) {
      let isNew = false
      const step = secondHash(id)
      for (let n = 0, hash = firstHash(id); n < HASHES; n++, hash = (hash + step) | 0) {
        const bit = bitOf(hash, bits)
        const word = words[bit >>> 5] ?? 0
        const mask = 1 << (bit & 31)
        if ((word & mask) === 0) isNew = true
        words[bit >>> 5] = word | mask
      }
      // The same ids come again while an old transaction of the database is open, e.g. a backup. These do not count.
      if (isNew) size += 1
    },
    mayHave(id) {
      const step = secondHash(id)
      for (let n = 0, hash = firstHash(id); n < HASHES; n++, hash = (hash + step) | 0) {
        const bit = bitOf(hash, bits)
        if (((words[bit >>> 5] ?? 0) & (1 << (bit & 31))) === 0) return false
      }
      return true
    },
  }
}

function bitOf(hash: number, bits: number): number {
  return Math.floor(((hash >>> 0) / 2 ** 32) * bits)
}

/** FNV-1a, with the final mix of MurmurHash3. */
function firstHash(id: string): number {
  let hash = 0x811c9dc5
  for (let i = Math.max(0, id.length - ID_END); i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}

/** MurmurOAAT. The result is odd, so that the bits of an id differ. */
function secondHash(id: string): number {
  let hash = 0x9e3779b9
  for (let i = Math.max(0, id.length - ID_END); i < id.length; i++) {
    hash = Math.imul(hash ^ id.charCodeAt(i), 0x5bd1e995)
    hash ^= hash >>> 15
  }
  return hash | 1
}
