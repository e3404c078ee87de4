/** Reports errors in the shape of a configuration, one line each. Never quotes a value: it may be a secret. */
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { didYouMean } from '../protocol/nearest-name.ts'

/** The parts of JSON Schema that our schemas use. */
type Node = {
  readonly title?: string
  readonly properties?: Readonly<Record<string, Node>>
  readonly patternProperties?: Readonly<Record<string, Node>>
  readonly items?: Node
  readonly anyOf?: readonly Node[]
}

export function shapeProblems(schema: TSchema, value: unknown): readonly string[] {
  const errors = Value.Errors(schema, value)
  // A union reports an error for each of its shapes. Report one error for the whole union instead.
  const choices = errors.filter((error) => error.keyword === 'anyOf').map((error) => error.instancePath)
  const problems = errors.flatMap((error) => {
    const { instancePath: path, keyword } = error
    if (choices.some((choice) => path.startsWith(`${choice}/`))) return []
    const title = nodesAt(schema as Node, path).find((node) => node.title !== undefined)?.title
    const expected = () => [`${path || '/'} must be ${title ?? error.message}`]
    if (choices.includes(path)) return keyword === 'anyOf' ? [...unknownKeys(schema as Node, path, value), ...expected()] : []
    if (keyword === 'additionalProperties') return []
    if (keyword === 'required') return error.params.requiredProperties.map((name) => `${path}/${name} is missing`)
    // JSON Schema refuses an unknown key by the schema `false`.
    if (keyword === 'boolean') return [unknownKey(schema as Node, path)]
    return title === undefined ? [`${path || '/'} ${error.message}`] : expected()
  })
  return [...new Set(problems)]
}

function unknownKey(schema: Node, path: string): string {
  const parts = path.split('/')
  const key = parts.pop() ?? ''
  return `${path} is not a known setting${didYouMean(key, knownKeys(schema, parts.join('/')))}`
}

/** Reports keys that none of the allowed shapes has. */
function unknownKeys(schema: Node, path: string, value: unknown): readonly string[] {
  const found = path
    .split('/')
    .slice(1)
    .reduce<unknown>((inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined), value)
  if (typeof found !== 'object' || found === null) return []
  const known = knownKeys(schema, path)
  return Object.keys(found)
    .filter((key) => !known.includes(key))
    .map((key) => unknownKey(schema, `${path}/${key}`))
}

const knownKeys = (schema: Node, path: string): readonly string[] =>
  nodesAt(schema, path).flatMap((node) => Object.keys(node.properties ?? {}))

/** The schemas that apply at a path, including each shape of a union. */
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
