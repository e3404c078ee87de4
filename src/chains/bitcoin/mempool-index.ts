/**
 * Which unconfirmed transaction pays which script and spends which output, kept up to date by fetching only what is new.
 * Only taproot outputs are indexed (HTLCs are nothing else), so that a full mempool on a public network costs tens of megabytes and not hundreds.
 */
import { bytesToHex } from '@noble/hashes/utils.js'
import type { JsonRpc } from './json-rpc.ts'
import { asArray, asHash, asTransaction } from './node-json.ts'
import type { Outpoint, ParsedTransaction } from './transaction.ts'

export interface MempoolIndex {
  /** Must be called before looking something up; concurrent calls share one refresh. */
  refresh(): Promise<void>
  has(txid: string): boolean
  payersOf(script: string): readonly string[]
  spenderOf(outpoint: Outpoint): string | null
}

const BATCH_SIZE = 200

type Entry = { readonly scripts: readonly string[]; readonly outpoints: readonly Outpoint[] }

export function createMempoolIndex(rpc: JsonRpc): MempoolIndex {
  const entries = new Map<string, Entry>()
  const payers = new Map<string, Set<string>>()
  const spenders = new Map<Outpoint, string>()
  let refreshing: Promise<void> | null = null

  const add = (txid: string, transaction: ParsedTransaction) => {
    const scripts = transaction.outputs.filter(({ script }) => isTaproot(script)).map(({ script }) => bytesToHex(script))
    const outpoints = transaction.inputs.map((input) => input.outpoint)
    entries.set(txid, { scripts, outpoints })
    for (const script of scripts) payers.set(script, (payers.get(script) ?? new Set()).add(txid))
    for (const outpoint of outpoints) spenders.set(outpoint, txid)
  }

  const remove = (txid: string, entry: Entry) => {
    entries.delete(txid)
    for (const script of entry.scripts) {
      const set = payers.get(script)
      set?.delete(txid)
      if (set?.size === 0) payers.delete(script)
    }
    // A replacement may have taken the entry over.
    for (const outpoint of entry.outpoints) if (spenders.get(outpoint) === txid) spenders.delete(outpoint)
  }

  const update = async () => {
    const now = new Set(asArray(await rpc.call('getrawmempool', [])).map(asHash))
    for (const [txid, entry] of entries) if (!now.has(txid)) remove(txid, entry)
    const fresh = [...now].filter((txid) => !entries.has(txid))
    for (let i = 0; i < fresh.length; i += BATCH_SIZE) {
      const txids = fresh.slice(i, i + BATCH_SIZE)
      const raws = await rpc.batch(txids.map((txid) => ({ method: 'getrawtransaction', params: [txid] })))
      for (const [n, txid] of txids.entries()) {
        // Refused: it has left the mempool since it was listed.
        if (raws[n] !== null) add(txid, asTransaction(raws[n]))
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
    has: (txid) => entries.has(txid),
    payersOf: (script) => [...(payers.get(script) ?? [])],
    spenderOf: (outpoint) => spenders.get(outpoint) ?? null,
  }
}

/** BIP341: OP_1 and a push of 32 bytes. */
function isTaproot(script: Uint8Array): boolean {
  return script.length === 34 && script[0] === 0x51 && script[1] === 0x20
}
