/** The generator makes valid, nearly valid and hostile requests to one operation, in path, query, headers and body. */
import fc from 'fast-check'
import type { Parameter, PlacedOperation } from '../../../reference/document/document.ts'
import { hostileText, hostileValue } from './hostile.fixture.ts'
import { mutated } from './mutate.fixture.ts'
import { valuesOf, type Words } from './schema-values.fixture.ts'

export type FuzzRequest = {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | null
}

/** The service under test accepts these values. Without them every request would be refused. */
export type Knowledge = {
  readonly words: Words
  readonly queries: Readonly<Record<string, readonly Query[]>>
  readonly bodies: Readonly<Record<string, readonly unknown[]>>
  readonly requests: Readonly<Record<string, readonly { readonly path: string; readonly body: unknown }[]>>
  readonly appId: string
  readonly otherAppId: string
}

type Query = Readonly<Record<string, string>>
type Pair = readonly [name: string, text: string]

export function requestsTo({ method, path, operation }: PlacedOperation, knowledge: Knowledge): fc.Arbitrary<FuzzRequest> {
  const { parameters = [], requestBody } = operation
  const inPath = parameters.filter((parameter) => parameter.in === 'path')
  const inQuery = parameters.filter((parameter) => parameter.in === 'query')
  const media = requestBody?.content['application/json']
  const examples = Object.values(media?.examples ?? {}).map(({ value }) => value)
  const rightBody =
    media?.schema === undefined
      ? null
      : preferring([...(knowledge.bodies[`${method} ${path}`] ?? []), ...examples], valuesOf(media.schema, knowledge.words, ''))
  const mixed = fc
    .record({
      path: paths(path, inPath, knowledge.words),
      query: queries(inQuery, knowledge.words, knowledge.queries[`${method} ${path}`] ?? []),
      headers: headers(knowledge),
      body: rightBody === null ? noBody : bodies(rightBody),
    })
    .map(({ path: filled, query, headers: sent, body }) => ({
      method,
      path: query === '' ? filled : `${filled}?${query}`,
      headers: { ...(body !== null && { 'content-type': 'application/json' }), ...sent },
      body: method === 'GET' ? null : body,
    }))
  const whole = knowledge.requests[`${method} ${path}`] ?? []
  if (whole.length === 0) return mixed
  const known = fc.constantFrom(...whole).map(
    (request): FuzzRequest => ({
      method,
      path: request.path,
      headers: { 'content-type': 'application/json', 'service-app-id': knowledge.appId },
      body: Buffer.from(JSON.stringify(request.body)),
    }),
  )
  return fc.oneof({ weight: 20, arbitrary: mixed }, { weight: 1, arbitrary: known })
}

function preferring<T>(known: readonly T[], others: fc.Arbitrary<T>): fc.Arbitrary<T> {
  if (known.length === 0) return others
  return fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: others })
}

/** Operations without a body get these, because a client may send one anyway. */
const noBody: fc.Arbitrary<Buffer | null> = fc.constantFrom(null, Buffer.from('{}'), Buffer.from('{'))

function bodies(right: fc.Arbitrary<unknown>): fc.Arbitrary<Buffer | null> {
  const json = (value: unknown) => Buffer.from(JSON.stringify(value) ?? 'undefined')
  return fc.oneof(
    { weight: 6, arbitrary: right.map(json) },
    { weight: 8, arbitrary: mutated(right).map(json) },
    { weight: 1, arbitrary: hostileValue.map(json) },
    { weight: 1, arbitrary: fc.tuple(right, hostileValue).map(([value, twice]) => duplicateKey(value, twice)) },
    { weight: 1, arbitrary: fc.tuple(right.map(json), fc.nat(), fc.uint8Array({ maxLength: 4 })).map(broken) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 1, arbitrary: fc.constantFrom(Buffer.alloc(70_000, ' '), Buffer.alloc(60_000, '['), null) },
  )
}

/** RFC 8259 does not define the meaning of a duplicate name. */
function duplicateKey(value: unknown, twice: unknown): Buffer {
  const text = JSON.stringify(value)
  const [name] = typeof value === 'object' && value !== null ? Object.keys(value) : []
  return Buffer.from(name === undefined ? text : `{${JSON.stringify(name)}:${JSON.stringify(twice)},${text.slice(1)}`)
}

function broken([text, at, bytes]: [Buffer, number, Uint8Array]): Buffer {
  const place = at % (text.length + 1)
  return Buffer.concat([text.subarray(0, place), bytes, text.subarray(place + bytes.length)])
}

function paths(template: string, parameters: readonly Parameter[], words: Words): fc.Arbitrary<string> {
  const filled = parameters.map((parameter) =>
    fc.oneof(
      { weight: 6, arbitrary: parameterValues(parameter, words).map((value) => encode(String(value))) },
      { weight: 2, arbitrary: hostileText.map(encode) },
      { weight: 1, arbitrary: rawText },
    ),
  )
  return fc
    .tuple(...filled)
    .map((values) => parameters.reduce((path, { name }, index) => path.replace(`{${name}}`, () => values[index] ?? ''), template))
}

