/** This index knows which streams follow which order or app. */
import type { OrderEvent } from '@tandem/party/store/events/order-events.ts'
import type { EventStream } from './event-stream.ts'

export type Follower = {
  readonly app: string
  /** This is null if the stream follows all orders of the app. */
  readonly orderId: string | null
  /** Replays use this key in the fair queue. */
  readonly network: string
  readonly stream: EventStream
}

export interface Followers {
  add(follower: Follower): void
  remove(follower: Follower): void
  of(event: OrderEvent): Iterator<Follower, void> & Iterable<Follower>
}

type ByKey = Map<string, Set<Follower>>

export function createFollowers(): Followers {
  const [byOrder, byApp]: [ByKey, ByKey] = [new Map(), new Map()]

  const placeOf = ({ app, orderId }: Follower): readonly [ByKey, string] => (orderId === null ? [byApp, app] : [byOrder, orderId])

  return {
    add(follower) {
      const [places, key] = placeOf(follower)
      const known = places.get(key)
      if (known === undefined) places.set(key, new Set([follower]))
      else known.add(follower)
    },
    remove(follower) {
      const [places, key] = placeOf(follower)
      const known = places.get(key)
      known?.delete(follower)
      if (known?.size === 0) places.delete(key)
    },
    *of({ orderId, app }) {
      yield* byOrder.get(orderId) ?? []
      yield* byApp.get(app) ?? []
    },
  }
}
