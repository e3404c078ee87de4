// Reads the parameters of a request: by name, or by position as JSON-RPC allows. An invalid one gives an error with code -32602.
import type { Block, Ledger, OpenBlock } from '../chain/ledger.ts'
import type { StateReader } from '../execution/state.ts'
import { feltOf } from '../felt.ts'
import { type Fields, InvalidField } from '../transactions/fields.ts'
import { blockNotFound, invalidParams } from './rpc-error.ts'

/** `names` are in the order of the specification. */
export function namedParams(params: unknown, names: readonly string[]): Fields {
  if (params === undefined || params === null) return {}
  if (!Array.isArray(params)) {
    if (typeof params !== 'object') throw invalidParams('expected an object or a list')
    const unknown = Object.keys(params).find((name) => !names.includes(name))
    if (unknown !== undefined) throw invalidParams(`unknown parameter ${unknown}`)
    return params as Fields
  }
  if (params.length > names.length) throw invalidParams(`expected at most ${names.length} parameters`)
  return Object.fromEntries(params.map((value, index) => [names[index] ?? '', value]))
}

export function reading<Value>(read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    throw error instanceof InvalidField ? invalidParams(error.message) : error
  }
}

export function feltParam(params: Fields, name: string): bigint {
  const felt = feltOf(params[name])
  if (felt === null) throw invalidParams(`${name}: expected a felt`)
  return felt
}

export function countParam(params: Fields, name: string): number {
  const value = params[name]
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw invalidParams(`${name}: expected a number`)
  return value
}

export type FoundBlock = Block | OpenBlock

export const isClosed = (block: FoundBlock): block is Block => 'hash' in block

export function blockParam(ledger: Ledger, next: () => OpenBlock, params: Fields, name = 'block_id'): FoundBlock {
  const id = params[name]
  const found = findBlock(ledger, next, id)
  if (found === undefined) throw invalidParams(`${name}: expected a block's hash, number or tag`)
  if (found === null) throw blockNotFound()
  return found
}

function findBlock(ledger: Ledger, next: () => OpenBlock, id: unknown): FoundBlock | null | undefined {
  switch (id) {
    case 'latest':
      return ledger.tip()
    case 'pre_confirmed':
      return ledger.open() ?? next()
    case 'l1_accepted':
      return ledger.block(ledger.l1Height())
  }
  if (typeof id !== 'object' || id === null) return undefined
  const { block_hash: hash, block_number: number } = id as Fields
  if (hash !== undefined) {
    const felt = feltOf(hash)
    return felt === null ? undefined : ledger.byHash(felt)
  }
  return Number.isSafeInteger(number) && Number(number) >= 0 ? ledger.block(Number(number)) : undefined
}

export function stateAfter(ledger: Ledger, block: FoundBlock): StateReader {
  return isClosed(block) ? ledger.stateAt(block.number) : ledger.state
}
