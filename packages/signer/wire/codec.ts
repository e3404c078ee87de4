/** Plain data as JSON: numbers of any size and bytes are tagged. What it reads is built from nothing, so it has no prototype but that of plain objects. */
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'

/** A text is read only within these limits, whoever sent it. */
const MAX_DEPTH = 24
const MAX_VALUES = 100_000
const MAX_DIGITS = 160

const BIGINT = '$bigint'
const BYTES = '$bytes'
const UNDEFINED = '$undefined'

/** They change what an object is, so no data has them. */
const RESERVED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

export class NotPlain extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'NotPlain'
  }
}

/** Throws `NotPlain` for what is not plain data: it would be something else on the other side. */
export function encode(value: unknown): string {
  return JSON.stringify(toWire(value, 0))
}

/** Throws `NotPlain` for any text that `encode` does not write. */
export function decode(text: string): unknown {
  const budget = { values: MAX_VALUES }
  return fromWire(parse(text), 0, budget)
}

function toWire(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) throw new NotPlain(`it is nested more than ${MAX_DEPTH} times`)
  if (value === undefined) return { [UNDEFINED]: true }
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value) && !Object.is(value, -0)) return value
  if (typeof value === 'bigint') return { [BIGINT]: value.toString() }
  if (value instanceof Uint8Array) return { [BYTES]: bytesToHex(Uint8Array.from(value)) }
  if (Array.isArray(value)) return value.map((one) => toWire(one, depth + 1))
  if (!isPlain(value)) throw new NotPlain(`${typeof value === 'object' ? 'an object of a class' : `a ${typeof value}`} is no plain data`)
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, one]) => one !== undefined)
      .map(([key, one]) => [assertName(key), toWire(one, depth + 1)]),
  )
}

function fromWire(value: unknown, depth: number, budget: { values: number }): unknown {
  budget.values -= 1
  if (budget.values < 0) throw new NotPlain(`it has more than ${MAX_VALUES} values`)
  if (depth > MAX_DEPTH) throw new NotPlain(`it is nested more than ${MAX_DEPTH} times`)
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map((one) => fromWire(one, depth + 1, budget))
  const entries = Object.entries(value)
  const [first] = entries
  if (first?.[0].startsWith('$')) return tagged(first[0], first[1], entries.length)
  return Object.fromEntries(entries.map(([key, one]) => [assertName(key), fromWire(one, depth + 1, budget)]))
}

function tagged(tag: string, value: unknown, size: number): unknown {
  if (size === 1 && tag === UNDEFINED && value === true) return undefined
  if (size === 1 && tag === BYTES && typeof value === 'string' && /^(?:[0-9a-f]{2})*$/.test(value)) return hexToBytes(value)
  if (size === 1 && tag === BIGINT && typeof value === 'string' && value.length <= MAX_DIGITS && /^(?:0|-?[1-9][0-9]*)$/.test(value))
    return BigInt(value)
  throw new NotPlain('it has a value with an unknown tag')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Its text may quote what was sent.
    throw new NotPlain('it is not JSON')
  }
}

function assertName(key: string): string {
  if (key.startsWith('$') || RESERVED.has(key)) throw new NotPlain('it has a field with a reserved name')
  return key
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
