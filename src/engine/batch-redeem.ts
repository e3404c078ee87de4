/** Several redeems in one transaction, where that is cheaper: whoever goes first takes along all that wait. */
import type { RedeemItem } from '../chains/port/abilities/batch-redeem.ts'
import { redeemable } from '../protocol/playbook.ts'
import { finishAction, type LeasedAction } from '../store/actions/actions.ts'
import { leaseCompanions } from '../store/actions/batches.ts'
import type { Database } from '../store/database/database.ts'
import { type OutboxContext, type Taken, withOutbox } from './outbox.ts'
import type { Step } from './party.ts'

const MAX_COMPANIONS = 49

export type CompanyContext = OutboxContext & {
  /** The step of an action if it is still to be taken; else null. */
  readonly lookAgain: (action: LeasedAction) => Promise<Step | null>
  readonly leaseSeconds: number
  readonly againInMs: number
}

/** What comes along is finished here; the first is finished by whoever called. */
export async function redeemInCompany(context: CompanyContext, first: Taken): Promise<string> {
  const { db, leaseSeconds } = context
  const { chain } = first.step.state.order[first.step.leg]
  const leased = await leaseCompanions(db, first.action, { chain, seconds: leaseSeconds, limit: MAX_COMPANIONS })
  const undecided = new Map(leased.map((action) => [action.key, action]))
  try {
    const companions = await lookAtAll(context, leased)
    const together = await sameTransaction(context, first, companions)
    const tx = await send(context, together)
    for (const { action } of together.taken.slice(1)) {
      undecided.delete(action.key)
      await finishAction(db, action, { kind: 'sent', tx, againInMs: context.againInMs })
    }
    return tx
  } finally {
    await letGo(db, [...undecided.values()], context.againInMs)
  }
}

async function lookAtAll({ party, lookAgain }: CompanyContext, actions: readonly LeasedAction[]): Promise<readonly Taken[]> {
  const looked = await Promise.all(
    actions.map(async (action) => {
      try {
        const step = await lookAgain(action)
        if (step === null) return null
        await party.secretFor(step)
        return { action, step }
      } catch {
        // Whatever is wrong with one must not hold up the others. It is tried again by itself, and that is when it is said.
        return null
      }
    }),
  )
  return looked.filter((taken) => taken !== null)
}

type Together = { readonly taken: readonly [Taken, ...Taken[]]; readonly cosigned: string | null }

/** With a transaction that all initiators signed, exactly those that are in it; without one, none that are in one. The others come after. */
async function sameTransaction({ party }: CompanyContext, first: Taken, companions: readonly Taken[]): Promise<Together> {
  const cosignedOf = async ({ step }: Taken) => (await party.cosignedFor?.(step)) ?? null
  const cosigned = await cosignedOf(first)
  const same: Taken[] = []
  for (const companion of companions) if ((await cosignedOf(companion)) === cosigned) same.push(companion)
  return { taken: [first, ...same], cosigned }
}

function send(context: CompanyContext, { taken, cosigned }: Together): Promise<string> {
  return withOutbox(context, taken, async (outbox) => {
    const { batchRedeem, chain } = taken[0].step.client
    if (batchRedeem === undefined) throw new Error(`${chain.id} redeems one by one`)
    const items = await Promise.all(
      taken.map(
        async ({ step }): Promise<RedeemItem> => ({
          terms: step.state.order[step.leg].terms,
          deposits: redeemable(step.state, step.leg),
          secret: await context.party.secretFor(step),
        }),
      ),
    )
    return batchRedeem.redeem(items, cosigned, outbox)
  })
}

async function letGo(db: Database, actions: readonly LeasedAction[], againInMs: number): Promise<void> {
  for (const action of actions) await finishAction(db, action, { kind: 'skipped', againInMs })
}
