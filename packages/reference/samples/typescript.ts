/** Prints a request by the SDK. A test fails if an operation has no entry here. */
import type { JsonSchema } from '../document/document.ts'
import { APP_ID, ORIGIN } from '../placeholders.ts'
import { printValue, typescriptStyle } from './print-value.ts'
import { type SampleRequest, urlOf } from './request.ts'

type Call = (given: { readonly query: string; readonly body: string; readonly request: SampleRequest }) => string

const text = (value: string | undefined): string => typescriptStyle.text(value ?? '')
const orderId = ({ path }: SampleRequest): string => text(path.order_id)
const byQuery =
  (name: string): Call =>
  ({ query }) =>
    `client.${name}(${query === '{}' ? '' : query})`

/** Operations that are one call of `client`. */
const calls: Readonly<Record<string, Call>> = {
  getQuote: byQuery('quote'),
  createOrder: ({ body }) => `client.createOrder(${body})`,
  getOrder: ({ request }) => `client.order(${orderId(request)})`,
  getOrderFunding: ({ request }) => `client.funding(${orderId(request)})`,
  getInstantRefundHashes: ({ request }) => `client.instantRefundHashes(${orderId(request)})`,
  patchOrder: ({ request, body }) => `client.patchOrder(${orderId(request)}, ${text(request.query.action)}, ${body})`,
  listOrders: byQuery('orders'),
  listChains: byQuery('chains'),
  listAssets: byQuery('assets'),
  getPolicy: byQuery('policy'),
  listSchemas: byQuery('schemas'),
  getSchema: ({ request }) => `client.schema(${text(request.path.name)})`,
  getLiquidity: byQuery('liquidity'),
  getHealth: byQuery('health'),
  getVolume: byQuery('volume'),
  listFeed: byQuery('feed'),
  getFees: byQuery('fees'),
  listEarnings: byQuery('earnings'),
}

/** Operations that need more than one call of `client`. */
const programs: Readonly<Record<string, (request: SampleRequest) => string>> = {
  followOrder: (request) => `${tandem}

for await (const order of tandem.watch(${orderId(request)})) {
  console.log(order.status, order.next_action)
}`,
  followOrders: () => `${tandem}

for await (const update of tandem.events()) {
  if ('gap' in update) console.log('events were missed: read the orders again')
  else console.log(update.event.order_id, update.event.status)
}`,
  livez: probe,
  readyz: probe,
}

const options = `{ baseUrl: '${ORIGIN}/v2', appId: '${APP_ID}' }`
const tandem = `import { createTandem } from '@tandem/sdk'\n\nconst tandem = createTandem(${options})`

function probe(request: SampleRequest): string {
  return `// A probe for supervisors: the SDK has no call for it.\nconst response = await fetch(${text(urlOf(request))})\nconsole.log(response.status)`
}

/** The result is null for an unknown operation. */
export function typescriptSample(request: SampleRequest): string | null {
  const { operationId, parameters = [] } = request.placed.operation
  const program = programs[operationId]
  if (program !== undefined) return program(request)
  const call = calls[operationId]
  if (call === undefined) return null
  const schemas = new Map(parameters.map(({ name, schema }) => [name, schema]))
  const query = Object.fromEntries(Object.entries(request.query).map(([name, value]) => [name, typed(value, schemas.get(name))]))
  const given = { query: printValue(query, typescriptStyle), body: printValue(request.body ?? {}, typescriptStyle), request }
  return `import { createClient } from '@tandem/sdk'\n\nconst client = createClient(${options})\n\nconst result = await ${call(given)}`
}

/** Converts the text of a query to the number or boolean that the SDK takes. */
function typed(value: string, schema: JsonSchema | undefined): unknown {
  if (schema?.type === 'integer' || schema?.type === 'number') return Number(value)
  return schema?.type === 'boolean' ? value === 'true' : value
}
