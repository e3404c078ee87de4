/** Finds locks by the event `Initiated` of the pinned contracts. */

import type { ListedLock, ListedLocks, LockSearch, Node, PinnedContract } from '@tandem/chain-kit/browser/family.ts'
import { NodeError } from '@tandem/chain-kit/browser/node-error.ts'
import { jsonRpc } from '@tandem/chain-kit/browser/request.ts'
import { legOf, scanBlocks } from '@tandem/chain-kit/browser/scan-blocks.ts'
import { decodeEvent, eventKeys } from '../contract/client/events.ts'
import { addressOfFelt } from '../terms/address.ts'
import { createContracts, orderIdOf } from '../terms/htlc.ts'

type Event = { readonly keys: readonly string[]; readonly data: readonly string[]; readonly transaction_hash: string }
type Page = { readonly events?: readonly Event[]; readonly continuation_token?: string }
type Block = { readonly block_number: number; readonly timestamp: number }

/** Nodes give at most this many events in one answer. */
const CHUNK = 1_000

export async function findLocks(search: LockSearch, node: Node): Promise<ListedLocks> {
  const { chain, contracts, budget, secretHashes } = search
  if (contracts.length === 0) return { locks: [], since: null }
  const blockAt = async (block_id: 'latest' | { readonly block_number: number }) =>
    (await jsonRpc(node, 'starknet_getBlockWithTxHashes', { block_id })) as Block
  const latest = await blockAt('latest')

  async function read(from: bigint, to: bigint): Promise<readonly ListedLock[]> {
    const found: ListedLock[] = []
    for (const of of contracts) {
      const contract = createContracts(chain, [{ ...of.asset, deployment: of.deployment }]).of(of.asset.id)
      const locksIn = (event: Event) => lockIn(of, event, (terms) => orderIdOf(contract, terms))
      for (let token: string | undefined, isLast = false; !isLast; isLast = token === undefined) {
        if (budget.left <= 0) throw new NodeError('the node has more events than requests are left for')
        const filter = {
          address: contract.address,
          keys: [[eventKeys.initiated]],
          from_block: { block_number: Number(from) },
          to_block: { block_number: Number(to) },
          chunk_size: CHUNK,
          ...(token !== undefined && { continuation_token: token }),
        }
        const page = (await jsonRpc(node, 'starknet_getEvents', { filter })) as Page
        if (!Array.isArray(page.events)) throw new NodeError('starknet_getEvents: the node answered no list')
        found.push(...page.events.flatMap(locksIn))
        token = page.continuation_token
      }
    }
    return found
  }

  /** The result is empty if the event is no lock of the phrase. The id binds contract and terms, so it cannot be invented. */
  function lockIn(of: PinnedContract, { keys, data, transaction_hash: tx }: Event, idOf: (terms: ListedLock['terms']) => string) {
    const event = decoded(keys, data)
    if (event?.kind !== 'initiated' || !secretHashes.has(event.terms.secretHash)) return []
    const { initiator, redeemer, ...rest } = event.terms
    const terms = { ...rest, asset: of.asset.id, initiator: addressOfFelt(initiator), redeemer: addressOfFelt(redeemer) }
    return idOf(terms) === event.orderId ? [{ ...of, leg: legOf(chain, terms), terms, tx }] : []
  }

  const { found, since } = await scanBlocks({
    ...search,
    tip: { height: BigInt(latest.block_number), time: BigInt(latest.timestamp) },
    timeAt: async (height) => BigInt((await blockAt({ block_number: Number(height) })).timestamp),
    read,
    ...(node.signal !== undefined && { signal: node.signal }),
  })
  return { locks: found, since }
}

function decoded(keys: readonly string[], data: readonly string[]) {
  try {
    return decodeEvent(keys, data)
  } catch {
    // The contract emits numbers only, so this is no event of it, whatever the node says.
    return null
  }
}
