/** Uses an Esplora server (Blockstream's, mempool.space's, or your own) as a backend. */
import { bytesToHex } from '@noble/hashes/utils.js'
import { type Endpoint, headersOf, urlOf } from '@tandem/chain-kit/port/endpoints.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { createProviderHttp } from '@tandem/chain-kit/providers/http.ts'
import { inParallel } from '@tandem/chain-kit/providers/in-parallel.ts'
import type { Json } from '@tandem/chain-kit/providers/json.ts'
import type { BitcoinNetwork } from '../../terms/networks.ts'
import { scriptOfAddress } from '../../terms/script/address.ts'
import { type FeeRate, rateOf } from '../../terms/wallet/fees.ts'
import { splitOutpoint } from '../../terms/wallet/sign.ts'
import { assertWork, createCheckedHeaders } from '../blocks/checked-headers.ts'
import { type BlockSource, scanBlock, scanBlocks } from '../blocks/scan-blocks.ts'
import { asRawBlock } from '../blocks/transaction-walk.ts'
import { isCoinbase } from '../script/transaction.ts'
import { MAX_COINS } from '../wallet/coin-selection.ts'
import type { BitcoinNode, Coin } from './backend.ts'
import { createHistoryCoins } from './esplora-coins.ts'
import { createEsploraHttp, type EsploraHttp, type EsploraTransaction, type EsploraUtxo } from './esplora-http.ts'
import { createMempoolReads } from './esplora-mempool.ts'
import { createProvenReader } from './esplora-proof.ts'
import { searchBlock, searchBlocks } from './esplora-search.ts'

const COINBASE_MATURITY = 100n
const REQUESTS_PER_SECOND = 10
/** The server is asked for raw blocks again after this time. */
const NO_RAW_BLOCKS_MS = 10 * 60_000

export function createEsploraBackend(
  endpoint: Endpoint,
  network: BitcoinNetwork,
  nowMs: () => number = () => performance.now(),
): BitcoinNode {
  const http = createEsploraHttp(createProviderHttp(paced(endpoint)), network)
  const headers = createCheckedHeaders(network, { tipHash: http.tipHash, header: http.header, page: http.headerPage })
  const blocks = createBlockSource(http, network, nowMs)
  const { tip } = headers
  const historyCoins = createHistoryCoins(http)
  const reader = { http, headers, readProven: createProvenReader(http, headers) }

  const blockAt = async (height: bigint) => {
    const hash = await http.blockHashAt(height)
    return hash === null ? null : headers.block(hash)
  }

  return {
    async genesisHash() {
      return (await http.blockHashAt(0n)) ?? 'none'
    },
    secondHash: () => http.blockHashAt(1n),
    tip,
    blockAt,
    headers: async (heights) => (await inParallel(heights, blockAt)).flatMap((block) => block ?? []),
    rawBlock: http.rawBlock,
    async transactionsIn(watched, from, to) {
      return (await blocks.hasRawBlocks())
        ? scanBlocks(blocks, watched, network, from, to)
        : searchBlocks(reader, watched, network, from, to)
    },
    async transactionsOf(watched, block) {
      return (await blocks.hasRawBlocks()) ? scanBlock(blocks, watched, network, block) : searchBlock(reader, watched, network, block)
    },
    unconfirmed: createMempoolReads(http),
    async placeOf(transaction) {
      const found = await http.summary(transaction.txid())
      return found === null ? null : found.status === null ? 'mempool' : 'block'
    },
    async output(outpoint) {
      const { txid, vout } = splitOutpoint(outpoint)
      const found = await http.summary(txid)
      if (found === null || (await http.spenderOf(txid, vout)) !== null) return { state: 'missing' }
      return { state: 'unspent', confirmations: confirmations(found.status, (await tip()).height) }
    },
    async unspentOutput(outpoint) {
      const { txid, vout } = splitOutpoint(outpoint)
      if ((await http.summary(txid)) === null || (await http.spenderOf(txid, vout)) !== null) return null
      return (await http.transaction(txid)).outputs[vout] ?? null
    },
    async spenderOf(outpoint) {
      const { txid, vout } = splitOutpoint(outpoint)
      const spender = await http.spenderOf(txid, vout)
      return spender === null ? null : { txid: spender.txid, confirmations: confirmations(spender.status, (await tip()).height) }
    },
    async contentOf(outpoint) {
      const { txid, vout } = splitOutpoint(outpoint)
      return (await http.summary(txid)) === null ? null : ((await http.transaction(txid)).outputs[vout] ?? null)
    },
    async unconfirmedFee(txid) {
      const found = await http.summary(txid)
      if (found === null || found.status !== null) return null
      return { fee: found.fee + (await descendantFees(http, txid)), rate: rateOf(found.fee, (await http.transaction(txid)).vsize) }
    },
    async coinsOf(address) {
      const script = bytesToHex(scriptOfAddress(address, network))
      // The tip is read only for coins of miners, and once.
      let newest: ReturnType<typeof tip> | null = null
      const height = async () => {
        newest ??= tip()
        return (await newest).height
      }
      const listed = (await http.utxos(address)) ?? (await historyCoins(address, script, await height()))
      const largest = [...listed].sort((a, b) => Number(b.amount - a.amount)).slice(0, MAX_COINS)
      return (await inParallel(largest, (utxo) => readCoin(http, utxo, script, height))).flatMap((coin) => coin ?? [])
    },
    estimateFeeRate: async (targetBlocks) => pickEstimate(await http.feeEstimates(), targetBlocks),
    minimumFeeRate: async () => 0n,
    async broadcast(raw) {
      const reason = await http.broadcast(raw)
      return reason === null ? { accepted: true } : { accepted: false, reason }
    },
    close: async () => undefined,
  }
}

