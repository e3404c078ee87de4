/**
 * Checks spends on record. A recorded spend ends the work for a deposit, so a party that believes a forged one loses the deposit. Spends
 * that the polls of this process have not read are read again, once, and so is a redeem whose row lacks the secret that it must have shown.
 */

import { type Leg, otherLeg } from '@tandem/protocol/order.ts'
import { redeemable } from '@tandem/protocol/playbook.ts'
import type { OrderState } from '@tandem/protocol/state.ts'
import type { Logger } from 'pino'
import { clientFor, type LiveView } from '../facts.ts'
import { createWatchedSwaps } from '../watched-swaps.ts'
import { rereadSpends } from './reread-spends.ts'

type Context = Pick<LiveView, 'db' | 'clients' | 'polls' | 'onDifferences'> & {
  readonly log: Pick<Logger, 'warn'>
  readonly stopping?: AbortSignal
}

export interface SpendCheck {
  /** Call this with every state that is derived, without awaiting it. */
  check(states: readonly OrderState[]): void
  idle(): Promise<void>
}

const LEGS = ['source', 'destination'] as const
const MAX_REMEMBERED = 100_000

export function createSpendCheck(context: Context): SpendCheck {
  /** The keys name what was doubted. They are in memory only, so a restart checks again. */
  const checked = new Set<string>()
  /** Checks run one after another: none is urgent enough to crowd out other requests. */
  let checking = Promise.resolve()

  async function checkOne(state: OrderState, leg: Leg, doubt: string): Promise<void> {
    if (context.stopping?.aborted) return
    try {
      if (await isShown(context, state, leg)) return
      if (!(await rereadSpends(context, state, leg))) return
      const what = 'a redeem or refund on record is not as the chain shows it: the rows were put right'
      context.onDifferences?.({ order: state.order.id, action: 'none', differences: [{ leg, what }] })
    } catch (error) {
      checked.delete(doubt)
      if (!context.stopping?.aborted)
        context.log.warn({ order: state.order.id, err: error }, 'cannot read a redeem or refund again; will retry')
    }
  }

  return {
    check(states) {
      for (const state of states) {
        for (const leg of LEGS) {
          const doubt = doubtOf(context, state, leg)
          if (doubt === null || checked.has(doubt)) continue
          if (checked.size >= MAX_REMEMBERED) checked.clear()
          checked.add(doubt)
          checking = checking.then(() => checkOne(state, leg, doubt))
        }
      }
    },
    idle: () => checking,
  }
}

const minedSpends = (state: OrderState, leg: Leg) => state[leg].deposits.flatMap(({ spend }) => (spend?.block == null ? [] : [spend]))

/** Without the secret the other leg cannot be redeemed. A cosigned redeem does not show it; then the other leg is redeemed first. */
const lacksSecret = (state: OrderState, leg: Leg) =>
  state.secret === null && state[leg].phase === 'redeemed' && redeemable(state, otherLeg(leg)).length > 0

/** Returns null if this process has read all of it from the chain, or if there is nothing to doubt. */
function doubtOf({ polls }: Context, state: OrderState, leg: Leg): string | null {
  const { chain, swapId } = state.order[leg]
  const seen = polls?.get(chain)?.seen(swapId) ?? []
  const unseen = minedSpends(state, leg).filter(
    ({ kind, tx, block }) => !seen.some((event) => event.kind === kind && event.tx === tx && event.block?.hash === block?.hash),
  )
  if (unseen.length === 0 && !lacksSecret(state, leg)) return null
  return `${swapId} ${unseen.map(({ kind, tx }) => `${kind} ${tx}`).join()} ${state.secret === null}`
}

/** Returns true if the blocks of these rows show them. */
async function isShown({ clients }: Context, state: OrderState, leg: Leg): Promise<boolean> {
  if (lacksSecret(state, leg)) return false
  const { chain, swapId, terms } = state.order[leg]
  const watched = createWatchedSwaps([{ swapId, terms, deposits: state[leg].deposits.map(({ id }) => id) }])
  const spends = minedSpends(state, leg)
  const heights = [...new Set(spends.flatMap(({ block }) => block?.height ?? []))]
  const events = (await Promise.all(heights.map((height) => clientFor(clients, chain).events(watched, height, height)))).flat()
  return spends.every(({ kind, tx, block }) =>
    events.some((event) => event.kind === kind && event.tx === tx && event.block?.hash === block?.hash),
  )
}
