// What the simulator needs of the compiled HTLC.
import htlcAbi from '../../../contracts/starknet/artifacts/htlc.abi.json' with { type: 'json' }
import { htlcClass } from '../../../contracts/starknet/artifacts/htlc.ts'
import type { KnownClassHashes } from '../transactions/declared-class.ts'

export const htlcClassHash = BigInt(htlcClass.classHash)
export { htlcAbi }
export const knownClassHashes: KnownClassHashes = new Map()
