// Reads the positional or named parameters of a call, with Bitcoin Core's complaints about bad ones.
import { fromHex, isHex } from '../wire/bytes.ts'

export type RpcParams = {
  optional(name: string): unknown
  text(name: string): string
  integer(name: string): number
  boolean(name: string, fallback: boolean): boolean
  /** 0 and 1 stand for false and true in older clients. */
  level(name: string, fallback: number): number
  hash(name: string): string
  bytes(name: string, failure: string): Uint8Array
  list(name: string): readonly unknown[]
}

function typeName(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value === 'boolean') return 'bool'
  return Array.isArray(value) ? 'array' : typeof value
}

export function wrongType(value: unknown, expected: string): RpcError {
  return new RpcError(RPC.TYPE, `JSON value of type ${typeName(value)} is not of expected type ${expected}`)
}

export function parseHash(value: unknown, name: string): string {
  if (typeof value !== 'string') throw wrongType(value, 'string')
  if (value.length !== 64) throw new RpcError(RPC.INVALID_PARAMETER, `${name} must be of length 64 (not ${value.length}, for '${value}')`)
  if (!isHex(value)) throw new RpcError(RPC.INVALID_PARAMETER, `${name} must be hexadecimal string (not '${value}')`)
  return value.toLowerCase()
}

export function createRpcParams(names: readonly string[], given: unknown): RpcParams {
  const values = new Map<string, unknown>()
  if (Array.isArray(given)) {
    if (given.length > names.length) throw new RpcError(RPC.MISC, `too many parameters: expected at most ${names.length}`)
    for (const [i, value] of given.entries()) values.set(names[i] ?? '', value)
  } else if (typeof given === 'object' && given !== null) {
    for (const [name, value] of Object.entries(given)) {
      if (!names.includes(name)) throw new RpcError(RPC.INVALID_PARAMETER, `Unknown named parameter ${name}`)
      values.set(name, value)
    }
  }
  const optional = (name: string): unknown => values.get(name) ?? undefined

  function required(name: string): unknown {
    const value = optional(name)
    if (value === undefined) throw new RpcError(RPC.MISC, `missing parameter: ${name}`)
    return value
  }

  function text(name: string): string {
    const value = required(name)
    if (typeof value !== 'string') throw wrongType(value, 'string')
    return value
  }

  function asInteger(value: unknown): number {
    if (typeof value !== 'number') throw wrongType(value, 'number')
    if (!Number.isSafeInteger(value)) throw new RpcError(RPC.MISC, 'JSON integer out of range')
    return value
  }

  return {
    optional,
    text,
    integer: (name) => asInteger(required(name)),
    boolean(name, fallback) {
      const value = optional(name) ?? fallback
      if (typeof value !== 'boolean') throw wrongType(value, 'bool')
      return value
    },
    level(name, fallback) {
      const value = optional(name) ?? fallback
      return typeof value === 'boolean' ? Number(value) : asInteger(value)
    },
    hash: (name) => parseHash(required(name), name),
    bytes(name, failure) {
      const value = text(name)
      if (!isHex(value)) throw new RpcError(RPC.DESERIALIZATION, failure)
      return fromHex(value)
    },
    list(name) {
      const value = required(name)
      if (!Array.isArray(value)) throw wrongType(value, 'array')
      return value
    },
  }
}

export const RPC = {
  MISC: -1,
  TYPE: -3,
  INVALID_ADDRESS_OR_KEY: -5,
  INVALID_PARAMETER: -8,
  DESERIALIZATION: -22,
  VERIFY: -25,
  VERIFY_REJECTED: -26,
  ALREADY_IN_UTXO_SET: -27,
  INVALID_REQUEST: -32600,
  METHOD_NOT_FOUND: -32601,
  PARSE: -32700,
} as const

export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}
