/** Sends the requests to an Esplora server, and parses its answers to domain types. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { ProviderHttp, ProviderResponse } from '@tandem/chain-kit/providers/http.ts'
import { list, record, text, whole } from '@tandem/chain-kit/providers/json.ts'
import type { BitcoinNetwork } from '../../terms/networks.ts'
import { type ClaimedHeader, encodeHeader } from '../blocks/checked-headers.ts'
import type { MerkleBranch } from '../blocks/merkle-root.ts'
import type { Outpoint, ParsedTransaction } from '../script/transaction.ts'
import { asBytes, asHash, asTransaction, asUint32, asVersion, parseJson } from './node-json.ts'

const TIMEOUT_MS = 20_000
const BLOCK_TIMEOUT_MS = 60_000
const MAX_CACHED = 1000

export type EsploraStatus = { readonly height: bigint; readonly hash: string; readonly time: bigint } | null
export type EsploraTransaction = {
  readonly txid: string
  readonly status: EsploraStatus
  readonly inputScripts: readonly string[]
  readonly fee: bigint
}
export type ListedTransaction = {
  readonly txid: string
  readonly status: EsploraStatus
  readonly scripts: readonly Uint8Array[]
  readonly spent: readonly Outpoint[]
}
export type HistoryTransaction = {
  readonly txid: string
  readonly status: EsploraStatus
  readonly spent: readonly Outpoint[]
  readonly outputs: readonly { readonly script: string; readonly amount: bigint }[]
}
type EsploraSpender = { readonly txid: string; readonly status: EsploraStatus }
export type EsploraUtxo = { readonly txid: string; readonly outpoint: Outpoint; readonly amount: bigint; readonly status: EsploraStatus }

export type EsploraHttp = ReturnType<typeof createEsploraHttp>

export function createEsploraHttp(http: ProviderHttp, network: BitcoinNetwork) {
  /** A txid commits to its transaction, apart from the witness, which only its signers can change. So the transaction may be cached. */
  const known = new Map<string, ParsedTransaction>()

  const get = async (path: string, timeoutMs = TIMEOUT_MS): Promise<ProviderResponse | null> => {
    const response = await http.request({ what: path, path, timeoutMs })
    if (response.status === 200) return response
    if (response.status === 404 || isUnknown(response)) return null
    throw new ChainFailure('unreachable', `Esplora answered ${response.status} to ${path}: ${response.text().slice(0, 80)}`)
  }
  const getOrThrow = async (path: string, timeoutMs = TIMEOUT_MS): Promise<ProviderResponse> => {
    const response = await get(path, timeoutMs)
    if (response === null) throw new ChainFailure('unreachable', `Esplora has nothing at ${path}`)
    return response
  }
  const getJson = async (path: string): Promise<unknown> => parseJson((await getOrThrow(path)).text())

  return {
    tipHash: async () => asHash((await getOrThrow('/blocks/tip/hash')).text().trim()),
    async blockHashAt(height: bigint): Promise<string | null> {
      const response = await get(`/block-height/${height}`)
      return response === null ? null : asHash(response.text().trim())
    },
    header: async (hash: string): Promise<ClaimedHeader> => parseBlockSummary(await getJson(`/block/${hash}`)),
    headerPage: async (height: bigint) => list(await getJson(`/blocks/${height}`)).map(parseBlockSummary),
    transactionCount: async (hash: string) => whole(record(await getJson(`/block/${hash}`)).tx_count),
    blockPage: async (hash: string, start: number) => list(await getJson(`/block/${hash}/txs/${start}`)).map(parseListed),
    /** The result is null for a block that the server does not know, or if it gives no raw blocks at all. */
    rawBlock: async (hash: string) => (await get(`/block/${hash}/raw`, BLOCK_TIMEOUT_MS))?.bytes ?? null,
    minedPage: async (address: string, after: string | null) =>
      list(await getJson(`/address/${address}/txs/chain${after === null ? '' : `/${after}`}`)).map(parseTransactionSummary),
    unconfirmed: async (address: string) => list(await getJson(`/address/${address}/txs/mempool`)).map(parseTransactionSummary),
    async summary(txid: string): Promise<EsploraTransaction | null> {
      const response = await get(`/tx/${txid}`)
      return response === null ? null : parseTransactionSummary(parseJson(response.text()))
    },
    async transaction(txid: string): Promise<ParsedTransaction> {
      const cached = known.get(txid)
      if (cached !== undefined) return cached
      const transaction = asTransaction((await getOrThrow(`/tx/${txid}/hex`)).text().trim(), network)
      if (transaction.txid() !== txid) throw new ChainFailure('unreachable', `Esplora answered with another transaction than ${txid}`)
      const [oldest] = known.keys()
      if (known.size >= MAX_CACHED && oldest !== undefined) known.delete(oldest)
      known.set(txid, transaction)
      return transaction
    },
    async merkleProof(txid: string): Promise<MerkleBranch | null> {
      const response = await get(`/tx/${txid}/merkle-proof`)
      if (response === null) return null
      const proof = record(parseJson(response.text()))
      return { neighbours: list(proof.merkle).map(asHash), position: Number(whole(proof.pos)) }
    },
    async spenderOf(txid: string, vout: number): Promise<EsploraSpender | null> {
      const response = await get(`/tx/${txid}/outspend/${vout}`)
      return response === null ? null : parseSpender(parseJson(response.text()))
    },
    spendersOf: async (txid: string) => list(await getJson(`/tx/${txid}/outspends`)).flatMap((answer) => parseSpender(answer) ?? []),
    historyPage: async (address: string, after: string | null) =>
      list(await getJson(`/address/${address}/txs/chain${after === null ? '' : `/${after}`}`)).map(parseHistory),
    unconfirmedHistory: async (address: string) => list(await getJson(`/address/${address}/txs/mempool`)).map(parseHistory),
    /** The result is null if the list is too long: servers limit it, and anyone can send dust to an address. */
    async utxos(address: string): Promise<readonly EsploraUtxo[] | null> {
      const path = `/address/${address}/utxo`
      const response = await http.request({ what: path, path, timeoutMs: TIMEOUT_MS })
      if (response.status === 200) return list(parseJson(response.text())).map(parseUtxo)
      if (response.status !== 400) throw new ChainFailure('unreachable', `Esplora answered ${response.status} to ${path}`)
      return null
    },
    feeEstimates: async () => record(await getJson('/fee-estimates')),
    async broadcast(raw: string): Promise<string | null> {
      const response = await http.request({
        what: '/tx',
        path: '/tx',
        body: raw,
        contentType: 'text/plain',
        timeoutMs: TIMEOUT_MS,
        isUrgent: true,
      })
      if (response.status === 200) return null
      if (response.status === 400) return response.text()
      throw new ChainFailure('unreachable', `Esplora answered ${response.status} to a broadcast`)
    },
  }
}

