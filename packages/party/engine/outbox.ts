/** Gives an action its earlier attempts, and its key while it signs. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Attempt, HeldKey, OthersQuery, Outbox, Sponsor } from '@tandem/chain-kit/port/outbox.ts'
import type { Key, Signer } from '@tandem/keys/key.ts'
import type { OrderAction, Purpose, SignedVerb } from '@tandem/keys/purpose.ts'
import { redeemable } from '@tandem/protocol/playbook.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import type { Deposit } from '@tandem/protocol/swap-state.ts'
import { minSeconds } from '@tandem/protocol/timelock.ts'
import { type Leased, type LeasedAction, makeAttemptDue } from '../store/actions/actions.ts'
import { readAttempts } from '../store/actions/attempts.ts'
import { noteReverted } from '../store/actions/reverted-relays.ts'
import type { Database } from '../store/database/database.ts'
import { sourceEvidence } from './evidence/source-evidence.ts'
import type { FreshFacts } from './fresh-facts.ts'
import { type KeyHold, type KeyUse, type OthersRange, readOthers, useKey } from './key-hold.ts'
import type { Leases } from './leases.ts'
import type { Party, Step, StepSponsor } from './party.ts'
import { MAX_UNMINED_SECONDS } from './times.ts'

export type OutboxContext = {
  readonly db: Database
  readonly registry: Registry
  readonly party: Party
  readonly leases: Pick<Leases, 'batch' | 'finish' | 'assertHeld'>
  readonly now: () => bigint
  readonly stopping?: AbortSignal
}

/** The step is derived from live facts. Only the holder of the action's lease can record more attempts. */
export type Taken = { readonly action: LeasedAction; readonly step: Step; readonly attempts: readonly Attempt[] }

/** The wait for the key may outlast the facts. They are read again this many times without the key, then once with it. */
const READS_WITHOUT_KEY = 4

/** Opens the outbox of an action, or of a batch of actions of one signer on one chain that share transactions. */
export async function openOutbox(
  context: OutboxContext,
  verb: SignedVerb,
  taken: readonly [Taken, ...Taken[]],
  facts: FreshFacts,
): Promise<Outbox> {
  const { db, registry, party } = context
  const [first, ...others] = taken
  const { step } = first
  const { chain } = step.state.order[step.leg]
  const actionOf = ({ step: one }: Taken): OrderAction => {
    const { state, leg } = one
    const { terms, gas } = state.order[leg]
    const to = party.payoutAddress(one)
    const paidBy = verb === 'initiate' && leg === 'destination' ? sourceEvidence(one) : null
    return {
      order: state.order.id,
      leg,
      verb,
      terms,
      ...(verb === 'redeem' && gas !== null && { gas }),
      ...(to !== null && { to }),
      ...(paidBy !== null && { paidBy }),
    }
  }
  const sponsor = party.sponsorFor?.(step) ?? null
  return outboxOf(
    context,
    {
      client: step.client,
      key: await party.keyFor(step),
      purpose: { kind: 'order', chain, actions: [actionOf(first), ...others.map(actionOf)] },
      actions: taken.map(({ action }) => action),
      attempts: await attemptsOf(db, taken),
      holdsSecret: party.role === 'service' && step.verb === 'redeem',
      sponsor,
      secondsLeft: minOf(taken.map((one) => secondsLeft(registry, one.step))),
    },
    facts,
  )
}

/** All that one signer signs on one chain under one purpose. */
export type OutboxWork = {
  readonly client: Pick<ChainClient, 'chain' | 'identityOf'>
  readonly key: Key
  readonly purpose: Purpose
  readonly actions: readonly Leased[]
  readonly attempts: readonly Attempt[]
  readonly holdsSecret: boolean
  readonly sponsor: StepSponsor | null
  readonly secondsLeft: bigint | null
}

