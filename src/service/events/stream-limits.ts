/** How many streams may be open: in this process, for one app, and for one address. */
import { isIPv6 } from 'node:net'
import { TandemError } from '../../protocol/error.ts'

export type StreamLimits = {
  readonly perProcess: number
  readonly perApp: number
  readonly perAddress: number
}

export type StreamOwner = { readonly app: string; readonly address: string }

/** A process that is full may have room again when streams have ended elsewhere. */
const FULL_RETRY_SECONDS = 10
const OWN_RETRY_SECONDS = 30

export interface StreamCounts {
  readonly open: number
  /** Throws if there is no room. Call the result once, when the stream has ended. */
  enter(owner: StreamOwner): () => void
}

export function countStreams(limits: StreamLimits): StreamCounts {
  let open = 0
  const perApp = new Map<string, number>()
  const perAddress = new Map<string, number>()

  function add(counts: Map<string, number>, key: string, n: number): void {
    const sum = (counts.get(key) ?? 0) + n
    if (sum === 0) counts.delete(key)
    else counts.set(key, sum)
  }

  return {
    get open() {
      return open
    },
    enter({ app, address }) {
      const network = networkOf(address)
      if (open >= limits.perProcess)
        throw full('chain_unavailable', 'this server has all the event streams that it can serve', FULL_RETRY_SECONDS)
      if ((perApp.get(app) ?? 0) >= limits.perApp)
        throw full('rate_limited', `this app has ${limits.perApp} open event streams, as many as it may`, OWN_RETRY_SECONDS)
      if ((perAddress.get(network) ?? 0) >= limits.perAddress)
        throw full('rate_limited', `your address has ${limits.perAddress} open event streams, as many as it may`, OWN_RETRY_SECONDS)
      open += 1
      add(perApp, app, 1)
      add(perAddress, network, 1)
      return () => {
        open -= 1
        add(perApp, app, -1)
        add(perAddress, network, -1)
      }
    },
  }
}

function full(code: 'chain_unavailable' | 'rate_limited', why: string, retryAfterSeconds: number): TandemError {
  return new TandemError(code, `${why}: close one, or try again in ${retryAfterSeconds} seconds; GET /orders/{id} works as always`, {
    retryAfterSeconds,
  })
}

/** One customer has a whole /64 of IPv6 addresses (RFC 6177). */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=[0-9.]+$)/i, '')
  if (!isIPv6(plain)) return plain
  const [head = '', tail] = plain.split('%')[0]?.split('::') ?? []
  const groups = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? 0 : tail.split(':').length
  const zeros = tail === undefined ? 0 : 8 - groups.length - after
  return [...groups, ...Array<string>(zeros).fill('0'), ...(tail ?? '').split(':')]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16))
    .join(':')
}
