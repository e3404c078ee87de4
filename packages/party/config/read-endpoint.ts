/** Reads one node of the configuration: its URL, and the headers that it needs. Header values are secrets, so no error quotes one. */
import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { Endpoint } from '@tandem/chain-kit/port/endpoints.ts'
import { urlProblem } from './problem-texts.ts'
import type { EndpointConfig, SecretReference } from './schema.ts'

type NodeConfig = Extract<EndpointConfig, { url: unknown }>

/** Headers that HTTP or our client sets for each request. */
const RESERVED = /^(host|connection|content-.*|transfer-encoding|upgrade|te|trailer|keep-alive|expect|proxy-.*|sec-.*)$/i

export function isNode(given: EndpointConfig): given is NodeConfig {
  return typeof given === 'object' && 'url' in given
}

export function referencesOf(given: EndpointConfig): readonly (SecretReference | string)[] {
  return [urlReference(given), ...(isNode(given) ? Object.values(given.headers ?? {}) : [])]
}

export function urlReference(given: EndpointConfig): SecretReference | string {
  return isNode(given) ? given.url : given
}

export async function readEndpoint(
  given: EndpointConfig,
  readSecret: (reference: SecretReference | string) => Promise<string>,
  { kind, place }: { readonly kind: string; readonly place: string },
): Promise<Endpoint> {
  const url = await readSecret(urlReference(given))
  const problem = urlProblem(url, protocolsOf(kind))
  if (problem !== null) throw new Error(`${place} ${problem}`)
  if (!isNode(given)) return url
  const headers = await Promise.all(
    Object.entries(given.headers ?? {}).map(async ([name, reference]) => {
      const value = await readSecret(reference)
      assertHeaderValue(place, name, value)
      return [name, value] as const
    }),
  )
  if (headers.some(([name]) => name.toLowerCase() === 'authorization') && URL.canParse(url) && new URL(url).username !== '')
    throw new Error(`${place}: the node has both a user name in its URL and the header authorization, which is the same: remove one`)
  const { requests_per_second: requestsPerSecond } = given
  return { url, headers: Object.fromEntries(headers), ...(requestsPerSecond !== undefined && { requestsPerSecond }) }
}

export function protocolsOf(kind: string): readonly string[] {
  return kind === 'ws' ? ['ws', 'wss'] : ['http', 'https']
}

export function headerNameProblem(name: string): string | null {
  if (RESERVED.test(name)) return 'is set by HTTP itself'
  try {
    validateHeaderName(name)
    return null
  } catch {
    return 'is not the name of a header'
  }
}

/** The original error is not passed on, because it may quote the value. */
function assertHeaderValue(place: string, name: string, value: string): void {
  try {
    validateHeaderValue(name, value)
  } catch {
    throw new Error(`${place}: the value of the header ${name} has a character that no header may have: it must be one line of plain text`)
  }
}

/** Finds header values that are written into the configuration itself. This runs before the check of the shape, to give a clearer error. */
export function literalHeaders(config: unknown): readonly string[] {
  const entries = (value: unknown) => (typeof value === 'object' && value !== null ? Object.entries(value) : [])
  const field = (value: unknown, name: string) => entries(value).find(([key]) => key === name)?.[1]
  return entries(field(config, 'chains')).flatMap(([chain, settings]) =>
    entries(field(settings, 'endpoints')).flatMap(([kind, given]) =>
      (Array.isArray(given) ? given : [given]).flatMap((node) =>
        entries(field(node, 'headers'))
          .filter(([, value]) => typeof value === 'string')
          .map(
            ([name]) =>
              `/chains/${chain}/endpoints/${kind}/headers/${name} must be {"file": "<path>"}, {"env": "<variable>"} or {"command": ["<program>", …]}, never the value itself: ` +
              'configurations are copied and shown. Put the value into a file that only this party can read, and name the file',
          ),
      ),
    ),
  )
}