export function outboxOf(
  { db, leases, now, stopping }: Omit<OutboxContext, 'registry' | 'party' | 'leases'> & { readonly leases: Pick<Leases, 'assertHeld'> },
  { client, key, purpose, actions, attempts, holdsSecret, sponsor, secondsLeft }: OutboxWork,
  facts: FreshFacts,
): Outbox {
  const chain = client.chain.id
  const keys = actions.map((action) => action.key)
  const useOf = (owner: Key): KeyUse => ({
    chain,
    sender: client.identityOf(owner),
    actions,
    holdsSecret,
    ...(stopping !== undefined && { stopping }),
  })
  const use = useOf(key)
  const rangeOf = ({ fromNonce, since }: OthersQuery = {}): OthersRange => ({
    since: since ?? now() - MAX_UNMINED_SECONDS,
    fromNonce: fromNonce ?? null,
  })
  const signerOf = (owner: Key): Signer => ({ ...owner.signerFor(purpose), assertMaySign: () => leases.assertHeld(actions) })
  const heldBy = (hold: KeyHold): HeldKey => ({
    signer: signerOf(key),
    readOthers: (query) => hold.readOthers(rangeOf(query)),
    async record(attempt) {
      await assertStillFresh()
      await hold.record({ ...attempt, at: now() })
    },
  })

  /** A slow node may have delayed the signature. It is used only if the action is still wanted; until it is recorded nobody sees it. */
  async function assertStillFresh(): Promise<void> {
    if (facts.areFresh()) return
    await facts.refresh()
    if (!facts.areFresh()) throw new ChainFailure('unreachable', `${chain}: the nodes answer too slowly to sign on current facts`)
  }

  async function withHold<T>(held: KeyUse, work: (held: HeldKey) => Promise<T>): Promise<T> {
    for (let reads = 0; ; reads += 1) {
      if (!facts.areFresh() && reads < READS_WITHOUT_KEY) await facts.refresh()
      const done = await useKey(db, held, async (hold) => {
        if (!facts.areFresh() && reads < READS_WITHOUT_KEY) return null
        if (!facts.areFresh()) await facts.refresh()
        return { result: await work(heldBy(hold)) }
      })
      if (done !== null) return done.result
    }
  }

  const sponsorOf = ({ key: payer, charge }: StepSponsor): Sponsor => ({
    key: payer,
    withKey: (work) => withHold(useOf(payer), (held) => work({ ...held, sponsor: signerOf(payer) })),
    charge,
  })

  return {
    key,
    attempts,
    readOthers: (query) => readOthers(db, use, rangeOf(query)),
    withKey: (work) => withHold(use, work),
    ...(sponsor !== null && { sponsor: sponsorOf(sponsor) }),
    makeDue: (tx) => makeAttemptDue(db, { chain, sender: use.sender, tx }),
    noteReverted: (tx, weight) => noteReverted(db, keys, tx, weight),
    secondsLeft,
    now: now(),
  }
}

/** Returns the oldest first, and each transaction once: those of a batch are recorded for all of its actions. */
async function attemptsOf(db: Database, taken: readonly [Taken, ...Taken[]]): Promise<readonly Attempt[]> {
  const [first, ...others] = taken
  if (others.every(({ attempts }) => attempts.length === 0)) return first.attempts
  return readAttempts(db, ...taken.map(({ action }) => action.key))
}

/** Runs `hook` after each record, still before the broadcast. */
export function afterRecord(outbox: Outbox, hook: (attempt: Omit<Attempt, 'at'>) => Promise<void> | undefined): Outbox {
  const { sponsor } = outbox
  const hooked = (held: HeldKey): HeldKey => ({
    ...held,
    async record(attempt) {
      await held.record(attempt)
      await hook(attempt)
    },
  })
  return {
    ...outbox,
    withKey: (work) => outbox.withKey((held) => work(hooked(held))),
    ...(sponsor !== undefined && {
      sponsor: { ...sponsor, withKey: (work) => sponsor.withKey((held) => work(hooked(held))) } satisfies Sponsor,
    }),
  }
}

/** Returns the seconds left to do the step, at the fastest pace of the chain; null without a time limit. */
export function secondsLeft(registry: Registry, { state, leg, verb }: Step): bigint | null {
  const untilExpiry = (deposits: readonly Deposit[], chainId: string) =>
    minSeconds(registry.chain(chainId).clock, minOf(deposits.map((deposit) => deposit.unitsLeft ?? 0n)) ?? 0n)
  if (verb === 'redeem') return untilExpiry(redeemable(state, leg), state.order[leg].chain)
  if (verb === 'reclaim' || verb === 'close') return null
  if (verb === 'initiate') return leg === 'destination' ? state.gapSeconds : state.order.deadline - state.now
  // Until the refund is mined the destination can still be redeemed, and then the solver needs time to redeem the source.
  if (leg === 'source' || state.source.counted.length === 0) return null
  return untilExpiry(state.source.counted, state.order.source.chain)
}

function minOf(values: readonly (bigint | null)[]): bigint | null {
  return values.reduce<bigint | null>((lowest, value) => (value === null || (lowest !== null && lowest < value) ? lowest : value), null)
}
