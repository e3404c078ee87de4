/**
 * How many streams may be open: in this process, for one app, and for one address. App ids are public, so a stranger could take all streams of an app
 * from a few addresses: at a limit, the network with the most streams gives one up to a network that has fewer.
 */
import { TandemError } from '@tandem/protocol/error.ts'
import { customerOf, networkOf } from '../caller-network.ts'
import { createRoom, type Room } from './room.ts'

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
  /**
   * Throws if there is no room. Call the result when the stream has ended. `onDisplaced`: the stream must end, because another one took its place; it is not
   * counted any more.
   */
  enter(owner: StreamOwner, onDisplaced: () => void): () => void
}

type Place = { leave(): void; displace(): void }

export function countStreams(limits: StreamLimits): StreamCounts {
  const all = createRoom<Place>(limits.perProcess)
  const apps = new Map<string, Room<Place>>()
  const perAddress = new Map<string, number>()

  function count(address: string, n: number): void {
    const sum = (perAddress.get(address) ?? 0) + n
    if (sum === 0) perAddress.delete(address)
    else perAddress.set(address, sum)
  }

  /** False: there is no room, and nobody to give up a place. */
  function makeRoom(room: Room<Place>, network: string): boolean {
    if (!room.isFull) return true
    const least = room.leastEntitled(network)
    least?.displace()
    return least !== null
  }

  return {
    get open() {
      return all.size
    },
    enter({ app, address: given }, onDisplaced) {
      const [address, network] = [customerOf(given), networkOf(given)]
      if ((perAddress.get(address) ?? 0) >= limits.perAddress)
        throw full('rate_limited', `your address has ${limits.perAddress} open event streams, as many as it may`, OWN_RETRY_SECONDS)
      const own = apps.get(app) ?? createRoom<Place>(limits.perApp)
      if (!makeRoom(own, network))
        throw full('rate_limited', `this app has ${limits.perApp} open event streams, as many as it may`, OWN_RETRY_SECONDS)
      if (!makeRoom(all, network))
        throw full('chain_unavailable', 'this server has all the event streams that it can serve', FULL_RETRY_SECONDS)
      let isCounted = true
      const place: Place = {
        leave() {
          if (!isCounted) return
          isCounted = false
          all.leave(network, place)
          own.leave(network, place)
          if (own.size === 0) apps.delete(app)
          count(address, -1)
        },
        displace() {
          place.leave()
          onDisplaced()
        },
      }
      apps.set(app, own)
      all.enter(network, place)
      own.enter(network, place)
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
