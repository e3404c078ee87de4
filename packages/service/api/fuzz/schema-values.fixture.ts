/** The generator makes values that a JSON Schema allows. For known fields it prefers values that the service accepts. */
import fc from 'fast-check'
import type { JsonSchema } from '../../../reference/document/document.ts'

export type Words = Readonly<Record<string, readonly string[]>>

type Shape = {
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly type?: string
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly maxItems?: number
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
}

const MAX_LIST_LENGTH = 3

export function valuesOf(schema: JsonSchema, words: Words, name: string): fc.Arbitrary<unknown> {
  const shape: Shape = schema
  if ('const' in shape) return fc.constant(shape.const)
  if (shape.enum !== undefined) return fc.constantFrom(...shape.enum)
  if (shape.anyOf !== undefined) return fc.oneof(...shape.anyOf.map((variant) => valuesOf(variant, words, name)))
  switch (shape.type) {
    case 'string':
      return textsOf(shape, words[name])
    case 'integer':
      return fc.oneof(fc.constantFrom(...edges(shape)), fc.integer({ min: shape.minimum ?? -1000, max: shape.maximum ?? 1_000_000 }))
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return fc.array(valuesOf(shape.items ?? {}, words, name), { maxLength: Math.min(shape.maxItems ?? MAX_LIST_LENGTH, MAX_LIST_LENGTH) })
    case 'object':
      return recordsOf(shape, words)
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}

function recordsOf({ properties = {}, required = [] }: Shape, words: Words): fc.Arbitrary<unknown> {
  const fields = Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, valuesOf(schema, words, name)]))
  return fc.record(fields, { requiredKeys: required.filter((name) => name in fields), noNullPrototype: true })
}

function textsOf({ pattern, maxLength }: Shape, known: readonly string[] | undefined): fc.Arbitrary<string> {
  const free =
    pattern === undefined
      ? fc.string({ maxLength: Math.min(maxLength ?? 40, 40) })
      : fc.stringMatching(new RegExp(pattern), { maxLength: Math.min(maxLength ?? 140, 140) })
  if (known === undefined) return free
  return fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: free })
}

function edges({ minimum = 0, maximum = 100 }: Shape): readonly number[] {
  return [minimum, maximum]
}
