/** Reports errors in the shape of a configuration, one line each. Never quotes a value: it may be a secret. */

import { didYouMean } from '@tandem/protocol/nearest-name.ts'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'

type Node = {
  readonly title?: string
  readonly properties?: Readonly<Record<string, Node>>
  readonly patternProperties?: Readonly<Record<string, Node>>
  readonly items?: Node
  readonly anyOf?: readonly Node[]
}

export function shapeProblems(schema: TSchema, value: unknown): readonly string[] {
  const problems = Value.Errors(schema, value).flatMap((error) => {
    const { instancePath, keyword, schemaPath } = error
    // A union reports an error for each of its shapes, and not always one of its own. One error for the whole union is clearer.
    const union = unionOf(schemaPath, instancePath)
    if (union !== null || keyword === 'anyOf') return unionProblems(schema as Node, union ?? instancePath, value)
    if (keyword === 'additionalProperties') return []
    if (keyword === 'required') return error.params.requiredProperties.map((name) => `${instancePath}/${name} is missing`)
    // JSON Schema refuses an unknown key by the schema `false`.
    if (keyword === 'boolean') return [unknownKey(schema as Node, instancePath)]
    const title = titleAt(schema as Node, instancePath)
    const given =
      keyword === 'minimum' || keyword === 'maximum' ? String(valueAt(value, instancePath)) : kindOf(valueAt(value, instancePath))
    return [`${instancePath || '/'} ${title === undefined ? error.message : `must be ${title}`}, got ${given}`]
  })
  return [...new Set(problems)]
}

function unionOf(schemaPath: string, instancePath: string): string | null {
  const [outside = '', ...inside] = schemaPath.split('/anyOf/')
  if (inside.length === 0) return null
  const depth = outside.match(/\/(?:(?:p|patternP)roperties\/[^/]+|items)/g)?.length ?? 0
  return instancePath
    .split('/')
    .slice(0, depth + 1)
    .join('/')
}

function unionProblems(schema: Node, path: string, value: unknown): readonly string[] {
  const found = valueAt(value, path)
  const title = titleAt(schema, path)
  const items = nodesAt(schema, path).find((node) => node.items !== undefined)?.items
  const wrong =
    Array.isArray(found) && items !== undefined ? found.flatMap((one, at) => (Value.Check(items as TSchema, one) ? [] : [at])) : []
  const places = wrong.length === 0 ? [path] : wrong.map((at) => `${path}/${at}`)
  return places.flatMap((place) => [
    ...unknownKeys(schema, place, value),
    `${place || '/'} must be ${title ?? 'one of the shapes that docs/configuration.md names'}, got ${kindOf(valueAt(value, place))}`,
  ])
}

const titleAt = (schema: Node, path: string) => nodesAt(schema, path).find((node) => node.title !== undefined)?.title

function valueAt(value: unknown, path: string): unknown {
  return path
    .split('/')
    .slice(1)
    .reduce<unknown>((inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined), value)
}

/** Describes the type and never the value, which may be a secret. */
function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (typeof value === 'string') return value === '' ? 'an empty text' : 'a text'
  if (typeof value === 'boolean') return String(value)
  return typeof value === 'number' ? 'a number' : 'an object'
}

function unknownKey(schema: Node, path: string): string {
  const parts = path.split('/')
  const key = parts.pop() ?? ''
  return `${path} is not a known setting${didYouMean(key, knownKeys(schema, parts.join('/')))}`
}

function unknownKeys(schema: Node, path: string, value: unknown): readonly string[] {
  const found = valueAt(value, path)
  if (typeof found !== 'object' || found === null || Array.isArray(found)) return []
  const known = knownKeys(schema, path)
  return Object.keys(found)
    .filter((key) => !known.includes(key))
    .map((key) => unknownKey(schema, `${path}/${key}`))
}

const knownKeys = (schema: Node, path: string): readonly string[] =>
  nodesAt(schema, path).flatMap((node) => Object.keys(node.properties ?? {}))

function nodesAt(schema: Node, path: string): readonly Node[] {
  const withChoices = (node: Node): readonly Node[] => [node, ...(node.anyOf ?? []).flatMap(withChoices)]
  return path
    .split('/')
    .slice(1)
    .reduce<readonly Node[]>(
      (nodes, key) =>
        nodes
          .flatMap((node) => node.properties?.[key] ?? Object.values(node.patternProperties ?? {})[0] ?? node.items ?? [])
          .flatMap(withChoices),
      withChoices(schema),
    )
}
