/** Gives every schema with a title a name in the document's components, so that generated clients have types with names. */
import type { ApiDocument, JsonSchema } from './document.ts'

const PREFIX = '#/components/schemas/'

/** The same document, with `$ref` in the place of each titled schema. Two schemas of one title must be the same but for their descriptions. */
export function nameSchemas(document: ApiDocument): ApiDocument {
  const schemas: Record<string, JsonSchema> = {}

  function walk(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(walk)
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value).map(([key, inner]) => [key, key === 'examples' ? inner : walk(inner)])
    const { title, ...schema } = Object.fromEntries(entries) as JsonSchema
    return typeof title === 'string' ? refer(title, schema) : { ...(title !== undefined && { title }), ...schema }
  }

  function refer(title: string, schema: JsonSchema): JsonSchema {
    const { description, ...shape } = schema
    const known = schemas[title]
    if (known === undefined) schemas[title] = schema
    else if (!isSameShape(known, shape)) throw new Error(`two schemas of the API have the title ${title}`)
    const differs = known !== undefined && known.description !== description
    return { $ref: `${PREFIX}${title}`, ...(differs && { description }) }
  }

  const paths = walk(document.paths) as ApiDocument['paths']
  return { ...document, paths, components: { ...document.components, schemas } }
}

function isSameShape({ description: _, ...known }: JsonSchema, shape: JsonSchema): boolean {
  return JSON.stringify(known) === JSON.stringify(shape)
}
