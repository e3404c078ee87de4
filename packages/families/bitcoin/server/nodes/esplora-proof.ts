/**
 * Reads transactions that an Esplora server without raw blocks says to be in a block. The server proves each one: a merkle branch leads from its id to the
 * root in a header that we have checked. It could still leave one out.
 */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { CheckedHeaders } from '../blocks/checked-headers.ts'
import { rootOfBranch } from '../blocks/merkle-root.ts'
import type { SeenTransaction } from '../events.ts'
import type { EsploraHttp, EsploraStatus } from './esplora-http.ts'

const MAX_CACHED = 1000

export type ReadProven = (txid: string, status: EsploraStatus) => Promise<SeenTransaction>

/** Each transaction takes one request, once per block that it is said to be in. */
export function createProvenReader(http: EsploraHttp, headers: CheckedHeaders): ReadProven {
  const proven = new Set<string>()

  async function prove(txid: string, hash: string): Promise<void> {
    if (proven.has(`${txid} ${hash}`)) return
    const proof = await http.merkleProof(txid)
    // The branch could begin at an inner node, which is the id of a transaction of 64 bytes: too short to pay a taproot output.
    if (proof === null || rootOfBranch(txid, proof) !== (await headers.merkleRoot(hash)))
      throw new ChainFailure('unreachable', `the server does not prove that transaction ${txid} is in block ${hash}`)
    if (proven.size >= MAX_CACHED) proven.clear()
    proven.add(`${txid} ${hash}`)
  }

  return async (txid, status) => {
    const transaction = await http.transaction(txid)
    if (status === null) return { transaction, block: null }
    const { height, hash, time } = await headers.block(status.hash)
    if (height !== status.height) throw new ChainFailure('unreachable', `the server says two heights of block ${hash}`)
    await prove(txid, hash)
    return { transaction, block: { height, hash, time } }
  }
}
