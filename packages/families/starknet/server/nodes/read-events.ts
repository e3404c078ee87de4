/** Reads events of one provider: all pages of a range or of one block. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { type Json, list, malformed, record, text, whole } from '@tandem/chain-kit/providers/json.ts'
import { felt, felts } from './json.ts'
import { type EventQuery, type NodeEvent, NodeRefusal, type StarknetNode } from './node.ts'
import { codes, type Rpc } from './rpc.ts'

/** Pathfinder gives at most 1024, and some providers give fewer. */
const PAGE_EVENTS = 1000
/** A node that goes on after this many pages is faulty: no block and no range that we request has as many events. */
const MAX_PAGES = 500
/** One request has at most this many blocks. */
const MAX_SPAN = 10_000n

type Page = { readonly events: readonly NodeEvent[]; readonly next: string | null }
type Blocks = { readonly from_block: Json; readonly to_block: Json }

export function createEventPages(rpc: Rpc, block: StarknetNode['block']): StarknetNode['events'] {
  /** The number is smaller after the provider refused it. */
  let pageEvents = PAGE_EVENTS
  /** The next request has this many blocks: halved on a refusal, grown on success. */
  let span = MAX_SPAN

  async function pageOf(filter: Json, token: string | null): Promise<Page> {
    for (;;) {
      const chunk_size = pageEvents
      try {
        const answer = await rpc.request('starknet_getEvents', {
          filter: { ...filter, chunk_size, ...(token !== null && { continuation_token: token }) },
        })
        return parsePage(record(answer))
      } catch (error) {
        if (!(error instanceof NodeRefusal) || error.code !== codes.pageSizeTooBig || chunk_size === 1) throw error
        pageEvents = Math.max(Math.floor(chunk_size / 2), 1)
      }
    }
  }

  async function pagesOf({ address, keys }: EventQuery, blocks: Blocks): Promise<{ events: readonly NodeEvent[]; pages: number }> {
    const filter = { ...blocks, address, keys }
    const events: NodeEvent[] = []
    let token: string | null = null
    for (let pages = 1; pages <= MAX_PAGES; pages += 1) {
      const { events: more, next }: Page = await pageOf(filter, token)
      events.push(...more)
      if (next === null) return { events, pages }
      if (next === token) throw malformed('another page of events')
      token = next
    }
    throw malformed(`events on at most ${MAX_PAGES} pages`)
  }

  /** The parts are as large as the provider allows. `isInParts` tells whether there was more than one request. */
  async function readRange(query: EventQuery, from: bigint, to: bigint): Promise<{ events: readonly NodeEvent[]; isInParts: boolean }> {
    const events: NodeEvent[] = []
    let requests = 0
    let next = from
    while (next <= to) {
      const last = next + span - 1n < to ? next + span - 1n : to
      const asked = last - next + 1n
      try {
        const read = await pagesOf(query, { from_block: numbered(next), to_block: numbered(last) })
        events.push(...read.events.filter(({ blockHeight }) => blockHeight >= from && blockHeight <= to))
        requests += read.pages
        next = last + 1n
        const grown = span + span / 4n + 1n
        span = grown < MAX_SPAN ? grown : MAX_SPAN
      } catch (error) {
        // The size may have caused the timeout: the next read requests less.
        if (asked > 1n && (error instanceof NodeRefusal || error instanceof ChainFailure)) span = asked / 2n
        if (!(error instanceof NodeRefusal) || asked === 1n || error.code === codes.blockNotFound) throw error
        requests += 1
      }
    }
    return { events, isInParts: requests > 1 }
  }

  /** A node that lacks a part of the range returns no error: events would be missing. */
  async function assertLast(to: bigint, lastHash: string | undefined): Promise<string> {
    const last = await block(to)
    if (last === null) throw new NodeRefusal(0, `it does not have block ${to} yet`)
    if (last.hash !== (lastHash ?? last.hash)) throw new NodeRefusal(0, `it is on another branch at block ${to}`)
    return last.hash
  }

  return async (query) => {
    if ('blockHash' in query) {
      const id = { block_hash: query.blockHash }
      const { events } = await pagesOf(query, { from_block: id, to_block: id })
      return distinct(
        query,
        events.filter(({ blockHash }) => blockHash === query.blockHash),
      )
    }
    // This is one batch. The last block is read after the first page: if it is the same, it did not change while the events were read.
    const [{ events, isInParts }, lastHash] = await Promise.all([
      readRange(query, query.from, query.to),
      assertLast(query.to, query.lastHash),
    ])
    // A reorg between two pages would mix two branches.
    if (isInParts) await assertLast(query.to, lastHash)
    return distinct(query, events)
  }
}

/** Each event is returned once, even if pages overlap, and only events that were requested, whatever the node sends. */
function distinct({ address, keys }: EventQuery, events: readonly NodeEvent[]): readonly NodeEvent[] {
  const isAsked = (event: NodeEvent) =>
    event.address === address && keys.every((allowed, i) => allowed.length === 0 || allowed.some((key) => key === event.keys[i]))
  return [...new Map(events.filter(isAsked).map((event) => [keyOfEvent(event), event])).values()]
}

export function keyOfEvent({ address, keys, data, blockHeight, blockHash, tx }: NodeEvent): string {
  return `${blockHeight} ${blockHash} ${tx} ${address} ${keys} ${data}`
}

function numbered(height: bigint): Json {
  return { block_number: Number(height) }
}

function parsePage({ events, continuation_token: token }: Json): Page {
  return {
    events: list(events).map(record).filter(isInBlock).map(parseEvent),
    next: token === undefined || token === null ? null : text(token),
  }
}

function isInBlock({ block_hash }: Json): boolean {
  return block_hash !== undefined && block_hash !== null
}

function parseEvent(event: Json): NodeEvent {
  return {
    address: felt(event.from_address),
    keys: felts(event.keys),
    data: felts(event.data),
    blockHeight: whole(event.block_number),
    blockHash: felt(event.block_hash),
    tx: felt(event.transaction_hash),
  }
}
