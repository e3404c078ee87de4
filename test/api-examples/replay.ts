/** A documented answer is compared with a real one. Documented ids, hashes and signatures are mapped to those of this run. */

/** Shorter texts are words and amounts, which must be the same in every run. */
const SHORTEST_NAME = 20

/** A documented value leads to the value of this run. */
export type Renamed = Map<string, string>

export function learn(documented: unknown, actual: unknown, renamed: Renamed): void {
  if (typeof documented === 'string' && typeof actual === 'string') {
    if (documented.length >= SHORTEST_NAME && documented !== actual) renamed.set(documented, actual)
    return
  }
  if (!isTree(documented) || !isTree(actual)) return
  for (const [key, value] of Object.entries(documented)) learn(value, actual[key], renamed)
}

export function rename(value: unknown, renamed: Renamed): unknown {
  if (typeof value === 'string') return renamed.get(value) ?? value
  if (Array.isArray(value)) return value.map((item) => rename(item, renamed))
  if (!isTree(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, rename(inner, renamed)]))
}

/** The shape has keys and types, without values: `{ a: "string", b: ["number"] }`. A list has the shape of its first item. */
export function shapeOf(value: unknown): unknown {
  if (value === null) return 'null'
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])]
  if (!isTree(value)) return typeof value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, shapeOf(inner)]),
  )
}

/** Each list keeps one item. */
export function firstOfLists(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(firstOfLists)
  if (!isTree(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, firstOfLists(inner)]))
}

/** The schema refuses additional properties everywhere. */
export function strictly(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strictly)
  if (!isTree(schema)) return schema
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, strictly(value)]))
  return 'properties' in schema ? { ...inner, additionalProperties: false } : inner
}

function isTree(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
