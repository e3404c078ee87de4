/** What the solver does not take on: halted chains and pairs. */
import { ChainFailure } from '../../chains/port/failure.ts'
import type { AssetId } from '../../protocol/asset.ts'
import { TandemError } from '../../protocol/error.ts'
import type { OrderState } from '../../protocol/state.ts'
import { type Halts, OPERATOR } from './halts.ts'

export interface Risk {
  /** Throws while nothing new is taken of this pair. From memory: asked at every quote and order. */
  assertOpen(from: AssetId, to: AssetId): void
  /** Right before the solver commits to paying. A text: it does not pay for this order. Throws while that is undecided. */
  payCheck(state: OrderState): Promise<string | null>
}

/** A circuit breaker may close again soon. Until then the order waits; after that the user gets the deposit back. */
const PATIENCE_SECONDS = 60n

export function createRisk({ halts, now }: { readonly halts: Pick<Halts, 'find' | 'read'>; readonly now: () => bigint }): Risk {
  return {
    assertOpen(from, to) {
      const halt = halts.find(from, to)
      if (halt !== null) throw new TandemError('chain_unavailable', `halted (${halt.scope}): ${halt.reason}`)
    },
    async payCheck({ order }) {
      const halt = await halts.read(order.source.terms.asset, order.destination.terms.asset)
      if (halt === null) return null
      const text = `halted (${halt.scope}): ${halt.reason}`
      if (halt.cause !== OPERATOR && now() - halt.since < PATIENCE_SECONDS) throw new ChainFailure('would-fail', text)
      return text
    },
  }
}
