/** Uses Bitcoin Core (or Knots) as a backend, without a wallet or a transaction index. A pruned node serves recent blocks. */
import type { Endpoint } from '@tandem/chain-kit/port/endpoints.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { FoundSwaps } from '@tandem/chain-kit/port/watched-swaps.ts'
import { gatherCalls } from '@tandem/chain-kit/providers/gather-calls.ts'
import { createProviderHttp, type ProviderHttp } from '@tandem/chain-kit/providers/http.ts'
import { inParallel } from '@tandem/chain-kit/providers/in-parallel.ts'
import { type Json, record, whole } from '@tandem/chain-kit/providers/json.ts'
import { createJsonRpc, type JsonRpc } from '@tandem/chain-kit/providers/json-rpc.ts'
import { Refusal } from '@tandem/chain-kit/providers/refusal.ts'
import type { BitcoinNetwork } from '../../terms/networks.ts'
import { scriptOfAddress } from '../../terms/script/address.ts'
import { rateOf } from '../../terms/wallet/fees.ts'
import { splitOutpoint } from '../../terms/wallet/sign.ts'
import { assertWork, type ClaimedHeader, createCheckedHeaders, encodeHeader } from '../blocks/checked-headers.ts'
import { createMempoolIndex } from '../blocks/mempool-index.ts'
import { type BlockSource, readBlock, scanBlock, scanBlocks } from '../blocks/scan-blocks.ts'
import { asRawBlock, outpointAt, type RawBlock } from '../blocks/transaction-walk.ts'
import { taprootAddressAt } from '../script/taproot-address.ts'
import { type Outpoint, type ParsedTransaction, parseTransaction, type TransactionOutput } from '../script/transaction.ts'
import type { BitcoinNode, Spender } from './backend.ts'
import { createCoreCoins } from './core-coins.ts'
import { createCoreScans, type ScanOptions } from './core-scan.ts'
import { asBits, asBytes, asHash, asSatoshis, asTransaction, asUint32, asVersion } from './node-json.ts'

const BLOCK_TIMEOUT_MS = 60_000
const BROADCAST_TIMEOUT_MS = 30_000
/** A page of headers takes a node at most a quarter of a second. */
const HEADER_PAGE = 50
/** The search for a spender ends at this depth. */
const MAX_SPENDER_BLOCKS = 300n
/** Consensus allows block times to be this far from real time. */
const BLOCK_TIME_ERROR_SECONDS = 7200n

const RPC_INVALID_PARAMETER = -8
const RPC_NOT_FOUND = -5
/** Bitcoin Core answers `getblock` for a pruned block with this code. */
const RPC_MISC_ERROR = -1