function queries(parameters: readonly Parameter[], words: Words, known: readonly Query[]): fc.Arbitrary<string> {
  const fromSchema = fc
    .tuple(...parameters.map((parameter) => pairs(parameter, words)))
    .map((given): readonly Pair[] => given.filter((pair): pair is Pair => pair !== null))
  const right = preferring<readonly Pair[]>(
    known.map((query) => Object.entries(query)),
    fromSchema,
  )
  const odd = fc.tuple(
    right,
    fc.array(fc.record({ at: fc.nat(), how: fc.constantFrom('twice', 'replace', 'remove', 'list'), text: hostileText }), { maxLength: 2 }),
  )
  return fc.oneof(
    { weight: 4, arbitrary: right.map(joined) },
    { weight: 4, arbitrary: odd.map(([given, changes]) => joined(changes.reduce(changedQuery, given))) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(right, fc.dictionary(hostileText, hostileText, { maxKeys: 3 }))
        .map(([given, more]) => joined([...given, ...Object.entries(more)])),
    },
    { weight: 1, arbitrary: fc.tuple(right, rawText).map(([given, raw]) => `${joined(given)}&${raw}`) },
  )
}

function pairs(parameter: Parameter, words: Words): fc.Arbitrary<Pair | null> {
  const given = parameterValues(parameter, words).map((value): Pair => [parameter.name, String(value)])
  return parameter.required === true ? given : fc.option(given, { freq: 1 })
}

function parameterValues({ name, schema, examples = {} }: Parameter, words: Words): fc.Arbitrary<unknown> {
  const shown = Object.values(examples).map(({ value }) => value)
  return shown.length === 0 ? valuesOf(schema, words, name) : fc.oneof(valuesOf(schema, words, name), fc.constantFrom(...shown))
}

function changedQuery(pairs: readonly Pair[], { at, how, text }: { at: number; how: string; text: string }): readonly Pair[] {
  const index = at % Math.max(1, pairs.length)
  return pairs.flatMap((pair, here): readonly Pair[] => {
    if (here !== index) return [pair]
    if (how === 'twice') return [pair, [pair[0], text]]
    if (how === 'replace') return [[pair[0], text]]
    if (how === 'list') return [[`${pair[0]}[]`, pair[1]]]
    return []
  })
}

function joined(pairs: readonly Pair[]): string {
  return pairs.map(([name, text]) => `${encode(name)}=${encode(text)}`).join('&')
}

/** These raw characters of a request line include invalid percent encodings. */
const rawText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('%', '%f', '%ff', '%c0%af', '%00', '..%2f..', '%2e%2e/', ';', '=', '&&', '[a]=1', '\u00ff', '__proto__[x]=1'),
  fc.string({ unit: fc.integer({ min: 0x21, max: 0xff }).map((code) => String.fromCharCode(code)), maxLength: 12 }),
)

/** This percent-encodes the UTF-8 of any text, lone surrogates included. */
function encode(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) => (/[\w.~:-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : percent(byte)))
    .join('')
}

function percent(byte: number): string {
  return `%${byte.toString(16).padStart(2, '0')}`
}

function headers({ appId, otherAppId }: Knowledge): fc.Arbitrary<Readonly<Record<string, string>>> {
  const header = (name: string, value: fc.Arbitrary<string>) =>
    value.map((text): Readonly<Record<string, string>> => ({ [name]: headerText(text) }))
  const extra = fc.oneof(
    header(
      'content-type',
      fc.oneof(
        fc.constantFrom(
          'application/json; charset=utf-8',
          'application/json;charset=koi8-r',
          'application/jsonx',
          'text/plain',
          'multipart/form-data; boundary=x',
          '',
        ),
        hostileText,
      ),
    ),
    header('idempotency-key', fc.oneof(fc.constantFrom('k', 'x'.repeat(256)), hostileText)),
    header('order-token', fc.oneof(fc.constant('0'.repeat(64)), hostileText)),
    header('origin', fc.oneof(fc.constantFrom('null', 'https://shop.example'), hostileText)),
    header('if-none-match', fc.oneof(fc.constantFrom('*', 'W/""'), hostileText)),
    header('accept-encoding', fc.constantFrom('gzip', '*', 'br, deflate', 'gzip;q=nothing')),
    header('content-encoding', fc.constantFrom('gzip', 'identity', 'nothing')),
    header('accept', fc.constantFrom('text/html', 'nothing')),
    header('expect', fc.constantFrom('100-continue', 'wonders')),
    header('host', fc.constantFrom('evil.example', '', '<b>', '[::1', 'a:b:c')),
    header('x-forwarded-host', hostileText),
    header(
      'service-app-id',
      fc.oneof(fc.constantFrom('', '0'.repeat(64), appId.toUpperCase(), `${appId}, ${appId}`, otherAppId), hostileText),
    ),
  )
  return fc
    .tuple(fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.array(extra, { maxLength: 2 }) }))
    .map(([more]) => Object.assign({ 'service-app-id': appId }, ...more))
}

/** Only bytes that a header may contain are kept. Other bytes end the connection; another test sends those. */
function headerText(text: string): string {
  return Buffer.from(text)
    .toString('latin1')
    .replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '')
    .slice(0, 2000)
}
