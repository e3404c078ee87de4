/**
 * A spend on record ends the work for a deposit: a party that believes a forged one loses it. What the polls of this process have not read themselves is
 * read again, once, and so is a redeem whose row does not have the secret that it must have shown.
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
  /** The engine ends: no more is read. */
  readonly stopping?: AbortSignal
}

export interface SpendCheck {
  /** Called with every state that is derived. Not awaited. */
  check(states: readonly OrderState[]): void
  /** Resolves when nothing is read any more. */
  idle(): Promise<void>
}

const LEGS = ['source', 'destination'] as const
const MAX_REMEMBERED = 100_000

export function createSpendCheck(context: Context): SpendCheck {
  /** By what was doubted. In memory: a restart checks again. */
  const checked = new Set<string>()
  /** One after the other: a check is never urgent enough to crowd out other requests. */
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

/** Without the secret the other leg cannot be redeemed. A redeem that both parties signed does not show it: then the other leg is redeemed before. */
const lacksSecret = (state: OrderState, leg: Leg) =>
  state.secret === null && state[leg].phase === 'redeemed' && redeemable(state, otherLeg(leg)).length > 0

/** Returns null if this process has read all of it from the chain, or there is nothing to doubt. */
function doubtOf({ polls }: Context, state: OrderState, leg: Leg): string | null {
  const { chain, swapId } = state.order[leg]
  const seen = polls?.get(chain)?.seen(swapId) ?? []
  const unseen = minedSpends(state, leg).filter(
    ({ kind, tx, block }) => !seen.some((event) => event.kind === kind && event.tx === tx && event.block?.hash === block?.hash),
  )
  if (unseen.length === 0 && !lacksSecret(state, leg)) return null
  return `${swapId} ${unseen.map(({ kind, tx }) => `${kind} ${tx}`).join()} ${state.secret === null}`
}

/** The blocks of these rows show them. */
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