/** `options` are those of scans of the UTXO set. */
export function createCoreBackend(endpoint: Endpoint, network: BitcoinNetwork, options?: ScanOptions): BitcoinNode {
  const rpc = createCoreRpc(createProviderHttp(endpoint))
  const gathered = gatherCalls(rpc)
  const mempool = createMempoolIndex(rpc, network)
  const tipHash = async () => asHash(await rpc.call('getbestblockhash', []))
  const headers = createCheckedHeaders(network, {
    tipHash,
    header: async (hash) => parseHeader(await rpc.call('getblockheader', [hash, true])),
    page: (height) => readHeaderPage(rpc, height),
  })
  const blocks: BlockSource = {
    blockHashAt: (height) => nullIfRefused(rpc, 'getblockhash', [Number(height)], [RPC_INVALID_PARAMETER], asHash),
    async rawBlock(hash) {
      const bytes = await nullIfRefused(rpc, 'getblock', [hash, 0], [RPC_NOT_FOUND], asBytes, BLOCK_TIMEOUT_MS)
      if (bytes === null) throw new ChainFailure('unreachable', `the node does not know block ${hash}`)
      await assertWork(bytes, asRawBlock(bytes).header, network)
      return bytes
    },
  }
  const unconfirmedTransaction = (txid: string) =>
    nullIfRefused(rpc, 'getrawtransaction', [txid], [RPC_NOT_FOUND], (answer) => asTransaction(answer, network))
  const scans = createCoreScans(rpc, options)
  const coins = createCoreCoins({ rpc, scans, network, blocks, mempool, unconfirmedTransaction })
  const relevant = createUnconfirmedCache(unconfirmedTransaction)

  const blockAt = async (height: bigint) => {
    const hash = await blocks.blockHashAt(height)
    return hash === null ? null : headers.block(hash)
  }

  const confirmationsOf = async (outpoint: Outpoint, includeMempool: boolean): Promise<bigint | null> => {
    const { txid, vout } = splitOutpoint(outpoint)
    const answer = await gathered('gettxout', [txid, vout, includeMempool])
    return answer === null ? null : whole(record(answer).confirmations)
  }

  return {
    genesisHash: async () => asHash(await rpc.call('getblockhash', [0])),
    secondHash: () => blocks.blockHashAt(1n),
    tip: headers.tip,
    blockAt,
    headers: async (heights) => (await inParallel(heights, blockAt)).flatMap((block) => block ?? []),
    rawBlock: (hash) => nullIfRefused(rpc, 'getblock', [hash, 0], [RPC_NOT_FOUND, RPC_MISC_ERROR], asBytes, BLOCK_TIMEOUT_MS),
    transactionsIn: (watched, from, to) => scanBlocks(blocks, watched, network, from, to),
    transactionsOf: (watched, block) => scanBlock(blocks, watched, network, block),
    async unconfirmed(watched) {
      await mempool.refresh()
      const { txids, swaps } = await mempool.touching(watched)
      return relevant.closure(txids, (transaction) =>
        depositsIn(transaction, swaps, network).flatMap((outpoint) => mempool.spenderOf(outpoint) ?? []),
      )
    },
    async placeOf(transaction) {
      const found = await nullIfRefused(rpc, 'getrawtransaction', [transaction.txid(), true], [RPC_NOT_FOUND], record)
      if (found !== null && found.blockhash === undefined) return 'mempool'
      // A node with a transaction index also finds transactions of reorged blocks, which have 0 confirmations.
      if (found !== null && whole(found.confirmations ?? 0) > 0n) return 'block'
      for (const vout of transaction.outputs.keys()) {
        if ((await confirmationsOf(`${transaction.txid()}:${vout}`, false)) !== null) return 'block'
      }
      return null
    },
    async output(outpoint) {
      const confirmations = await confirmationsOf(outpoint, true)
      return confirmations === null ? { state: 'missing' } : { state: 'unspent', confirmations }
    },
    async unspentOutput(outpoint) {
      const { txid, vout } = splitOutpoint(outpoint)
      const answer = await rpc.call('gettxout', [txid, vout, true])
      return answer === null ? null : contentIn(record(answer))
    },
    async spenderOf(outpoint, since) {
      await mempool.refresh()
      const unconfirmed = mempool.spenderOf(outpoint)
      if (unconfirmed !== null) return { txid: unconfirmed, confirmations: 0n }
      if ((await confirmationsOf(outpoint, false)) !== null) return null
      return findMinedSpender({ blocks, network }, outpoint, since, whole(await rpc.call('getblockcount', [])))
    },
    async contentOf(outpoint) {
      const { txid, vout } = splitOutpoint(outpoint)
      const answer = await rpc.call('gettxout', [txid, vout, false])
      if (answer === null) return (await unconfirmedTransaction(txid))?.outputs[vout] ?? null
      return contentIn(record(answer))
    },
    unconfirmedFee: (txid) =>
      nullIfRefused(rpc, 'getmempoolentry', [txid], [RPC_NOT_FOUND], (answer) => {
        const entry = record(answer)
        // BIP125 rule 3: descendants are replaced too, and their fees count.
        const fees = record(entry.fees)
        return { fee: asSatoshis(fees.descendant), rate: rateOf(asSatoshis(fees.base), whole(entry.vsize)) }
      }),
    coinsOf: (address) => coins.coinsOf(address, scriptOfAddress(address, network)),
    async estimateFeeRate(targetBlocks) {
      const { feerate } = record(await rpc.call('estimatesmartfee', [targetBlocks]))
      return feerate === undefined || feerate === null ? null : asSatoshis(feerate)
    },
    minimumFeeRate: async () => asSatoshis(record(await rpc.call('getmempoolinfo', [])).mempoolminfee),
    async broadcast(raw) {
      try {
        await rpc.call('sendrawtransaction', [raw], BROADCAST_TIMEOUT_MS)
        return { accepted: true }
      } catch (error) {
        if (error instanceof Refusal) return { accepted: false, reason: error.message }
        throw error
      }
    },
    close: scans.close,
  }
}

