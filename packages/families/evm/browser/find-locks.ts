/** Finds locks by the event `Initiated` of the pinned contracts, on EVM chains and on Tron. */

import type { ListedLock, ListedLocks, LockSearch, Node, PinnedContract } from '@tandem/chain-kit/browser/family.ts'
import { NodeError } from '@tandem/chain-kit/browser/node-error.ts'
import { jsonRpc } from '@tandem/chain-kit/browser/request.ts'
import { legOf, scanBlocks } from '@tandem/chain-kit/browser/scan-blocks.ts'
import { type Address, decodeAbiParameters, getAbiItem, type Hex, toEventSelector } from 'viem'
import { htlcErc20 } from '../contract/artifacts/htlc-erc20.ts'
import { type HtlcContract, orderIdOf } from '../terms/htlc.ts'

/** All HTLCs emit the same event. Only the order id is indexed, so all of a contract's events are read. */
const initiated = getAbiItem({ abi: htlcErc20.abi, name: 'Initiated' })
const INITIATED = toEventSelector(initiated)
const [, ...initiatedData] = initiated.inputs

type Log = { readonly address: Address; readonly topics: readonly Hex[]; readonly data: Hex; readonly transactionHash: Hex }
type Block = { readonly number: Hex; readonly timestamp: Hex }

export type Dialect = {
  readonly contractOf: (of: PinnedContract) => HtlcContract
  readonly partyOf: (address: Address) => string
  readonly path?: string
}

export async function findLocks(search: LockSearch, node: Node, { contractOf, partyOf, path = '' }: Dialect): Promise<ListedLocks> {
  const byAddress = new Map(search.contracts.map((of) => [contractOf(of).address, { of, contract: contractOf(of) }]))
  if (byAddress.size === 0) return { locks: [], since: null }
  const blockAt = async (block: bigint | 'latest') => {
    const found = await jsonRpc(node, 'eth_getBlockByNumber', [block === 'latest' ? block : hex(block), false], path)
    if (found === null) throw new NodeError(`eth_getBlockByNumber: the node does not have block ${block}`)
    return found as Block
  }
  const latest = await blockAt('latest')

  async function read(from: bigint, to: bigint): Promise<readonly ListedLock[]> {
    const filter = { address: [...byAddress.keys()], topics: [INITIATED], fromBlock: hex(from), toBlock: hex(to) }
    const logs = await jsonRpc(node, 'eth_getLogs', [filter], path)
    if (!Array.isArray(logs)) throw new NodeError('eth_getLogs: the node answered no list')
    return logs.flatMap((log: Log) => lockIn(log) ?? [])
  }

  /** Null means that the log is no lock of the phrase. The id binds contract and terms, so an invented event has another id. */
  function lockIn(log: Log): ListedLock | null {
    const known = byAddress.get(String(log?.address).toLowerCase() as Address)
    const terms = known === undefined ? null : termsIn(log)
    if (known === undefined || terms === null || !search.secretHashes.has(terms.secretHash)) return null
    if (orderIdOf(known.contract, { ...terms, asset: known.of.asset.id }) !== log.topics[1]) return null
    const parties = { initiator: partyOf(terms.initiator), redeemer: partyOf(terms.redeemer) }
    return {
      ...known.of,
      leg: legOf(search.chain, terms),
      terms: { ...terms, ...parties, asset: known.of.asset.id },
      tx: String(log.transactionHash),
    }
  }

  const { found, since } = await scanBlocks({
    ...search,
    tip: { height: BigInt(latest.number), time: BigInt(latest.timestamp) },
    timeAt: async (height) => BigInt((await blockAt(height)).timestamp),
    read,
    ...(node.signal !== undefined && { signal: node.signal }),
  })
  return { locks: found, since }
}

function termsIn({ topics, data }: Log) {
  if (topics?.[0] !== INITIATED) return null
  try {
    const [initiator, redeemer, timelock, amount, secretHash] = decodeAbiParameters(initiatedData, data)
    return {
      initiator: initiator.toLowerCase() as Address,
      redeemer: redeemer.toLowerCase() as Address,
      timelock,
      amount,
      secretHash: secretHash.slice(2).toLowerCase(),
    }
  } catch {
    // The node calls it this event, but the data are not those of this event.
    return null
  }
}

const hex = (height: bigint): Hex => `0x${height.toString(16)}`
