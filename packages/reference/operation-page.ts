/** The page of one endpoint: what it does, its fields, samples, recorded answers, and a form to try it. */
import type { Block, Page, TryForm } from './blocks.ts'
import type { JsonSchema, MediaType, Parameter, PlacedOperation } from './document/document.ts'
import type { ApiExample } from './document/examples.ts'
import { fieldOf, fieldsOf, typeOf } from './fields.ts'
import { type SampleRequest, sampleRequest } from './samples/request.ts'
import { samplesOf } from './samples/samples.ts'

export type OperationFacts = {
  readonly placed: PlacedOperation
  /** The recorded examples of this operation. */
  readonly examples: readonly ApiExample[]
  /** The parameters of an operation that has no successful example. */
  readonly fallback: ApiExample['request']
}

export function operationPage(facts: OperationFacts): Page {
  const { placed, examples } = facts
  const { operation, method, path } = placed
  const { summary, description = '', operationId } = operation
  const good = examples.filter(({ response }) => response.status < 400)
  const [first, ...others] = good
  const request = requestOf(facts, first)
  return {
    path: pagePath(operationId),
    title: summary,
    summary: `${method} ${path}`,
    method,
    blocks: [
      { kind: 'endpoint', method, path },
      ...(description === '' ? [] : sentences(description)),
      ...(!request.needsAppId ? [{ kind: 'paragraph' as const, text: 'Needs no app id.' }] : []),
      { kind: 'samples', name: first?.name ?? summary, samples: samplesOf(request) },
      ...answerOf(first),
      { kind: 'try', form: tryForm(request) },
      ...fieldBlocks(operation),
      ...moreExamples(facts, others),
      ...refusals(examples),
    ],
  }
}

const pagePath = (operationId: string): string => `/docs/api/${operationId}`

function requestOf({ placed, fallback }: OperationFacts, example: ApiExample | undefined): SampleRequest {
  return sampleRequest(placed, example ?? { request: fallback })
}

/** A long description is easier to read in paragraphs of three sentences. */
function sentences(text: string): readonly Block[] {
  const all = text.split(/(?<=[.!?]) (?=[A-Z`0-9])/)
  const groups = Array.from({ length: Math.ceil(all.length / 3) }, (_, index) => all.slice(index * 3, index * 3 + 3).join(' '))
  return groups.map((group) => ({ kind: 'paragraph', text: group }))
}

function answerOf(example: ApiExample | undefined): readonly Block[] {
  if (example === undefined) return []
  return [
    { kind: 'paragraph', text: `Answer ${example.response.status}:` },
    { kind: 'code', language: 'json', text: JSON.stringify(example.response.body, null, 2) },
  ]
}

function fieldBlocks({ parameters = [], requestBody, responses }: PlacedOperation['operation']): readonly Block[] {
  const placed: readonly { readonly title: string; readonly of: Parameter['in'] }[] = [
    { title: 'In the path', of: 'path' },
    { title: 'In the query', of: 'query' },
    { title: 'Headers', of: 'header' },
  ]
  const blocks = placed.flatMap(({ title, of }) => {
    const here = parameters.filter((parameter) => parameter.in === of)
    const fields = here.map(({ name, schema, required = false, description }) => fieldOf(name, schema, required, description))
    return fields.length === 0 ? [] : [{ kind: 'fields' as const, title, fields }]
  })
  const { content } = responses['200'] ?? {}
  return [
    ...blocks,
    ...bodyFields('Body', requestBody?.content['application/json']),
    ...resultFields(content?.['application/json'], content?.['text/event-stream']),
  ]
}

function bodyFields(title: string, media: MediaType | undefined): readonly Block[] {
  const fields = media?.schema === undefined ? [] : fieldsOf(media.schema)
  return fields.length === 0 ? [] : [{ kind: 'fields', title, fields }]
}

/** The envelope is the same everywhere, so only `result` is described. */
function resultFields(json: MediaType | undefined, events: MediaType | undefined): readonly Block[] {
  if (events !== undefined) return bodyFields('Data of each event', events)
  const { properties } = (json?.schema ?? {}) as { readonly properties?: Readonly<Record<string, JsonSchema>> }
  const result = properties?.result
  if (result === undefined) return []
  const fields = fieldsOf(result)
  if (fields.length > 0) return [{ kind: 'fields', title: `result: ${typeOf(result)}`, fields }]
  return [{ kind: 'fields', title: 'Answer', fields: [fieldOf('result', result, true)] }]
}

function moreExamples(facts: OperationFacts, examples: readonly ApiExample[]): readonly Block[] {
  if (examples.length === 0) return []
  return [
    { kind: 'heading', level: 2, text: 'More examples' },
    ...examples.map((example): Block => {
      const samples = samplesOf(requestOf(facts, example))
      return {
        kind: 'folded',
        title: capital(example.name),
        blocks: [{ kind: 'samples', name: example.name, samples }, ...answerOf(example)],
      }
    }),
  ]
}

function refusals(examples: readonly ApiExample[]): readonly Block[] {
  const refused = examples.filter(({ response }) => response.status >= 400)
  const rows = refused.map(({ name, response }) => {
    const { code, error } = response.body as { readonly code: string; readonly error: string }
    return [capital(name), `${response.status} [\`${code}\`](/docs/errors#${code})`, error]
  })
  const more: Block = { kind: 'paragraph', text: 'All codes and what to do about each: [errors](/docs/errors).' }
  const heading: Block = { kind: 'heading', level: 2, text: 'Refusals' }
  return rows.length === 0 ? [heading, more] : [heading, { kind: 'table', head: ['when', 'code', 'what it says'], rows }, more]
}

const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`

function tryForm({ placed, needsAppId, path, query, body }: SampleRequest): TryForm {
  const { operation, method } = placed
  const inputs = (operation.parameters ?? []).map(({ name, in: place, required = false, description, schema }) => ({
    name,
    place,
    isRequired: required,
    text: description ?? String(schema.description ?? ''),
    value: (place === 'path' ? path[name] : place === 'query' ? query[name] : undefined) ?? '',
    choices: choicesOf(schema),
  }))
  return {
    operationId: operation.operationId,
    method,
    path: placed.path,
    needsAppId,
    inputs,
    body: body === undefined ? null : tryBody(body),
  }
}

function choicesOf({ type, enum: values }: JsonSchema): readonly string[] {
  if (type === 'boolean') return ['true', 'false']
  return Array.isArray(values) ? values.map(String) : []
}

/** The body without its nonce, with which a second try would return the first order. */
function tryBody(body: unknown): string {
  const { nonce: _, ...rest } = body as Readonly<Record<string, unknown>>
  return JSON.stringify(rest, null, 2)
}
