/** Batch redeem: one transaction for several redeems. The first due action leases all others that wait. */
import type { RedeemItem } from '../../chains/port/abilities/batch-redeem.ts'
import { ChainFailure } from '../../chains/port/failure.ts'
import { redeemable } from '../../protocol/playbook.ts'
import type { LeasedAction } from '../../store/actions/actions.ts'
import { createFreshFacts } from '../fresh-facts.ts'
import { type OutboxContext, openOutbox, type Taken } from '../outbox.ts'
import type { Step } from '../party.ts'

/** Besides the first. */
const MAX_OTHERS = 49

export type BatchContext = OutboxContext & {
  /** The step of an action if it is still wanted; else null. */
  readonly recheck: (action: LeasedAction) => Promise<Step | null>
  readonly againInMs: number
}

/** Finishes the other actions that it leased; the caller finishes `first`. */
export async function redeemBatch(context: BatchContext, first: Taken): Promise<string> {
  const { leases } = context
  const leased = await leases.batch(first.action, { limit: MAX_OTHERS })
  const undecided = new Map(leased.map((action) => [action.key, action]))
  try {
    const others = await recheckAll(context, leased)
    const batch = await sameTransaction(context, first, others)
    const tx = await send(context, batch)
    for (const { action } of batch.taken.slice(1)) {
      undecided.delete(action.key)
      await leases.finish(action, { kind: 'sent', tx, againInMs: context.againInMs })
    }
    return tx
  } finally {
    for (const action of undecided.values()) await leases.finish(action, { kind: 'skipped', againInMs: context.againInMs })
  }
}

async function recheckAll({ party, recheck }: BatchContext, actions: readonly LeasedAction[]): Promise<readonly Taken[]> {
  const taken = await Promise.all(
    actions.map(async (action) => {
      try {
        const step = await recheck(action)
        if (step === null) return null
        await party.secretFor(step)
        return { action, step }
      } catch {
        // A failing action must not block the others. Its own run reports the error.
        return null
      }
    }),
  )
  return taken.filter((one) => one !== null)
}

type Batch = { readonly taken: readonly [Taken, ...Taken[]]; readonly cosigned: string | null }

/** If the first redeem has a cosigned transaction: exactly the redeems in it. Otherwise: only redeems without a cosigned transaction. */
async function sameTransaction({ party }: BatchContext, first: Taken, others: readonly Taken[]): Promise<Batch> {
  const cosignedOf = async ({ step }: Taken) => (await party.cosignedFor?.(step)) ?? null
  const cosigned = await cosignedOf(first)
  const same: Taken[] = []
  for (const other of others) if ((await cosignedOf(other)) === cosigned) same.push(other)
  return { taken: [first, ...same], cosigned }
}

async function send(context: BatchContext, { taken, cosigned }: Batch): Promise<string> {
  const { batchRedeem, chain } = taken[0].step.client
  if (batchRedeem === undefined) throw new Error(`${chain.id} has no batch redeem`)
  const facts = createFreshFacts(Math.min(...taken.map(({ step }) => step.asOfMs)), async () => {
    const now = await Promise.all(taken.map(({ action }) => context.recheck(action)))
    const gone = taken.find(({ step: { state, leg } }, index) => {
      const step = now[index] ?? null
      return step === null || idsOf(redeemable(step.state, leg)) !== idsOf(redeemable(state, leg))
    })
    if (gone !== undefined) throw new ChainFailure('superseded', `${gone.action.key} is no longer wanted in this batch`)
    return Math.min(...now.flatMap((step) => step?.asOfMs ?? []))
  })
  const outbox = await openOutbox(context, 'redeem', taken, facts)
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
}

function idsOf(deposits: readonly { readonly id: string }[]): string {
  return deposits.map(({ id }) => id).join()
}
