/** Finds locks by the event `Initiated` of the pinned contracts. */

import type { LockSearch, Node, PinnedContract, ToldLock, ToldLocks } from '@tandem/chain-kit/browser/family.ts'
import { NodeError } from '@tandem/chain-kit/browser/node-error.ts'
import { jsonRpc } from '@tandem/chain-kit/browser/request.ts'
import { legOf, scanBlocks } from '@tandem/chain-kit/browser/scan-blocks.ts'
import { decodeEvent, eventKeys } from '../contract/client/events.ts'
import { addressOfFelt } from '../terms/address.ts'
import { createContracts, orderIdOf } from '../terms/htlc.ts'

type Event = { readonly keys: readonly string[]; readonly data: readonly string[]; readonly transaction_hash: string }
type Page = { readonly events?: readonly Event[]; readonly continuation_token?: string }
type Block = { readonly block_number: number; readonly timestamp: number }

/** The most that nodes give at once. */
const CHUNK = 1_000

export async function findLocks(search: LockSearch, node: Node): Promise<ToldLocks> {
  const { chain, contracts, budget, secretHashes } = search
  if (contracts.length === 0) return { locks: [], since: null }
  const blockAt = async (block_id: 'latest' | { readonly block_number: number }) =>
    (await jsonRpc(node, 'starknet_getBlockWithTxHashes', { block_id })) as Block
  const latest = await blockAt('latest')

  async function read(from: bigint, to: bigint): Promise<readonly ToldLock[]> {
    const found: ToldLock[] = []
    for (const of of contracts) {
      const contract = createContracts(chain, [{ ...of.asset, deployment: of.deployment }]).of(of.asset.id)
      const told = (event: Event) => toldBy(of, event, (terms) => orderIdOf(contract, terms))
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
        found.push(...page.events.flatMap(told))
        token = page.continuation_token
      }
    }
    return found
  }

  /** Empty for what is not a lock of the phrase. The id binds contract and terms: an event that was made up has another. */
  function toldBy(of: PinnedContract, { keys, data, transaction_hash: tx }: Event, idOf: (terms: ToldLock['terms']) => string) {
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
    // Not numbers: no event of the contract, whatever the node calls it.
    return null
  }
}
