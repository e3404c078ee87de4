/** Sends one message to an endpoint. The name is resolved once and checked, and the connection goes to the checked address. Redirects are not followed. */
import { Resolver, lookup as systemLookup } from 'node:dns/promises'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { BlockList, isIP, isIPv4, type LookupFunction } from 'node:net'

/** These addresses are not public (RFC 6890 and the registries of IANA): a webhook must not reach the operator's own network. */
const reserved = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  reserved.addSubnet(network, prefix, 'ipv4')

// Tunnels (Teredo, 6to4) and documentation addresses lie within the global range.
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  reserved.addSubnet(network, prefix, 'ipv6')

const globalIpv6 = new BlockList()
globalIpv6.addSubnet('2000::', 3, 'ipv6')

export type WebhookAnswer = { readonly ok: boolean; readonly error: string }

export type Message = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The operator's own network may be called, also without TLS. */
  readonly allowPrivate: boolean
  readonly signal?: AbortSignal
  /** Tests use a resolver of their own. */
  readonly resolve?: (host: string) => Promise<readonly string[]>
}

const TIMEOUT_MS = 15_000

/** The body of an answer is not used. This much is read, so that the connection ends in an orderly way. */
const MAX_ANSWER_BYTES = 4096
const DNS_TIMEOUT_MS = 3000

/** This resolver asks DNS servers itself, because the system's function would occupy the few threads that the process has for it. */
const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: 2 })

async function resolvePublic(host: string): Promise<readonly string[]> {
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
}

async function resolveAny(host: string): Promise<readonly string[]> {
  return (await systemLookup(host, { all: true })).map(({ address }) => address)
}

/** Returns the reason why this URL cannot be a webhook, or null. */
export function urlProblem(text: string, allowPrivate: boolean): string | null {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null) return 'it is not a URL'
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) return 'it must begin with https://'
  if (url.username !== '' || url.password !== '') return 'it must not contain a user or a password'
  const host = hostOf(url)
  if (!allowPrivate && isIP(host) !== 0 && !isPublicAddress(host)) return `${host} is not a public address`
  return null
}

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '')

export async function sendMessage(message: Message): Promise<WebhookAnswer> {
  const { url: text, allowPrivate } = message
  const problem = urlProblem(text, allowPrivate)
  if (problem !== null) return { ok: false, error: problem }
  const url = new URL(text)
  const host = hostOf(url)
  try {
    const resolve = message.resolve ?? (allowPrivate ? resolveAny : resolvePublic)
    const addresses = isIP(host) === 0 ? await resolve(host) : [host]
    const [address] = addresses
    if (address === undefined) return { ok: false, error: `${host} has no address` }
    const hidden = allowPrivate ? undefined : addresses.find((one) => !isPublicAddress(one))
    if (hidden !== undefined) return { ok: false, error: `${host} has the address ${hidden}, which is not public` }
    return await post(url, address, message)
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error.message : String(error) }
  }
}

function post(url: URL, address: string, { headers, body, signal }: Message): Promise<WebhookAnswer> {
  const lookup: LookupFunction = (_host, options, done) => {
    const family = isIP(address)
    if (options.all === true) done(null, [{ address, family }])
    else done(null, address, family)
  }
  return new Promise((resolve) => {
    const start = url.protocol === 'https:' ? httpsRequest : httpRequest
    const request = start(url, {
      method: 'POST',
      agent: false,
      lookup,
      ...(signal !== undefined && { signal }),
      headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), 'user-agent': 'tandem' },
    })
    const timer = setTimeout(() => finish({ ok: false, error: `no answer within ${TIMEOUT_MS / 1000} s` }), TIMEOUT_MS)
    function finish(answer: WebhookAnswer): void {
      clearTimeout(timer)
      resolve(answer)
      request.destroy()
    }
    request.on('error', (error) => finish({ ok: false, error: error.message }))
    request.on('response', (response) => {
      const status = response.statusCode ?? 0
      const answer = { ok: status >= 200 && status < 300, error: `it answered ${status}` }
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > MAX_ANSWER_BYTES) finish(answer)
      })
      response.on('end', () => finish(answer))
      response.on('error', () => finish(answer))
    })
    request.end(body)
  })
}

export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !reserved.check(address, 'ipv4')
  return globalIpv6.check(address, 'ipv6') && !reserved.check(address, 'ipv6')
}
