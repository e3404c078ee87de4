/** Finds the transactions of watched swaps on an Esplora server without raw blocks: by the history of each address, or in the pages of a block. */
import type { WatchedSwaps } from '@tandem/chain-kit/port/watched-swaps.ts'
import { inParallel } from '@tandem/chain-kit/providers/in-parallel.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import type { BitcoinNetwork } from '../../terms/networks.ts'
import type { CheckedHeaders } from '../blocks/checked-headers.ts'
import { reorgWhileReading } from '../blocks/scan-blocks.ts'
import type { SeenTransaction } from '../events.ts'
import { taprootAddressAt } from '../script/taproot-address.ts'
import type { EsploraHttp, EsploraTransaction, ListedTransaction } from './esplora-http.ts'
import type { ReadProven } from './esplora-proof.ts'

const ACTIVE_PAGE = 1_000
/** The Esplora interface fixes the number of transactions in one page of a block. */
const BLOCK_PAGE = 25
/** A full block of Bitcoin has about this many pages. */
const HISTORIES_PER_BLOCK = 150
const MAX_HISTORIES = 2_000

export type EsploraReader = { readonly http: EsploraHttp; readonly headers: CheckedHeaders; readonly readProven: ReadProven }

/** While there are few open swaps, histories are searched, else blocks: the number of requests does not grow with the swaps. */
export async function searchBlocks(
  reader: EsploraReader,
  watched: WatchedSwaps,
  network: BitcoinNetwork,
  from: bigint,
  to: bigint,
): Promise<readonly SeenTransaction[]> {
  const maxHistories = Math.min(HISTORIES_PER_BLOCK * Number(to - from + 1n), MAX_HISTORIES)
  const { next } = await watched.active(maxHistories, null)
  if (next === null) return readHistories(reader, watched, from, to)
  const found: SeenTransaction[] = []
  const paid = new Set<string>()
  let parent: string | null = null
  for (let height = from; height <= to; height++) {
    const hash = await reader.http.blockHashAt(height)
    if (hash === null) throw reorgWhileReading(height)
    const block = await reader.headers.block(hash)
    if (block.height !== height || (parent !== null && block.parentHash !== parent)) throw reorgWhileReading(height)
    const here = await searchBlock(reader, watched, network, block, paid)
    // Outputs of these transactions may be deposits, and be spent in a later block. Other transactions among them do no harm.
    for (const { transaction } of here) for (const vout of transaction.outputs.keys()) paid.add(`${transaction.txid()}:${vout}`)
    found.push(...here)
    parent = hash
  }
  return found
}

/** The history of an address also has the spends of its deposits. */
async function readHistories(
  { http, readProven }: EsploraReader,
  watched: WatchedSwaps,
  from: bigint,
  to: bigint,
): Promise<readonly SeenTransaction[]> {
  const lastHash = await http.blockHashAt(to)
  const seen = new Map<string, SeenTransaction>()
  for (let page = await watched.active(ACTIVE_PAGE, null); ; page = await watched.active(ACTIVE_PAGE, page.next)) {
    const histories = await inParallel(page.swaps, ({ swapId }) => readHistory(http, swapId, from, to))
    for (const { txid, status } of histories.flat()) if (!seen.has(txid)) seen.set(txid, await readProven(txid, status))
    if (page.next === null) break
  }
  const heights = new Map([...seen.values()].flatMap(({ block }) => (block === null ? [] : [[block.height, block.hash] as const])))
  for (const [height, hash] of heights) if ((await http.blockHashAt(height)) !== hash) throw reorgWhileReading(height)
  if (lastHash === null || (await http.blockHashAt(to)) !== lastHash) throw reorgWhileReading(to)
  return [...seen.values()].sort((a, b) => Number((a.block?.height ?? 0n) - (b.block?.height ?? 0n)))
}

/** The result has the oldest first. Histories come newest first, in pages. */
async function readHistory(http: EsploraHttp, address: string, from: bigint, to: bigint): Promise<readonly EsploraTransaction[]> {
  const found: EsploraTransaction[] = []
  for (let after: string | null = null; ; ) {
    const page: readonly EsploraTransaction[] = await http.minedPage(address, after)
    found.push(...page.filter(({ status }) => status !== null && status.height >= from && status.height <= to))
    const last = page.at(-1)
    if (last === undefined || last.status === null || last.status.height < from) return found.reverse()
    after = last.txid
  }
}

/** A block takes as few requests as possible: one for each open swap, or one for each of its pages. */
export async function searchBlock(
  reader: EsploraReader,
  watched: WatchedSwaps,
  network: BitcoinNetwork,
  { height, hash }: Pick<Block, 'height' | 'hash'>,
  paid: ReadonlySet<string> = new Set(),
): Promise<readonly SeenTransaction[]> {
  const { http } = reader
  if ((await http.blockHashAt(height)) !== hash) throw reorgWhileReading(height)
  const pages = Math.ceil(Number(await http.transactionCount(hash)) / BLOCK_PAGE)
  const { swaps } = await watched.active(pages + 1, null)
  const found =
    swaps.length > pages
      ? await readPages(reader, watched, network, { hash, pages, paid })
      : await readHistories(reader, watched, height, height)
  if ((await http.blockHashAt(height)) !== hash) throw reorgWhileReading(height)
  return found
}

/** `paid` has outputs of earlier blocks that may be deposits. */
type BlockPages = { readonly hash: string; readonly pages: number; readonly paid: ReadonlySet<string> }

async function readPages(
  { http, readProven }: EsploraReader,
  watched: WatchedSwaps,
  network: BitcoinNetwork,
  { hash, pages, paid }: BlockPages,
): Promise<readonly SeenTransaction[]> {
  const starts = Array.from({ length: pages }, (_, page) => page * BLOCK_PAGE)
  const listed = (await inParallel(starts, (start) => http.blockPage(hash, start))).flat()
  const addressesOf = ({ scripts }: ListedTransaction) => scripts.map((script) => taprootAddressAt(script, network))
  const swaps = await watched.find({
    swapIds: new Set(listed.flatMap((one) => addressesOf(one).flatMap((address) => address ?? []))),
    spent: listed.flatMap(({ spent }) => spent),
  })
  const deposits = new Set(paid)
  const found: SeenTransaction[] = []
  for (const one of listed) {
    const vouts = addressesOf(one).flatMap((address, vout) => (address !== null && swaps.bySwapId(address) !== undefined ? [vout] : []))
    for (const vout of vouts) deposits.add(`${one.txid}:${vout}`)
    if (vouts.length === 0 && !one.spent.some((outpoint) => deposits.has(outpoint) || swaps.byDeposit(outpoint) !== undefined)) continue
    found.push(await readProven(one.txid, one.status))
  }
  return found
}
