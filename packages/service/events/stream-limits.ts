/**
 * The open streams of this process, of one app and of one address are limited. App ids are public, so a stranger could take all streams of
 * an app from a few addresses. At a limit, a stream of the network with the most is evicted for a network that has fewer.
 */
import { TandemError } from '@tandem/protocol/error.ts'
import type { Logger } from '@tandem/runtime/log.ts'
import { customerOf, networkOf } from '../caller-network.ts'
import type { EventStream } from './event-stream.ts'

export type StreamLimits = {
  readonly perProcess: number
  readonly perApp: number
  readonly perAddress: number
}

export type StreamOwner = { readonly app: string; readonly address: string }

const FULL_RETRY_SECONDS = 10
const OWN_RETRY_SECONDS = 30

export interface StreamCounts {
  readonly open: number
  /**
   * Throws at a limit. The caller calls the result when the stream has ended. `onEvicted` must end the stream, because another one took its
   * place; the count is already reduced.
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
        throw full('rate_limited', `your address has ${limits.perAddress} open event streams, which is its limit`, OWN_RETRY_SECONDS)
      const own = apps.get(app) ?? createFairQuota<Place>(limits.perApp)
      if (!makeFree(own, network))
        throw full('rate_limited', `this app has ${limits.perApp} open event streams, which is its limit`, OWN_RETRY_SECONDS)
      if (!makeFree(all, network)) throw full('chain_unavailable', 'this server has reached its limit of event streams', FULL_RETRY_SECONDS)
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

const MAX_BYTES = 64 * 1024 * 1024
/** A client that reads hardly ever has a larger buffer. */
const USUAL_BYTES = 32 * 1024

/** Beyond the limit, the streams with an unusual buffer are cut. A client that still reads comes back with its `Last-Event-ID`. */
export function cutSlowReaders(streams: Iterable<Pick<EventStream, 'buffered' | 'cut'>>): void {
  const all = [...streams]
  const bytes = all.reduce((sum, { buffered }) => sum + buffered, 0)
  if (bytes > MAX_BYTES) for (const stream of all) if (stream.buffered > USUAL_BYTES) stream.cut()
}

export interface StreamTally {
  refused(): void
  cut(): void
  /** The sums are logged at most every ten seconds. */
  flush(): void
}

const LOG_INTERVAL_MS = 10_000

export function createStreamTally(log: Logger, nowMs: () => number = () => performance.now()): StreamTally {
  let [refused, cut] = [0, 0]
  let loggedAtMs = Number.NEGATIVE_INFINITY

  function flush(): void {
    if (refused + cut === 0 || nowMs() - loggedAtMs < LOG_INTERVAL_MS) return
    loggedAtMs = nowMs()
    log.warn({ refused, cut }, 'event streams refused at a limit, or cut: their reader is slow, or their network has the most at a limit')
    ;[refused, cut] = [0, 0]
  }

  return {
    refused() {
      refused += 1
      flush()
    },
    cut() {
      cut += 1
      flush()
    },
    flush,
  }
}

export interface FairQuota<Member> {
  readonly size: number
  readonly isFull: boolean
  add(group: string, member: Member): void
  remove(group: string, member: Member): void
  /** Returns the newest member of the largest group, if `group` would stay smaller with one more member, and null otherwise. */
  evictable(group: string): Member | null
}

function createFairQuota<Member>(limit: number): FairQuota<Member> {
  const groups = new Map<string, Set<Member>>()
  let size = 0

  return {
    get size() {
      return size
    },
    get isFull() {
      return size >= limit
    },
    add(group, member) {
      const members = groups.get(group)
      if (members === undefined) groups.set(group, new Set([member]))
      else members.add(member)
      size += 1
    },
    remove(group, member) {
      const members = groups.get(group)
      if (members?.delete(member) !== true) return
      if (members.size === 0) groups.delete(group)
      size -= 1
    },
    evictable(group) {
      let largest: ReadonlySet<Member> = new Set()
      for (const members of groups.values()) if (members.size > largest.size) largest = members
      if (largest.size <= (groups.get(group)?.size ?? 0) + 1) return null
      let newest: Member | null = null
      for (const member of largest) newest = member
      return newest
    },
  }
}
