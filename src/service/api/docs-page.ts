/** GET /docs: the OpenAPI document as one page without scripts or external resources. */
import { type ApiDocument, type Examples, type JsonSchema, listOperations, type MediaType, type PlacedOperation } from './document.ts'

/** Content security policy: no scripts, no external resources. */
export const DOCS_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

const STYLE = `
:root{color-scheme:light dark;--line:#8884;--soft:#8881;--accent:#2a6df4}
body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:70rem;padding:1rem 1.5rem 6rem}
h1{margin-bottom:0}h2{border-bottom:1px solid var(--line);margin-top:3rem}h3{margin:2.5rem 0 .25rem;font:600 1.05rem ui-monospace,monospace}
h3 b{color:var(--accent)}nav{columns:3 16rem;font:.9rem ui-monospace,monospace}nav a{display:block;color:inherit;text-decoration:none}nav a:hover{text-decoration:underline}
table{border-collapse:collapse;width:100%;font-size:.92rem}td,th{text-align:left;vertical-align:top;border-bottom:1px solid var(--line);padding:.25rem .75rem .25rem 0}
td:first-child{font-family:ui-monospace,monospace;white-space:pre}td small{opacity:.7}pre{background:var(--soft);padding:.75rem;overflow:auto;font-size:.85rem;border-radius:.4rem}
details{margin:.5rem 0}summary{cursor:pointer}`

export function renderDocsPage(document: ApiDocument): string {
  const operations = listOperations(document)
  const sections = document.tags.map(({ name, description = '' }) => {
    const here = operations.filter(({ operation }) => operation.tags.includes(name))
    return `<h2>${escapeHtml(name)}</h2><p>${escapeHtml(description)}</p>${here.map(renderOperation).join('')}`
  })
  const links = operations.map(({ path, method, operation }) => `<a href="#${operation.operationId}">${method} ${escapeHtml(path)}</a>`)
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(document.info.title)} API</title><style>${STYLE}</style></head><body>
<h1>${escapeHtml(document.info.title)} API</h1><p>${escapeHtml(document.info.description ?? '')}</p>
<p>The same as an OpenAPI document: <a href="openapi.json">openapi.json</a></p><nav>${links.join('')}</nav>${sections.join('')}</body></html>`
}

function renderOperation({ path, method, operation }: PlacedOperation): string {
  const { operationId, summary, description = '', parameters = [], requestBody, responses } = operation
  const body = requestBody?.content['application/json']
  const parts = [
    `<h3 id="${operationId}"><b>${method}</b> ${escapeHtml(path)}</h3><p>${escapeHtml(summary)}. ${escapeHtml(description)}</p>`,
    renderFields(
      'Parameters',
      parameters.map((parameter) => ({ ...parameter, required: parameter.required === true })),
    ),
    renderBody('Request body', body),
    ...Object.entries(responses).map(([status, { content }]) =>
      renderBody(status === '4XX' ? 'Refusal' : `Answer ${status}`, content?.['application/json'] ?? content?.['text/event-stream']),
    ),
  ]
  return parts.join('')
}

type Field = { readonly name: string; readonly schema: JsonSchema; readonly required: boolean; readonly description?: string }

function renderBody(title: string, media: MediaType | undefined): string {
  if (media === undefined) return ''
  const fields = media.schema === undefined ? '' : renderFields(title, fieldsOf(media.schema, ''))
  return `<details><summary>${title}</summary>${fields}${renderExamples(media.examples)}</details>`
}

function renderFields(title: string, fields: readonly Field[]): string {
  if (fields.length === 0) return ''
  const rows = fields.map(({ name, schema, required, description }) => {
    const words = description ?? schema.description ?? ''
    return `<tr><td>${escapeHtml(name)}</td><td><small>${escapeHtml(typeOf(schema))}${required ? '' : ', optional'}</small></td><td>${escapeHtml(String(words))}</td></tr>`
  })
  return `<table><tr><th>${title}</th><th></th><th></th></tr>${rows.join('')}</table>`
}

function renderExamples(examples: Examples = {}): string {
  return Object.entries(examples)
    .map(
      ([name, { value }]) =>
        `<details open><summary>${escapeHtml(name)}</summary><pre>${escapeHtml(JSON.stringify(value, null, 2))}</pre></details>`,
    )
    .join('')
}

/** A schema as a flat list, indented by depth. */
function fieldsOf(schema: JsonSchema, indent: string): readonly Field[] {
  const { properties, items, anyOf, required } = schema as {
    properties?: Record<string, JsonSchema>
    items?: JsonSchema
    anyOf?: readonly JsonSchema[]
    required?: readonly string[]
  }
  if (items !== undefined) return fieldsOf(items, indent)
  if (anyOf !== undefined) return anyOf.flatMap((variant) => fieldsOf(variant, indent))
  return Object.entries(properties ?? {}).flatMap(([name, inner]) => [
    { name: `${indent}${name}`, schema: inner, required: required?.includes(name) ?? false },
    ...fieldsOf(inner, `${indent}  `),
  ])
}

function typeOf(schema: JsonSchema): string {
  const { type, items, anyOf, enum: values } = schema as { type?: string; items?: JsonSchema; anyOf?: JsonSchema[]; enum?: unknown[] }
  if ('const' in schema) return JSON.stringify(schema.const)
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ')
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeOf))].join(' | ')
  if (type === 'array' && items !== undefined) return `${typeOf(items)}[]`
  return type ?? 'any'
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
