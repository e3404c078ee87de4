/**
 * Indexes unconfirmed transactions by the taproot addresses that they pay and the outputs that they spend. HTLCs are taproot outputs, so
 * only these are indexed: a full mempool then takes tens of megabytes instead of hundreds.
 */
import type { FoundSwaps, WatchedSwaps } from '@tandem/chain-kit/port/watched-swaps.ts'
import { list } from '@tandem/chain-kit/providers/json.ts'
import type { JsonRpc } from '@tandem/chain-kit/providers/json-rpc.ts'
import { Refusal } from '@tandem/chain-kit/providers/refusal.ts'
import type { BitcoinNetwork } from '../../terms/networks.ts'
import { asHash, asRawTransaction } from '../nodes/node-json.ts'
import { taprootAddressAt } from '../script/taproot-address.ts'
import type { Outpoint } from '../script/transaction.ts'
import { outpointAt, walkTransaction } from './transaction-walk.ts'

export interface MempoolIndex {
  /** A refresh must come before a lookup. Concurrent calls share one refresh. */
  refresh(): Promise<void>
  /** `txids` pay a watched swap or spend a known deposit. `swaps` are the watched swaps that the mempool pays. */
  touching(watched: WatchedSwaps): Promise<{ readonly txids: Set<string>; readonly swaps: FoundSwaps }>
  spenderOf(outpoint: Outpoint): string | null
}

const BATCH_SIZE = 200

type Entry = { readonly addresses: readonly string[]; readonly outpoints: readonly Outpoint[] }

export function createMempoolIndex(rpc: JsonRpc, network: BitcoinNetwork): MempoolIndex {
  const entries = new Map<string, Entry>()
  const payers = new Map<string, Set<string>>()
  const spenders = new Map<Outpoint, string>()
  let refreshing: Promise<void> | null = null

  const add = (txid: string, entry: Entry) => {
    entries.set(txid, entry)
    for (const address of entry.addresses) payers.set(address, (payers.get(address) ?? new Set()).add(txid))
    for (const outpoint of entry.outpoints) spenders.set(outpoint, txid)
  }

  const remove = (txid: string, entry: Entry) => {
    entries.delete(txid)
    for (const address of entry.addresses) {
      const set = payers.get(address)
      set?.delete(txid)
      if (set?.size === 0) payers.delete(address)
    }
    // The replacement of the transaction may own the entry by now.
    for (const outpoint of entry.outpoints) if (spenders.get(outpoint) === txid) spenders.delete(outpoint)
  }

  const update = async () => {
    const now = new Set(list(await rpc.call('getrawmempool', [])).map(asHash))
    for (const [txid, entry] of entries) if (!now.has(txid)) remove(txid, entry)
    const fresh = [...now].filter((txid) => !entries.has(txid))
    for (let i = 0; i < fresh.length; i += BATCH_SIZE) {
      const txids = fresh.slice(i, i + BATCH_SIZE)
      const raws = await rpc.batch(txids.map((txid) => ({ method: 'getrawtransaction', params: [txid] })))
      for (const [n, txid] of txids.entries()) {
        // The node refuses a transaction that has left the mempool since.
        if (!(raws[n] instanceof Refusal))
          add(
            txid,
            asRawTransaction(raws[n], (bytes) => readEntry(bytes, network)),
          )
      }
    }
  }

  return {
    async refresh() {
      refreshing ??= update().finally(() => {
        refreshing = null
      })
      await refreshing
    },
    async touching(watched) {
      const swaps = await watched.find({ swapIds: payers.keys(), spent: spenders.keys() })
      const txids = new Set<string>()
      for (const [address, paying] of payers) if (swaps.bySwapId(address) !== undefined) for (const txid of paying) txids.add(txid)
      for (const [outpoint, txid] of spenders) if (swaps.byDeposit(outpoint) !== undefined) txids.add(txid)
      return { txids, swaps }
    },
    spenderOf: (outpoint) => spenders.get(outpoint) ?? null,
  }
}

function readEntry(bytes: Buffer, network: BitcoinNetwork): Entry {
  const { inputs, outputs } = walkTransaction(bytes)
  const addresses: string[] = []
  for (let i = 0; i < outputs.length; i += 2) {
    const address = taprootAddressAt(bytes, network, outputs[i], outputs[i + 1])
    if (address !== null) addresses.push(address)
  }
  return { addresses, outpoints: inputs.map((position) => outpointAt(bytes, position)) }
}
