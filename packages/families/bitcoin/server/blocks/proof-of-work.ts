/** Checks the work that a header proves, and how its target follows from its parent's. The rules are those of Bitcoin Core's pow.cpp. */
import { scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import type { ProofOfWork } from '../../terms/networks.ts'
import type { BlockHeader } from '../script/transaction.ts'
import { sha256d } from './merkle-root.ts'

const RETARGET_BLOCKS = 2016n
/** A retarget multiplies or divides the target by at most this. */
const RETARGET_FACTOR = 4n
/** Nodes of every network print difficulties relative to this target. */
const DIFFICULTY_ONE = 0xffffn << 208n

/** Node's own scrypt runs in its thread pool: a hash takes about a millisecond. */
const scryptAsync = promisify<Uint8Array, Uint8Array, number, object, Buffer>(scrypt)

/** The result is null for a compact form that is negative, zero, or above 256 bits. */
export function targetOf(bits: number): bigint | null {
  const size = bits >>> 24
  const word = BigInt(bits & 0x7fffff)
  if ((bits & 0x800000) !== 0 || word === 0n) return null
  const target = size <= 3 ? word >> BigInt(8 * (3 - size)) : word << BigInt(8 * (size - 3))
  return target === 0n || target >> 256n !== 0n ? null : target
}

/** A fault is a phrase whose subject is the block. `bytes` is the whole header. */
export async function workProblem(bytes: Uint8Array, { bits }: Pick<BlockHeader, 'bits'>, work: ProofOfWork): Promise<string | null> {
  const target = targetOf(bits)
  if (target === null) return 'has no valid target'
  if (target > easiestTarget(work)) return 'is easier to mine than any block of its network'
  if (work.difficulty === 'fixed' && bits !== work.easiestBits) return 'has another difficulty than its network'
  const hash = work.hash === 'sha256d' ? sha256d(bytes) : await scryptAsync(bytes, bytes, 32, { N: 1024, r: 1, p: 1 })
  return numberOf(hash) > target ? 'has no valid proof of work' : null
}

export function mayFollow(parentBits: number, bits: number, height: bigint, work: ProofOfWork): boolean {
  if (work.difficulty !== 'retargets') return true
  if (height % RETARGET_BLOCKS !== 0n) return bits === parentBits
  const [before, after] = [targetOf(parentBits), targetOf(bits)]
  if (before === null || after === null) return false
  const easiest = before * RETARGET_FACTOR
  const limit = targetOf(work.easiestBits) ?? 0n
  return after <= rounded(easiest > limit ? limit : easiest) && after >= rounded(before / RETARGET_FACTOR)
}

function easiestTarget({ easiestBits, minDifficulty }: ProofOfWork): bigint {
  const limit = targetOf(easiestBits) ?? 0n
  return minDifficulty === 0n ? limit : DIFFICULTY_ONE / minDifficulty
}

/** The compact form keeps 23 or 16 bits of a target, rounded down. */
function rounded(target: bigint): bigint {
  const bytes = Math.ceil(target.toString(16).length / 2)
  if (bytes <= 2) return target
  const top = target >> BigInt(8 * (bytes - 3))
  // The highest bit of the three bytes is a sign: such a number is kept with one byte less.
  const dropped = BigInt(8 * (top >= 0x800000n ? bytes - 2 : bytes - 3))
  return (target >> dropped) << dropped
}

/** Hashes are numbers with their lowest byte first. */
function numberOf(hash: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(hash).reverse().toString('hex')}`)
}
