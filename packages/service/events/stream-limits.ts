/**
 * How many streams may be open: in this process, for one app, and for one address. App ids are public, so a stranger could take all streams of an app
 * from a few addresses: at a limit, a stream of the network with the most is evicted for a network that has fewer.
 */
import { TandemError } from '@tandem/protocol/error.ts'
import { customerOf, networkOf } from '../caller-network.ts'
import { createFairQuota, type FairQuota } from './fair-quota.ts'

export type StreamLimits = {
  readonly perProcess: number
  readonly perApp: number
  readonly perAddress: number
}

export type StreamOwner = { readonly app: string; readonly address: string }

/** A full process has free streams again when others have ended. */
const FULL_RETRY_SECONDS = 10
const OWN_RETRY_SECONDS = 30

export interface StreamCounts {
  readonly open: number
  /**
   * Throws at a limit. Call the result when the stream has ended. `onEvicted`: the stream must end, because another one took its place; it is not counted
   * any more.
   */
  enter(owner: StreamOwner, onEvicted: () => void): () => void
}

type Place = { leave(): void; evict(): void }

export function countStreams(limits: StreamLimits): StreamCounts {
  const all = createFairQuota<Place>(limits.perProcess)
  const apps = new Map<string, FairQuota<Place>>()
  const perAddress = new Map<string, number>()

  function count(address: string, n: number): void {
    const sum = (perAddress.get(address) ?? 0) + n
    if (sum === 0) perAddress.delete(address)
    else perAddress.set(address, sum)
  }

  /** Evicts a stream if the quota is full. Returns false if none can be evicted. */
  function makeFree(quota: FairQuota<Place>, network: string): boolean {
    if (!quota.isFull) return true
    const evicted = quota.evictable(network)
    evicted?.evict()
    return evicted !== null
  }

  return {
    get open() {
      return all.size
    },
    enter({ app, address: given }, onEvicted) {
      const [address, network] = [customerOf(given), networkOf(given)]
      if ((perAddress.get(address) ?? 0) >= limits.perAddress)
        throw full('rate_limited', `your address has ${limits.perAddress} open event streams, as many as it may`, OWN_RETRY_SECONDS)
      const own = apps.get(app) ?? createFairQuota<Place>(limits.perApp)
      if (!makeFree(own, network))
        throw full('rate_limited', `this app has ${limits.perApp} open event streams, as many as it may`, OWN_RETRY_SECONDS)
      if (!makeFree(all, network))
        throw full('chain_unavailable', 'this server has all the event streams that it can serve', FULL_RETRY_SECONDS)
      let isCounted = true
      const place: Place = {
        leave() {
          if (!isCounted) return
          isCounted = false
          all.remove(network, place)
          own.remove(network, place)
          if (own.size === 0) apps.delete(app)
          count(address, -1)
        },
        evict() {
          place.leave()
          onEvicted()
        },
      }
      apps.set(app, own)
      all.add(network, place)
      own.add(network, place)
      count(address, 1)
      return place.leave
    },
  }
}

function full(code: 'chain_unavailable' | 'rate_limited', why: string, retryAfterSeconds: number): TandemError {
  return new TandemError(code, `${why}: close one, or try again in ${retryAfterSeconds} seconds; GET /orders/{id} works as always`, {
    retryAfterSeconds,
  })
}
