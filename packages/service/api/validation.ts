/** Requests are checked against their schemas. Errors name the field, what is expected and what was given. */

import { TandemError } from '@tandem/protocol/error.ts'
import { didYouMean } from '@tandem/protocol/nearest-name.ts'
import type { FastifySchemaCompiler } from 'fastify'
import { type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'

type SchemaError = {
  readonly keyword: string
  readonly instancePath: string
  readonly schemaPath: string
  readonly message: string
  readonly params: object
}

export const NoQuery = Type.Object({})

/** A query is text, so its numbers and booleans are converted first. Bodies are checked unchanged. */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const checker = Compile(schema)
  const read = httpPart === 'querystring' ? createQueryReader(schema) : (given: unknown) => given ?? {}
  const parameters = httpPart === 'querystring' && Type.IsObject(schema) ? Object.keys(schema.properties) : null
  return (given: unknown) => {
    const value = read(given)
    const unknown = parameters === null ? undefined : Object.keys(value as object).find((name) => !parameters.includes(name))
    if (unknown !== undefined) return { error: new TandemError('bad_request', refuseParameter(unknown.slice(0, 90), parameters ?? [])) }
    if (checker.Check(value)) return { value }
    const [first] = checker.Errors(value).sort(compareUsefulness)
    const isQuery = parameters !== null
    return {
      error: new TandemError('bad_request', first === undefined ? 'the request is not valid' : describe(first, schema, value, isQuery)),
    }
  }
}

/** An unknown parameter is refused: ignoring a filter would return what the client did not ask for. */
function refuseParameter(name: string, known: readonly string[]): string {
  if (known.length === 0) return `there is no query parameter "${name}": this path takes none`
  return `there is no query parameter "${name}": there are ${known.join(', ')}${didYouMean(name, known)}`
}

type Reader = (text: string) => unknown

/** Only plain decimal integers, `true` and `false` are converted. All other text stays text and fails validation. */
const readInteger: Reader = (text) => (/^(0|-?[1-9][0-9]{0,14})$/.test(text) ? Number(text) : text)
const readBoolean: Reader = (text) => (text === 'true' || text === 'false' ? text === 'true' : text)

/** The schema is read once, not for every request. */
function createQueryReader(schema: TSchema): (given: unknown) => Record<string, unknown> {
  const readers = new Map<string, Reader>()
  for (const [name, property] of Object.entries(Type.IsObject(schema) ? schema.properties : {})) {
    if (Type.IsInteger(property)) readers.set(name, readInteger)
    if (Type.IsBoolean(property)) readers.set(name, readBoolean)
  }
  return (given) => {
    const query: Record<string, unknown> = { ...(given as object) }
    for (const [name, read] of readers) {
      const text = query[name]
      if (typeof text === 'string') query[name] = read(text)
    }
    return query
  }
}

/**
 * Every alternative of a union reports an error. The error deepest inside the value belongs to the alternative that was meant. Among errors
 * of one depth, only that of the union itself says what is allowed.
 */
function compareUsefulness(a: SchemaError, b: SchemaError): number {
  return depthOf(b) - depthOf(a) || Number(b.keyword === 'anyOf') - Number(a.keyword === 'anyOf')
}

const depthOf = ({ instancePath }: SchemaError): number => instancePath.split('/').length

function describe(error: SchemaError, schema: TSchema, value: unknown, isQuery: boolean): string {
  const path = error.instancePath.split('/').slice(1)
  const name = path.length === 0 ? 'the request' : path.join('.')
  if (error.keyword === 'required' && 'requiredProperties' in error.params && Array.isArray(error.params.requiredProperties)) {
    const missing = String(error.params.requiredProperties[0])
    const expected = descriptionAt(schema, `${error.schemaPath}/properties/${missing}`)
    return `${[...path, missing].join('.')} is missing${expected === null ? '' : `: expected ${expected}`}`
  }
  const expected = descriptionAt(schema, error.schemaPath) ?? error.message.replace(/^must (be|match|have) /, '')
  // A value that may be a mistyped secret is never echoed, because the message may be logged.
  if (annotationAt(schema, error.schemaPath, 'writeOnly') === true) return `${name}: expected ${expected}`
  return `${name}: expected ${expected}, got ${show(path.reduce<unknown>(step, value), isQuery)}`
}

function descriptionAt(schema: TSchema, pointer: string): string | null {
  const description = annotationAt(schema, pointer, 'description')
  return typeof description === 'string' ? description : null
}

function annotationAt(schema: TSchema, pointer: string, name: string): unknown {
  return step(pointer.split('/').slice(1).reduce<unknown>(step, schema), name)
}

function step(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}

function show(value: unknown, isQuery: boolean): string {
  if (Array.isArray(value)) return isQuery ? 'a list (was it given more than once?)' : 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 90 ? `${text.slice(0, 90)}…` : text
}