/** Public servers limit requests. A server on this machine belongs to the operator. */
function paced(endpoint: Endpoint): Endpoint {
  const { hostname } = new URL(urlOf(endpoint))
  const isOwn = hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')
  if (isOwn || (typeof endpoint === 'object' && endpoint.requestsPerSecond !== undefined)) return endpoint
  return { url: urlOf(endpoint), headers: headersOf(endpoint), requestsPerSecond: REQUESTS_PER_SECOND }
}

/**
 * Raw blocks cost the same however many swaps are watched, but not every server serves them. Without them late deposits to inactive swaps are
 * not seen, and the server is trusted not to leave a transaction out.
 */
function createBlockSource(
  http: EsploraHttp,
  network: BitcoinNetwork,
  nowMs: () => number,
): BlockSource & { hasRawBlocks(): Promise<boolean> } {
  let isKnown = false
  let askAgainAt = Number.NEGATIVE_INFINITY
  return {
    blockHashAt: http.blockHashAt,
    async rawBlock(hash) {
      const bytes = await http.rawBlock(hash)
      if (bytes === null) throw new ChainFailure('unreachable', `Esplora does not know block ${hash}: reorg while reading`)
      await assertWork(bytes, asRawBlock(bytes).header, network)
      return bytes
    },
    async hasRawBlocks() {
      if (isKnown || nowMs() < askAgainAt) return isKnown
      const hash = await http.tipHash()
      isKnown = (await http.rawBlock(hash)) !== null
      if (!isKnown) await http.header(hash)
      askAgainAt = nowMs() + NO_RAW_BLOCKS_MS
      return isKnown
    },
  }
}

/** The result is null unless the coin is spendable now. Amount and script come from the raw transaction, which the txid proves. */
async function readCoin(
  http: EsploraHttp,
  { txid, outpoint, status }: EsploraUtxo,
  script: string,
  tipHeight: () => Promise<bigint>,
): Promise<Coin | null> {
  if (status === null) {
    // Only change of our own transactions counts: other senders could still replace theirs.
    const parent = await http.summary(txid)
    if (parent === null || !parent.inputScripts.every((inputScript) => inputScript === script)) return null
  }
  const transaction = await http.transaction(txid)
  const output = transaction.outputs[splitOutpoint(outpoint).vout]
  if (output === undefined || bytesToHex(output.script) !== script) return null
  if (status !== null && isCoinbase(transaction) && (await tipHeight()) + 1n - status.height < COINBASE_MATURITY) return null
  return { outpoint, amount: output.amount, isConfirmed: status !== null }
}

/** BIP125 rule 3: descendants are replaced too, and their fees count. */
async function descendantFees(http: EsploraHttp, txid: string): Promise<bigint> {
  const descendants = new Set([txid])
  let fees = 0n
  // The set grows while it is iterated. Nodes limit the number of descendants.
  for (const member of descendants) {
    if (member !== txid) fees += (await http.summary(member))?.fee ?? 0n
    for (const spender of await http.spendersOf(member)) descendants.add(spender.txid)
  }
  return fees
}

function confirmations(status: EsploraTransaction['status'], tipHeight: bigint): bigint {
  return status === null || status.height > tipHeight ? 0n : tipHeight - status.height + 1n
}

/** Esplora lists targets with decimal sat/vB. The estimate is that for the slowest listed target that is fast enough. */
function pickEstimate(estimates: Json, targetBlocks: number): FeeRate | null {
  const targets = Object.keys(estimates)
    .map(Number)
    .filter((target) => Number.isInteger(target))
    .sort((a, b) => a - b)
  const target = targets.filter((candidate) => candidate <= targetBlocks).at(-1) ?? targets[0]
  const satPerVb = target === undefined ? undefined : estimates[String(target)]
  return typeof satPerVb === 'number' && satPerVb >= 0 && satPerVb < 1_000_000 ? BigInt(satPerVb.toFixed(3).replace('.', '')) : null
}
