// Answers `starknet_getEvents`: by address, keys and blocks, in pages.
import type { Ledger } from '../chain/ledger.ts'
import type { EmittedEvent } from '../execution/run-call.ts'
import { type Felts, feltOf, hex, hexes } from '../felt.ts'
import { type Fields, readObject } from '../transactions/fields.ts'
import type { Context, Methods } from './context.ts'
import { blockParam, countParam, type FoundBlock, isClosed, reading } from './params.ts'
import { blockNotFound, invalidContinuationToken, invalidParams, pageSizeTooBig, tooManyKeys } from './rpc-error.ts'

const MAX_CHUNK = 1_024
const MAX_KEYS = 16

type Place = {
  readonly event: EmittedEvent
  readonly block: FoundBlock
  readonly tx: bigint
  readonly txIndex: number
  readonly index: number
}

export function eventMethods({ node, specVersion, nextBlock }: Context): Methods {
  const { ledger } = node

  function shown({ event, block, tx, txIndex, index }: Place) {
    return {
      from_address: hex(event.address),
      keys: hexes(event.keys),
      data: hexes(event.data),
      ...(isClosed(block) && { block_hash: hex(block.hash) }),
      block_number: block.number,
      transaction_hash: hex(tx),
      ...(specVersion !== '0.9.0' && { transaction_index: txIndex, event_index: index }),
    }
  }

  return {
    starknet_getEvents: {
      params: ['filter'],
      answer(params) {
        const filter = reading(() => readObject(params.filter, 'filter'))
        const chunk = countParam(filter, 'chunk_size')
        if (chunk === 0) throw invalidParams('chunk_size: expected at least 1')
        if (chunk > MAX_CHUNK) throw pageSizeTooBig()
        const [keys, addresses] = [keysOf(filter), addressesOf(filter, specVersion)]
        const range = rangeOf(ledger, nextBlock, filter)
        const skipped = tokenOf(filter, range.from)
        const found: Place[] = []
        let passed = 0
        for (const place of eventsIn(ledger, range, skipped.block)) {
          if (place.block.number > skipped.block) passed = 0
          if (!isMatch(place.event, addresses, keys)) continue
          if (place.block.number === skipped.block && passed < skipped.events) {
            passed += 1
            continue
          }
          found.push(place)
          if (found.length > chunk) break
        }
        const page = found.slice(0, chunk)
        const next = found[chunk]
        return { events: page.map(shown), ...(next !== undefined && { continuation_token: tokenFor(next, page, skipped) }) }
      },
    },
  }
}

type Skipped = { readonly block: number; readonly events: number }

/** The token has the block of the next event, and how many matching events of that block were shown. */
function tokenFor({ block }: Place, page: readonly Place[], skipped: Skipped): string {
  const shownOfBlock = page.filter((place) => place.block.number === block.number).length
  return `${block.number}-${shownOfBlock + (skipped.block === block.number ? skipped.events : 0)}`
}

function tokenOf({ continuation_token: token }: Fields, from: number): Skipped {
  if (token === undefined || token === null) return { block: from, events: 0 }
  const [, block, events] = (typeof token === 'string' && /^(\d{1,15})-(\d{1,15})$/.exec(token)) || []
  if (block === undefined || events === undefined || Number(block) < from) throw invalidContinuationToken()
  return { block: Number(block), events: Number(events) }
}

type Range = { readonly from: number; readonly to: number; readonly open: FoundBlock | null }

/** A last block beyond the newest one is allowed, as by real nodes: the events end at the newest. */
function rangeOf(ledger: Ledger, nextBlock: Context['nextBlock'], filter: Fields): Range {
  const tip = ledger.tip().number
  const from = filter.from_block === undefined ? 0 : blockParam(ledger, nextBlock, filter, 'from_block').number
  const given = numberOf(filter.to_block)
  if (given !== null && given > tip) return { from, to: tip, open: null }
  const last = filter.to_block === undefined ? ledger.tip() : blockParam(ledger, nextBlock, filter, 'to_block')
  return { from, to: Math.min(tip, last.number), open: isClosed(last) ? null : last }
}

function numberOf(id: unknown): number | null {
  const number = typeof id === 'object' && id !== null && (id as Fields).block_number
  return Number.isSafeInteger(number) ? Number(number) : null
}

function* eventsIn(ledger: Ledger, { from, to, open }: Range, first: number): Generator<Place> {
  for (const number of ledger.filledBlocks(Math.max(from, first), to)) {
    const block = ledger.block(number)
    if (block === null) throw blockNotFound()
    yield* eventsOf(block)
  }
  if (open !== null) yield* eventsOf(open)
}

function* eventsOf(block: FoundBlock): Generator<Place> {
  for (const [txIndex, { transaction, events }] of block.transactions.entries()) {
    for (const [index, event] of events.entries()) yield { event, block, tx: transaction.hash, txIndex, index }
  }
}

function isMatch({ address, keys: own }: EmittedEvent, addresses: Felts | null, keys: readonly Felts[]): boolean {
  if (addresses !== null && !addresses.includes(address)) return false
  return keys.every((allowed, position) => {
    if (allowed.length === 0) return true
    const key = own[position]
    return key !== undefined && allowed.includes(key)
  })
}

function keysOf({ keys = [] }: Fields): readonly Felts[] {
  if (!Array.isArray(keys)) throw invalidParams('keys: expected a list of lists of felts')
  if (keys.length > MAX_KEYS) throw tooManyKeys()
  return keys.map((position) => feltList(position, 'keys'))
}

/** Null stands for every contract. Version 0.10 of the specification allows several addresses. */
function addressesOf({ address }: Fields, specVersion: Context['specVersion']): Felts | null {
  if (address === undefined || address === null) return null
  if (!Array.isArray(address)) return feltList([address], 'address')
  if (specVersion === '0.9.0') throw invalidParams('address: expected a felt')
  return address.length === 0 ? null : feltList(address, 'address')
}

function feltList(values: unknown, name: string): Felts {
  if (!Array.isArray(values)) throw invalidParams(`${name}: expected a list of felts`)
  return values.map((value) => {
    const felt = feltOf(value)
    if (felt === null) throw invalidParams(`${name}: expected a felt`)
    return felt
  })
}
