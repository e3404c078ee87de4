// Reads fields of JSON objects that clients send.
import type { ResourceBound, ResourceBounds } from '../execution/gas.ts'
import { type Felts, feltOf } from '../felt.ts'

export type Fields = Readonly<Record<string, unknown>>

export class InvalidField extends Error {
  constructor(name: string, expected: string) {
    super(`${name}: expected ${expected}`)
    this.name = 'InvalidField'
  }
}

export function readObject(value: unknown, name: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new InvalidField(name, 'an object')
  return value as Fields
}

export function readFelt(fields: Fields, name: string): bigint {
  const felt = feltOf(fields[name])
  if (felt === null) throw new InvalidField(name, 'a felt: 0x and hex digits')
  return felt
}

export function readFelts(fields: Fields, name: string): Felts {
  const values = fields[name]
  if (!Array.isArray(values)) throw new InvalidField(name, 'a list of felts')
  return values.map((value) => {
    const felt = feltOf(value)
    if (felt === null) throw new InvalidField(name, 'a list of felts')
    return felt
  })
}

export function readU64(fields: Fields, name: string): bigint {
  const felt = readFelt(fields, name)
  if (felt >= 2n ** 64n) throw new InvalidField(name, 'at most 64 bits')
  return felt
}

export function readChoice<Choice extends string>(fields: Fields, name: string, choices: readonly Choice[]): Choice {
  const value = choices.find((choice) => choice === fields[name])
  if (value === undefined) throw new InvalidField(name, choices.join(' or '))
  return value
}

export function readBounds(fields: Fields): ResourceBounds {
  const bounds = readObject(fields.resource_bounds, 'resource_bounds')
  return { l1Gas: readBound(bounds, 'l1_gas'), l1DataGas: readBound(bounds, 'l1_data_gas'), l2Gas: readBound(bounds, 'l2_gas') }
}

function readBound(bounds: Fields, name: string): ResourceBound {
  const bound = readObject(bounds[name], name)
  const maxPrice = readFelt(bound, 'max_price_per_unit')
  if (maxPrice >= 2n ** 128n) throw new InvalidField('max_price_per_unit', 'at most 128 bits')
  return { maxAmount: readU64(bound, 'max_amount'), maxPrice }
}
