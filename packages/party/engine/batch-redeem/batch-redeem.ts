/** Redeems several swaps in one transaction. The first due action leases all others that wait. */
import type { BatchRedeem, RedeemItem } from '@tandem/chain-kit/port/abilities/spending.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Outbox } from '@tandem/chain-kit/port/outbox.ts'
import { redeemable } from '@tandem/protocol/playbook.ts'
import type { LeasedAction } from '../../store/actions/actions.ts'
import { createFreshFacts, oldestOf } from '../fresh-facts.ts'
import { type OutboxContext, openOutbox, type Taken } from '../outbox.ts'

/** The first action is not counted. */
const MAX_OTHERS = 49

export type BatchContext = OutboxContext & {
  readonly takeIfWanted: (action: LeasedAction) => Promise<Taken | null>
  readonly showingSecrets: (
    actions: readonly LeasedAction[],
    outbox: Outbox,
    redeem: (outbox: Outbox) => Promise<string>,
  ) => Promise<string>
  readonly againInMs: number
}

/** `others` share the transaction with the first action. The caller finishes them all. */
export type SentBatch = { readonly tx: string; readonly others: readonly LeasedAction[] }

export async function redeemBatch(context: BatchContext, first: Taken): Promise<SentBatch> {
  const { leases } = context
  const leased = first.action.mayBatch ? await leases.batch(first.action, { limit: MAX_OTHERS }) : []
  const undecided = new Map(leased.map((action) => [action.key, action]))
  let { againInMs } = context
  try {
    const wanted = await takeAll(context, leased)
    const batch = await withoutBad(context, await sameTransaction(context, first, wanted))
    // The first redeem is bad, so the others do not wait for it.
    if (batch === null) againInMs = 0
    const { taken, cosigned } = batch ?? { taken: [first] as const, cosigned: null }
    const tx = await send(context, { taken, cosigned })
    const others = taken.slice(1).map(({ action }) => action)
    for (const { key } of others) undecided.delete(key)
    return { tx, others }
  } finally {
    await Promise.all([...undecided.values()].map((action) => leases.finish(action, { kind: 'skipped', againInMs })))
  }
}

async function takeAll({ party, takeIfWanted }: BatchContext, actions: readonly LeasedAction[]): Promise<readonly Taken[]> {
  const taken = await Promise.all(
    actions.map(async (action) => {
      try {
        const one = await takeIfWanted(action)
        if (one !== null) await party.secretFor(one.step)
        return one
      } catch {
        // A failing action must not block the others. The error is reported when that action runs by itself.
        return null
      }
    }),
  )
  return taken.filter((one) => one !== null)
}

type Batch = { readonly taken: readonly [Taken, ...Taken[]]; readonly cosigned: string | null }

/** If the first redeem has a cosigned transaction, the batch is exactly the redeems in it. Otherwise no redeem in it has one. */
async function sameTransaction({ party }: BatchContext, first: Taken, others: readonly Taken[]): Promise<Batch> {
  if (first.step.client.cosignedRedeem === undefined) return { taken: [first, ...others], cosigned: null }
  const cosignedOf = async ({ step }: Taken) => (await party.cosignedFor?.(step)) ?? null
  const cosigned = await cosignedOf(first)
  const same: Taken[] = []
  for (const other of others) if ((await cosignedOf(other)) === cosigned) same.push(other)
  return { taken: [first, ...same], cosigned }
}

/** Drops redeems that cannot succeed now, whose secrets would be shown for nothing. Returns null if the first is one of them. */
async function withoutBad(context: BatchContext, batch: Batch): Promise<Batch | null> {
  const [first, ...others] = batch.taken
  if (batch.cosigned !== null || others.length === 0) return batch
  const good = await abilityOf(first).areRedeemable(await itemsOf(context, batch.taken))
  if (good[0] === false) return null
  return { ...batch, taken: [first, ...others.filter((_, index) => good[index + 1] !== false)] }
}

function abilityOf({ step }: Taken): BatchRedeem {
  const { batchRedeem, chain } = step.client
  if (batchRedeem === undefined) throw new Error(`${chain.id} has no batch redeem`)
  return batchRedeem
}

function itemsOf({ party }: BatchContext, taken: readonly Taken[]): Promise<readonly RedeemItem[]> {
  return Promise.all(
    taken.map(async ({ step }) => ({
      terms: step.state.order[step.leg].terms,
      deposits: redeemable(step.state, step.leg),
      secret: await party.secretFor(step),
    })),
  )
}

async function send(context: BatchContext, { taken, cosigned }: Batch): Promise<string> {
  const facts = createFreshFacts(oldestOf(taken.map(({ step }) => step)), async () => {
    const now = await Promise.all(taken.map(({ action }) => context.takeIfWanted(action)))
    const gone = taken.find(({ step: { state, leg } }, index) => {
      const step = now[index]?.step
      return step === undefined || idsOf(redeemable(step.state, leg)) !== idsOf(redeemable(state, leg))
    })
    if (gone !== undefined) throw new ChainFailure('superseded', `${gone.action.key} is no longer wanted in this batch`)
    return oldestOf(now.flatMap((one) => one?.step ?? []))
  })
  const outbox = await openOutbox(context, 'redeem', taken, facts)
  const items = await itemsOf(context, taken)
  const { cosignedRedeem } = taken[0].step.client
  const actions = taken.map(({ action }) => action)
  return context.showingSecrets(actions, outbox, (watched) =>
    cosigned === null || cosignedRedeem === undefined
      ? abilityOf(taken[0]).redeem(items, watched)
      : cosignedRedeem.send(items, cosigned, watched),
  )
}

function idsOf(deposits: readonly { readonly id: string }[]): string {
  return deposits.map(({ id }) => id).join()
}
