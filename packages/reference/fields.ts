/** JSON schemas as lists of fields. */
import type { Field } from './blocks.ts'
import type { JsonSchema } from './document/document.ts'

type Known = {
  readonly type?: string
  readonly title?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly required?: readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
}

export function fieldsOf(schema: JsonSchema): readonly Field[] {
  const { properties = {}, items, anyOf, required = [] } = schema as Known
  if (items !== undefined) return fieldsOf(items)
  if (anyOf !== undefined) return variantsOf(anyOf)
  return Object.entries(properties).map(([name, inner]) => fieldOf(name, inner, required.includes(name)))
}

export function fieldOf(name: string, schema: JsonSchema, isRequired: boolean, text?: string): Field {
  const { description = '', default: preset } = schema as Known
  const words = text ?? description
  const withDefault =
    preset === undefined || typeof preset === 'object' ? words : `${words}${words === '' ? '' : ' '}(default: \`${String(preset)}\`)`
  return { name, type: typeOf(schema), isRequired, text: withDefault, inner: fieldsOf(schema) }
}

/** The fields of the only alternative that is an object; with several, one field for each, named by its title. */
function variantsOf(variants: readonly JsonSchema[]): readonly Field[] {
  const objects = variants.filter((variant) => fieldsOf(variant).length > 0)
  const [only] = objects
  if (only === undefined) return []
  if (objects.length === 1) return fieldsOf(only)
  return objects.map((variant, index) => {
    const { title, description = '' } = variant as Known
    return { name: title ?? `form ${index + 1}`, type: 'one of these forms', isRequired: true, text: description, inner: fieldsOf(variant) }
  })
}

export function typeOf(schema: JsonSchema): string {
  const { type, items, anyOf, enum: values, title } = schema as Known
  if ('const' in schema) return JSON.stringify(schema.const)
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ')
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeOf))].join(' | ')
  if (type === 'array' && items !== undefined) return `list of ${typeOf(items)}`
  return (type === 'object' ? title : undefined) ?? type ?? 'any'
}
