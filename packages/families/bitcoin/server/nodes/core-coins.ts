/**
 * Reads the unspent outputs of an address, from a node without a wallet. A scan of the whole UTXO set takes minutes on mainnet
 * (`core-scan.ts`), so it runs once per address; afterwards new blocks are read instead. An operator who restarts often adds an Esplora
 * endpoint, which answers from an index.
 */
import { bytesToHex } from '@noble/hashes/utils.js'
import { type Json, list, record, whole } from '@tandem/chain-kit/providers/json.ts'
import type { JsonRpc } from '@tandem/chain-kit/providers/json-rpc.ts'
import type { BitcoinNetwork } from '../../terms/networks.ts'
import type { MempoolIndex } from '../blocks/mempool-index.ts'
import { type BlockSource, readBlock, reorgWhileReading } from '../blocks/scan-blocks.ts'
import { outpointAt, type RawBlock } from '../blocks/transaction-walk.ts'
import { isCoinbase, type Outpoint, type ParsedTransaction, parseTransaction } from '../script/transaction.ts'
import type { Coin } from './backend.ts'
import type { CoreScans } from './core-scan.ts'
import { asHash, asSatoshis } from './node-json.ts'

/** If the snapshot is further behind, one scan is cheaper than reading the blocks. */
const MAX_BLOCKS_TO_READ = 50n
const COINBASE_MATURITY = 100n

type MinedCoin = { readonly amount: bigint; readonly height: bigint; readonly isCoinbase: boolean }
type Snapshot = { readonly height: bigint; readonly hash: string; readonly coins: ReadonlyMap<Outpoint, MinedCoin> }

export type CoreCoinsPorts = {
  readonly rpc: JsonRpc
  readonly scans: CoreScans
  readonly network: BitcoinNetwork
  readonly blocks: BlockSource
  readonly mempool: MempoolIndex
  readonly unconfirmedTransaction: (txid: string) => Promise<ParsedTransaction | null>
}

export interface CoreCoins {
  coinsOf(address: string, script: Uint8Array): Promise<readonly Coin[]>
}

export function createCoreCoins(ports: CoreCoinsPorts): CoreCoins {
  const snapshots = new Map<string, Snapshot>()
  const scanning = new Map<string, Promise<unknown>>()
  /** Each address has a queue: an older snapshot must not overwrite a newer one. */
  const queues = new Map<string, Promise<unknown>>()

  const current = async (address: string, script: Uint8Array): Promise<Snapshot> => {
    const known = snapshots.get(address)
    const snapshot = (known === undefined ? null : await follow(ports, known, script)) ?? (await scan(address))
    snapshots.set(address, snapshot)
    return snapshot
  }

  async function scan(address: string): Promise<Snapshot> {
    const answer = ports.scans.scan(address).finally(() => scanning.delete(address))
    scanning.set(address, answer)
    return snapshotOf(await answer)
  }

  return {
    async coinsOf(address, script) {
      // Callers that repeat their request during a scan do not queue up.
      await ports.scans.patiently(scanning.get(address) ?? Promise.resolve())
      const reading = (queues.get(address) ?? Promise.resolve()).then(() => current(address, script))
      queues.set(
        address,
        reading.catch(() => undefined),
      )
      return unspentOf(ports, await ports.scans.patiently(reading), script)
    },
  }
}

/** The result is null when a scan is cheaper, or after a reorg. */
async function follow({ rpc, blocks, network }: CoreCoinsPorts, known: Snapshot, script: Uint8Array): Promise<Snapshot | null> {
  const tip = whole(await rpc.call('getblockcount', []))
  if (tip < known.height || tip - known.height > MAX_BLOCKS_TO_READ) return null
  if ((await blocks.blockHashAt(known.height)) !== known.hash) return null
  let { hash } = known
  const coins = new Map(known.coins)
  for (let height = known.height + 1n; height <= tip; height++) {
    const block = await readBlock(blocks, height)
    if (block.header.parentHash !== hash) throw reorgWhileReading(height)
    applyBlock(coins, block, { height, script: Buffer.from(script), network })
    hash = block.header.hash
  }
  return { height: tip, hash, coins }
}

type Applied = { readonly height: bigint; readonly script: Buffer; readonly network: BitcoinNetwork }

function applyBlock(coins: Map<Outpoint, MinedCoin>, { bytes, walk }: RawBlock, { height, script, network }: Applied): void {
  walk(({ start, end, inputs, outputs }) => {
    for (const position of inputs) coins.delete(outpointAt(bytes, position))
    if (!paysTo(script, bytes, outputs)) return
    const transaction = parseTransaction(bytes.toString('hex', start, end), network)
    for (const [vout, output] of transaction.outputs.entries()) {
      if (!script.equals(output.script)) continue
      coins.set(`${transaction.txid()}:${vout}`, { amount: output.amount, height, isCoinbase: isCoinbase(transaction) })
    }
  })
}

function paysTo(script: Buffer, bytes: Buffer, outputs: readonly number[]): boolean {
  for (let i = 0; i < outputs.length; i += 2) {
    const [at = 0, length = 0] = [outputs[i], outputs[i + 1]]
    if (length === script.length && script.compare(bytes, at, at + length) === 0) return true
  }
  return false
}

function snapshotOf(answer: Json): Snapshot {
  const coins = list(answer.unspents).map((item): readonly [Outpoint, MinedCoin] => {
    const unspent = record(item)
    const coin = { amount: asSatoshis(unspent.amount), height: whole(unspent.height), isCoinbase: unspent.coinbase === true }
    return [`${asHash(unspent.txid)}:${whole(unspent.vout)}`, coin]
  })
  return { height: whole(answer.height), hash: asHash(answer.bestblock), coins: new Map(coins) }
}

/** Unconfirmed change counts only if all inputs of its transaction are ours: nobody else can replace such a transaction. */
async function unspentOf(ports: CoreCoinsPorts, snapshot: Snapshot, script: Uint8Array): Promise<readonly Coin[]> {
  await ports.mempool.refresh()
  const own = new Map<Outpoint, Coin>()
  for (const [outpoint, { amount, height, isCoinbase: isNew }] of snapshot.coins) {
    if (isNew && snapshot.height + 1n - height < COINBASE_MATURITY) continue
    own.set(outpoint, { outpoint, amount, isConfirmed: true })
  }
  const seen = new Set<string>()
  // `own` grows during the iteration: change found here may be spent again.
  for (const outpoint of own.keys()) {
    const spender = ports.mempool.spenderOf(outpoint)
    if (spender === null || seen.has(spender)) continue
    const transaction = await ports.unconfirmedTransaction(spender)
    if (transaction === null || !transaction.inputs.every((input) => own.has(input.outpoint))) continue
    seen.add(spender)
    for (const [vout, output] of transaction.outputs.entries()) {
      if (bytesToHex(output.script) !== bytesToHex(script)) continue
      const change = `${spender}:${vout}`
      own.set(change, { outpoint: change, amount: output.amount, isConfirmed: false })
    }
  }
  return [...own.values()].filter((coin) => ports.mempool.spenderOf(coin.outpoint) === null)
}
