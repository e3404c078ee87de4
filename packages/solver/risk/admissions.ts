/**
 * The last check before the solver pays, after inventory is reserved. An order is admitted only if the network fees of its redeem can be
 * paid in addition to those of all orders admitted before, and if the worth of unfinal deposits of its source chain stays within the limit.
 * An admitted order stays admitted.
 */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { withLock } from '@tandem/party/store/actions/leases.ts'
import { readTips } from '@tandem/party/store/chain/events.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { readInFlight, setAdmitted } from '@tandem/party/store/solver/in-flight.ts'
import { readPayFacts } from '@tandem/party/store/solver/pay-facts.ts'
import { formatUsd } from '@tandem/protocol/amount.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import type { OrderState } from '@tandem/protocol/state.ts'
import { mayBecomeDue } from '../reservations.ts'
import { unfinalOn, unfinalWorth } from './exposure.ts'
import { type FeeFundsReader, missing, topUp } from './fee-funds.ts'

export interface Admissions {
  /** The order needs a reservation. Returns the reason why the solver does not pay for it, or null. Throws while the order must wait. */
  payCheck(state: OrderState): Promise<string | null>
  /** Admits orders whose deposits are in blocks and wait for confirmations, as far as possible. Never rejects. */
  admitSeen(states: readonly OrderState[]): Promise<void>
}

export function createAdmissions(options: {
  readonly db: Database
  readonly funds: FeeFundsReader
  /** The last check found too few coins on this chain for what is in flight, so orders that are admitted check again. */
  readonly isShort: (chain: ChainId) => boolean
  readonly registry: Pick<Registry, 'chain'>
  /** The limit for unfinal deposits of a source chain, in millionths of a dollar; null if there is none. */
  readonly unfinalCap: (chain: Chain) => bigint | null
  readonly onError: (error: unknown) => void
}): Admissions {
  const { db, funds, isShort, registry, unfinalCap, onError } = options

  /** The order is marked first, so that two concurrent orders are never both admitted with coins for one. */
  async function admit({ order: { id, source } }: OrderState): Promise<string | null> {
    await admitBelowCap(id, registry.chain(source.chain))
    try {
      const why = await whyUnpayable(source.chain)
      if (why === null) return null
      await setAdmitted(db, [id], false)
      return why
    } catch (error) {
      await setAdmitted(db, [id], false)
      throw error
    }
  }

  /** Marks the order as admitted, or throws at the chain's cap. Orders run one at a time, so that no two use the same headroom. */
  async function admitBelowCap(orderId: string, chain: Chain): Promise<void> {
    const cap = unfinalCap(chain)
    if (cap === null) return setAdmitted(db, [orderId], true)
    await withLock(db, `admit ${chain.id}`, async (connection) => {
      const [flights, tip] = [await readInFlight(connection), (await readTips(connection)).get(chain.id) ?? null]
      const own = flights.find((flight) => flight.orderId === orderId)
      if (own === undefined) throw new ChainFailure('would-fail', 'no inventory is reserved for this order')
      const worth = unfinalWorth(own, chain, tip)
      const open = unfinalOn(chain, flights, tip)
      // A final deposit adds nothing.
      if (worth > 0n && open + worth > cap)
        throw new ChainFailure(
          'would-fail',
          `$${formatUsd(open)} of deposits from ${chain.id} are not final yet, and the limit is $${formatUsd(cap)}: this order of $${formatUsd(worth)} waits until they are`,
        )
      await setAdmitted(connection, [orderId], true)
    })
  }

  async function whyUnpayable(chain: ChainId): Promise<string | null> {
    if (!funds.chains.includes(chain)) return null
    const found = await funds.read(chain, await readInFlight(db)).catch((error: unknown) => {
      if (error instanceof TandemError) throw new ChainFailure('would-fail', error.message)
      throw error
    })
    return found === null || missing(found, 0n) === 0n ? null : `the redeem on ${chain} could not be paid for: ${topUp(found, 0n)}`
  }

  async function payCheck(state: OrderState): Promise<string | null> {
    const { id, source } = state.order
    const { admitted } = await readPayFacts(db, id)
    if (admitted) return isShort(source.chain) ? whyUnpayable(source.chain) : null
    return admit(state)
  }

  return {
    payCheck,
    async admitSeen(states) {
      const waiting = states.filter((state) => state.source.phase === 'seen' && mayBecomeDue(state))
      for (const state of waiting) {
        try {
          if ((await readPayFacts(db, state.order.id)).reserved !== null) await payCheck(state)
        } catch (error) {
          // It is tried again with the next block, and before the payment.
          if (!(error instanceof ChainFailure)) onError(error)
        }
      }
    },
  }
}
