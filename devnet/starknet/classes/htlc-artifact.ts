// What the simulator needs of the compiled HTLC.
import { shortString } from '../felt.ts'
import type { KnownClassHashes } from '../transactions/declared-class.ts'

export const htlcClassHash = shortString('simulated HTLC')
export const htlcAbi: readonly unknown[] = []
export const knownClassHashes: KnownClassHashes = new Map()
