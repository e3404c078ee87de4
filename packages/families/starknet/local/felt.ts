// Computes with elements of Starknet's field, which contracts, storage and calldata consist of. The simulator uses bigints.
import { hash } from 'starknet'

export type Felts = readonly bigint[]

const PRIME = 2n ** 251n + 17n * 2n ** 192n + 1n
export const U128 = 2n ** 128n
/** Addresses are below this bound, and not 0 or 1. */
export const ADDRESS_BOUND = 2n ** 251n - 256n

const feltPattern = /^0x[0-9a-fA-F]{1,64}$/
const printable = /^[\x20-\x7e]+$/
const selectors = new Map<string, bigint>()

export function hex(value: bigint): `0x${string}` {
  return `0x${value.toString(16)}`
}

export function hexes(values: Felts): readonly string[] {
  return values.map(hex)
}

export function paddedHex(value: bigint): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}

/** The result is null if the value is no felt. Leading zeros are accepted, as by real nodes. */
export function feltOf(value: unknown): bigint | null {
  if (typeof value !== 'string' || !feltPattern.test(value)) return null
  const felt = BigInt(value)
  return felt < PRIME ? felt : null
}

/** A felt holds up to 31 ASCII characters. */
export function shortString(text: string): bigint {
  if (text.length > 31) throw new RangeError(`"${text}" is too long for a short string`)
  return text === '' ? 0n : BigInt(`0x${Buffer.from(text, 'latin1').toString('hex')}`)
}

export function textOf(felt: bigint): string | null {
  const digits = felt.toString(16)
  const text = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex').toString('latin1')
  return printable.test(text) ? text : null
}

export function selectorOf(name: string): bigint {
  const known = selectors.get(name)
  if (known !== undefined) return known
  const selector = BigInt(hash.getSelectorFromName(name))
  selectors.set(name, selector)
  return selector
}

export const u256Felts = (value: bigint): Felts => [value % U128, value / U128]
