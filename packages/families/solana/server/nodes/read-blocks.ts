/** Reads blocks of one provider, and distinguishes a slot without a block from a block that the provider lacks. */
import {
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_BLOCK_NOT_AVAILABLE,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_LONG_TERM_STORAGE_SLOT_SKIPPED,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SLOT_SKIPPED,
} from '@solana/kit'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { record, whole } from '@tandem/chain-kit/providers/json.ts'
import { Refusal } from '@tandem/chain-kit/providers/refusal.ts'
import { address } from '../../terms/nodes/json.ts'
import type { SlotBlock, SolanaNode } from './node.ts'
import type { Rpc } from './rpc.ts'

const CONFIRMED = { commitment: 'confirmed' } as const
/** The transactions of a block are megabytes, and most are not ours. */
const HEADER_ONLY = { ...CONFIRMED, transactionDetails: 'none', rewards: false, maxSupportedTransactionVersion: 1 } as const
/** A provider's backends are not all at the same slot: the newest block may be this much lower at the next request. */
const NEWEST_SLOTS = 8n

/** 'skipped' means that the slot has no block, or that the node never received it. A quorum and the links between blocks decide which. */
type Found = SlotBlock | 'skipped' | 'not-available'

export function createBlockReader(rpc: Rpc): Pick<SolanaNode, 'block' | 'blocks' | 'finalSlot'> {
  const newestSlot = async () => whole(await rpc.read('getSlot', [CONFIRMED]))

  async function find(slot: bigint): Promise<Found> {
    try {
      const answer = await rpc.request('getBlock', [Number(slot), HEADER_ONLY])
      return answer === null ? 'not-available' : parseBlock(slot, answer)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      switch (error.code) {
        case SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SLOT_SKIPPED:
        case SOLANA_ERROR__JSON_RPC__SERVER_ERROR_LONG_TERM_STORAGE_SLOT_SKIPPED:
          return 'skipped'
        case SOLANA_ERROR__JSON_RPC__SERVER_ERROR_BLOCK_NOT_AVAILABLE:
          return 'not-available'
        default:
          throw new ChainFailure('unreachable', `block ${slot}: the node refused (${error.code} ${error.message})`, { cause: error })
      }
    }
  }

  async function blocks(slots: readonly bigint[]): Promise<readonly SlotBlock[]> {
    const found = await Promise.all(slots.map(find))
    const missing = slots.filter((_, i) => found[i] === 'not-available')
    if (missing.length > 0) await assertNotReached(missing)
    return found.filter((one) => typeof one === 'object')
  }

  /** A node must not report a slot as skipped that it has not reached. A block that arrived meanwhile is above the slots that were read. */
  async function assertNotReached(slots: readonly bigint[]): Promise<void> {
    const newest = await newestSlot()
    const due = slots.filter((slot) => slot <= newest)
    const again = await Promise.all(due.map(find))
    const lacking = due.find((_, i) => again[i] === 'not-available')
    if (lacking !== undefined) throw new ChainFailure('unreachable', `it does not have block ${lacking}, and its newest is ${newest}`)
  }

  async function newest(): Promise<SlotBlock> {
    const slot = await newestSlot()
    const block = await find(slot)
    if (typeof block === 'object') return block
    const below = Array.from({ length: Number(slot < NEWEST_SLOTS ? slot : NEWEST_SLOTS) }, (_, i) => slot - BigInt(i) - 1n)
    const found = (await Promise.all(below.map(find))).find((one) => typeof one === 'object')
    if (found === undefined) throw new ChainFailure('unreachable', `it has no block from slot ${slot - NEWEST_SLOTS} to ${slot}`)
    return found
  }

  return {
    block: async (slot) => (slot === 'latest' ? newest() : ((await blocks([slot]))[0] ?? null)),
    blocks,
    finalSlot: async () => whole(await rpc.read('getSlot', [{ commitment: 'finalized' }])),
  }
}

function parseBlock(slot: bigint, answer: unknown): SlotBlock {
  const { blockhash, previousBlockhash, blockTime, blockHeight } = record(answer)
  return {
    height: slot,
    hash: address(blockhash),
    parentHash: address(previousBlockhash),
    time: whole(blockTime),
    ordinal: whole(blockHeight),
  }
}

/** The key has the whole header: a false time beside a true hash must not pass as the same block. */
export function keyOfBlock({ height, hash, parentHash, time, ordinal }: SlotBlock): string {
  return [height, hash, parentHash, time, ordinal].join(' ')
}
