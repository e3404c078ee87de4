/**
 * The last gate before the solver pays, after inventory is reserved: it admits an order only if the network fees of its redeem can be paid besides those of all
 * orders that were admitted before. Once admitted, an order stays so.
 */
import { ChainFailure } from '../../chains/port/failure.ts'
import type { ChainId } from '../../protocol/chain-id.ts'
import { TandemError } from '../../protocol/error.ts'
import type { OrderState } from '../../protocol/state.ts'
import type { Database } from '../../store/database/database.ts'
import { readInFlight, setAdmitted } from '../../store/solver/in-flight.ts'
import { readPayFacts } from '../../store/solver/pay-facts.ts'
import { mayBecomeDue } from '../reservations.ts'
import type { FeeFundsReader } from './fee-funds.ts'
import { missing, topUp } from './fee-funds.ts'

export interface Admissions {
  /** Needs the reservation of the order. A text: the solver does not pay for it. Throws while it must wait. */
  payCheck(state: OrderState): Promise<string | null>
  /** Admits orders whose deposits are in blocks and wait for confirmations, as far as possible. Never rejects. */
  admitSeen(states: readonly OrderState[]): Promise<void>
}

export function createAdmissions(options: {
  readonly db: Database
  readonly funds: FeeFundsReader
  /** The last look found too little on this chain for what is in flight: orders that are admitted look again. */
  readonly isShort: (chain: ChainId) => boolean
  readonly onTrouble: (error: unknown) => void
}): Admissions {
  const { db, funds, isShort, onTrouble } = options

  /**
   * It is marked first: of two orders at the same moment at least one sees both. Both may be refused, but never are both admitted with the coins for one.
   */
  async function admit({ order: { id, source } }: OrderState): Promise<string | null> {
    await setAdmitted(db, [id], true)
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

  async function whyUnpayable(chain: ChainId): Promise<string | null> {
    if (!funds.chains.includes(chain)) return null
    const found = await funds.read(chain, await readInFlight(db)).catch((error: unknown) => {
      // Its costs cannot be read at the moment.
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
          // It is asked for again with the next block, and before the payment.
          if (!(error instanceof ChainFailure)) onTrouble(error)
        }
      }
    },
  }
}