async function readHeaderPage(rpc: JsonRpc, height: bigint): Promise<readonly ClaimedHeader[]> {
  const heights = Array.from({ length: HEADER_PAGE }, (_, i) => Number(height) - i).filter((at) => at >= 0)
  const hashes = await rpc.batch(heights.map((at) => ({ method: 'getblockhash', params: [at] })))
  const listed = hashes.flatMap((hash) => (hash instanceof Refusal ? [] : [asHash(hash)]))
  const headers = await rpc.batch(listed.map((hash) => ({ method: 'getblockheader', params: [hash, true] })))
  return headers.flatMap((header) => (header instanceof Refusal ? [] : [parseHeader(header)]))
}

function parseHeader(answer: unknown): ClaimedHeader {
  const header = record(answer)
  const bytes = encodeHeader({
    version: asVersion(header.version),
    // The first block has no parent.
    parentHash: header.previousblockhash === undefined ? '00'.repeat(32) : asHash(header.previousblockhash),
    merkleRoot: asHash(header.merkleroot),
    time: asUint32(header.time),
    bits: asBits(header.bits),
    nonce: asUint32(header.nonce),
  })
  return { height: whole(header.height), bytes }
}

async function nullIfRefused<T>(
  rpc: JsonRpc,
  method: string,
  params: readonly unknown[],
  codes: readonly number[],
  parse: (result: unknown) => T,
  timeoutMs?: number,
): Promise<T | null> {
  try {
    return parse(await rpc.call(method, params, timeoutMs))
  } catch (error) {
    if (error instanceof Refusal && codes.includes(error.code)) return null
    throw error
  }
}

function depositsIn(transaction: ParsedTransaction, swaps: FoundSwaps, network: BitcoinNetwork): readonly Outpoint[] {
  return transaction.outputs.flatMap(({ script }, vout) => {
    const address = taprootAddressAt(script, network)
    return address === null || swaps.bySwapId(address) === undefined ? [] : [`${transaction.txid()}:${vout}`]
  })
}

/** The newest block comes first, because the spends that we search are recent. */
async function findMinedSpender(
  { blocks, network }: { readonly blocks: BlockSource; readonly network: BitcoinNetwork },
  outpoint: Outpoint,
  since: bigint,
  tip: bigint,
): Promise<Spender | null> {
  const last = tip > MAX_SPENDER_BLOCKS ? tip - MAX_SPENDER_BLOCKS : 0n
  for (let height = tip; height > last; height--) {
    const block = await readBlock(blocks, height)
    const txid = spenderIn(block, outpoint, network)
    if (txid !== null) return { txid, confirmations: tip - height + 1n }
    if (block.header.time + BLOCK_TIME_ERROR_SECONDS < since) return null
  }
  return null
}

function spenderIn({ bytes, walk }: RawBlock, outpoint: Outpoint, network: BitcoinNetwork): string | null {
  let txid: string | null = null
  walk(({ start, end, inputs }) => {
    if (txid !== null || !inputs.some((position) => outpointAt(bytes, position) === outpoint)) return
    txid = parseTransaction(bytes.toString('hex', start, end), network).txid()
  })
  return txid
}

/** The cache has the unconfirmed transactions of the last call, so that each is fetched only once. */
function createUnconfirmedCache(fetchTransaction: (txid: string) => Promise<ParsedTransaction | null>) {
  let cache = new Map<string, ParsedTransaction>()
  return {
    async closure(txids: Set<string>, next: (transaction: ParsedTransaction) => readonly string[]): Promise<readonly ParsedTransaction[]> {
      const found = new Map<string, ParsedTransaction>()
      for (const txid of txids) {
        const transaction = cache.get(txid) ?? (await fetchTransaction(txid))
        if (transaction === null) continue
        found.set(txid, transaction)
        for (const following of next(transaction)) txids.add(following)
      }
      cache = found
      return [...found.values()]
    },
  }
}

function contentIn({ value, scriptPubKey }: Json): TransactionOutput {
  return { amount: asSatoshis(value), script: asBytes(record(scriptPubKey).hex) }
}

const RPC_TIMEOUT_MS = 20_000
/** Bitcoin Core answers with this code while it starts: "Loading block index…". */
const RPC_IN_WARMUP = -28

export function createCoreRpc(http: ProviderHttp): JsonRpc {
  return createJsonRpc(http, {
    version: '1.0',
    timeoutMs: RPC_TIMEOUT_MS,
    // An operator's own node has no rate limit, and the reason of a refused transaction may have these words. A proxy answers 429.
    isRateLimit: () => false,
    // A scan whose connection broke goes on in the node, which would refuse a second one.
    isRepeatable: (method) => method !== 'scantxoutset',
    troubleIn: ({ code, message }) => (code === RPC_IN_WARMUP ? `the node is still starting: ${message}` : null),
  })
}