/** Some servers answer 400 instead of 404. */
function isUnknown(response: ProviderResponse): boolean {
  return response.status === 400 && /not found|no such/i.test(response.text())
}

function parseBlockSummary(value: unknown): ClaimedHeader {
  const block = record(value)
  const bytes = encodeHeader({
    version: asVersion(block.version),
    parentHash: block.previousblockhash == null ? '00'.repeat(32) : asHash(block.previousblockhash),
    merkleRoot: asHash(block.merkle_root),
    time: asUint32(block.timestamp),
    bits: asUint32(block.bits),
    nonce: asUint32(block.nonce),
  })
  return { height: whole(block.height), bytes }
}

function parseStatus(value: unknown): EsploraStatus {
  const status = record(value)
  if (status.confirmed !== true) return null
  return { height: whole(status.block_height), hash: asHash(status.block_hash), time: whole(status.block_time) }
}

function parseSpender(value: unknown): EsploraSpender | null {
  const answer = record(value)
  return answer.spent === true ? { txid: asHash(answer.txid), status: parseStatus(answer.status) } : null
}

function parseTransactionSummary(value: unknown): EsploraTransaction {
  const summary = record(value)
  const inputScripts = list(summary.vin).map((input) => {
    const { prevout } = record(input)
    return prevout == null ? '' : text(record(prevout).scriptpubkey)
  })
  return { txid: asHash(summary.txid), status: parseStatus(summary.status), inputScripts, fee: whole(summary.fee) }
}

function parseHistory(value: unknown): HistoryTransaction {
  const { txid, status, spent } = parseListed(value)
  const outputs = list(record(value).vout).map((item) => {
    const output = record(item)
    return { script: text(output.scriptpubkey), amount: whole(output.value) }
  })
  return { txid, status, spent, outputs }
}

function parseListed(value: unknown): ListedTransaction {
  const listed = record(value)
  return {
    txid: asHash(listed.txid),
    status: parseStatus(listed.status),
    scripts: list(listed.vout).map((output) => asBytes(record(output).scriptpubkey)),
    spent: list(listed.vin).flatMap((item) => {
      const input = record(item)
      return input.is_coinbase === true ? [] : [`${asHash(input.txid)}:${whole(input.vout)}`]
    }),
  }
}

function parseUtxo(value: unknown): EsploraUtxo {
  const utxo = record(value)
  const txid = asHash(utxo.txid)
  return { txid, outpoint: `${txid}:${whole(utxo.vout)}`, amount: whole(utxo.value), status: parseStatus(utxo.status) }
}
