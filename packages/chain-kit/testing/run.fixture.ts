/** Defines one run of the conformance suite: the fixture of a family, its two parties, and their actions in the tests. */
import type { Key, Signer } from '@tandem/keys/key.ts'
import { createKeyring, createOrderKey } from '@tandem/keys/keyring.ts'
import { withRecordedPurposes } from '@tandem/keys/keys.fixture.ts'
import { type OrderAction, orderPurpose, type Purpose, type SignedVerb } from '@tandem/keys/purpose.ts'
import type { Funding } from '@tandem/protocol/funding/funding.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, type Hex32, hashSecret } from '@tandem/protocol/secret.ts'
import { afterAll, beforeAll, expect } from 'vitest'
import type { RedeemItem } from '../port/abilities/spending.ts'
import { ChainFailure, type ChainFailureKind } from '../port/failure.ts'
import type { ChainFamily } from '../port/family.ts'
import type { SpendRequest } from '../port/spend.ts'
import { type ConformanceFixture, readSwap, type SwapReading } from './conformance.fixture.ts'
import { createMemoryOutbox, type MemoryOutbox, type OpenOutbox, type OutboxFault } from './outbox.fixture.ts'

/** No test moves its clock this far, and every chain lets an initiation wait this long. */
const FUNDING_SECONDS = 7n * 86_400n
const SHORT_FUNDING_SECONDS = 60n

export type Party = {
  readonly key: Key
  readonly identity: string
  readonly address: string
  readonly outbox: MemoryOutbox
  /** Every signature of the party's key had one of these purposes. */
  readonly purposes: readonly Purpose[]
}

export type Swap = {
  readonly terms: HtlcTerms
  readonly deadline: bigint
  readonly secret: Hex32
  readonly key: string
  readonly from: bigint
  readonly initiator: { readonly identity: string }
}

/**
 * `nodes` is for another way to a chain that a whole run reaches through other nodes. It leaves out what does not depend on the nodes that
 * are asked: signing, payloads, the suite of several providers, which has nodes of its own, and what strangers initiate.
 * `real-nodes` is the same, with what strangers initiate: real nodes judge it by their own rules.
 */
export type Part = 'whole' | 'nodes' | 'real-nodes'

export interface ConformanceRun {
  readonly part: Part
  readonly family: ChainFamily
  readonly fixture: ConformanceFixture
  readonly user: Party
  readonly solver: Party
  propose(initiator: { readonly identity: string }, redeemer: { readonly identity: string }): Promise<Swap>
  readSwap(swap: Swap): Promise<SwapReading>
  purposeOf(swap: Swap, verb: SignedVerb): Purpose
  /** One transaction redeems all of them. */
  batchPurposeOf(swaps: readonly Swap[], verb?: SignedVerb): Purpose
  signerOf(who: Party, swap: Swap, verb: SignedVerb): Signer
  outboxOf(who: Party, swap: Swap, verb: SignedVerb, fault?: OutboxFault): OpenOutbox
  expectPurpose(who: Party, swap: Swap, verb: SignedVerb, work: () => Promise<unknown>): Promise<void>
  confirm(): Promise<void>
  fundingOf(swap: Swap): Promise<Funding>
  balanceOf(party: Party): Promise<bigint>
  fundedByUser(): Promise<Swap>
  fundedBatch(): Promise<{ readonly swaps: readonly Swap[]; readonly items: readonly RedeemItem[]; readonly total: bigint }>
  spendOf(swap: Swap, to: string): Promise<SpendRequest>
  initiate(swap: Swap, fault?: OutboxFault): Promise<string>
  redeem(swap: Swap, secret?: Hex32): Promise<string>
  refund(swap: Swap): Promise<string>
}

/** This must be called inside of a `describe`: it starts the fixture before its tests and closes it after them. */
export function startRun(family: ChainFamily, part: Part, setup: () => Promise<ConformanceFixture>): ConformanceRun {
  let fixture: ConformanceFixture
  let user: Party
  let solver: Party

  beforeAll(async () => {
    fixture = await setup()
    const { client, orderKeys } = fixture
    user = party(orderKeys === undefined ? createKeyring([fixture.user]).of(client) : createOrderKey(client, orderKeys.privateKey))
    solver = party(createKeyring([fixture.solver]).of(client))
  })
  afterAll(() => fixture?.close())

  function party(owner: Key): Party {
    const { client } = fixture
    const { key, purposes } = withRecordedPurposes(owner)
    return { key, identity: client.identityOf(key), address: client.addressOf(key), outbox: createMemoryOutbox(key), purposes }
  }

  const actionOf = ({ key, initiator, terms }: Swap, verb: SignedVerb): OrderAction => {
    return { order: key, leg: initiator === user ? 'source' : 'destination', verb, terms }
  }

  const run: ConformanceRun = {
    part,
    family,
    get fixture() {
      return fixture
    },
    get user() {
      return user
    },
    get solver() {
      return solver
    },
    async propose(initiator, redeemer) {
      const secret = createSecret()
      const { asset, amount, timelock, client } = fixture
      const tip = await client.tip()
      // An absolute expiry may count from the deadline, so the deadline must be near.
      const deadline = tip.time + (client.chain.clock.expiry === 'absolute' ? SHORT_FUNDING_SECONDS : FUNDING_SECONDS)
      const terms = { asset, amount, timelock, initiator: initiator.identity, redeemer: redeemer.identity, secretHash: hashSecret(secret) }
      return { terms, deadline, secret, key: client.swapId(terms), from: tip.height + 1n, initiator }
    },
    purposeOf: (swap, verb) => orderPurpose(fixture.client.chain.id, actionOf(swap, verb)),
    batchPurposeOf(swaps, verb = 'redeem') {
      const [first, ...others] = swaps.map((swap) => actionOf(swap, verb))
      if (first === undefined) throw new Error('a batch without swaps')
      return { kind: 'order', chain: fixture.client.chain.id, actions: [first, ...others] }
    },
    signerOf: (who, swap, verb) => who.key.signerFor(run.purposeOf(swap, verb)),
    outboxOf: (who, swap, verb, fault) =>
      who.outbox.open(`${swap.key}/${verb}`, { purpose: run.purposeOf(swap, verb), ...(fault && { fault }) }),
    async expectPurpose(who, swap, verb, work) {
      const before = who.purposes.length
      await work()
      const asked = who.purposes.slice(before)
      expect(asked.length).toBeGreaterThan(0)
      for (const purpose of asked) expect(purpose).toEqual(run.purposeOf(swap, verb))
    },
    readSwap: (swap) => readSwap(fixture.client, swap.terms, swap.from),
    confirm: () => fixture.mine(fixture.client.chain.requiredConfirmations),
    fundingOf: ({ terms, deadline }) => fixture.client.funding({ terms, deadline, payer: null, approval: 'exact' }),
    balanceOf: (who) => fixture.client.balance(fixture.asset, who.address),
    async fundedByUser() {
      const swap = await run.propose(user, solver)
      await fixture.fund(await run.fundingOf(swap))
      await run.confirm()
      expect((await run.readSwap(swap)).swap.phase).toBe('initiated')
      return swap
    },
    async fundedBatch() {
      const swaps = [await run.fundedByUser(), await run.fundedByUser()]
      const items = await Promise.all(
        swaps.map(async (swap) => ({ terms: swap.terms, secret: swap.secret, deposits: (await run.spendOf(swap, '')).deposits })),
      )
      return { swaps, items, total: swaps.reduce((sum, { terms }) => sum + terms.amount, 0n) }
    },
    async spendOf(swap, to) {
      return { deposits: (await run.readSwap(swap)).swap.counted.map(({ id, amount }) => ({ id, amount })), to }
    },
    initiate: (swap, fault) => fixture.client.initiate(swap.terms, run.outboxOf(solver, swap, 'initiate', fault)),
    async redeem(swap, secret = swap.secret) {
      const spend = await run.spendOf(swap, solver.address)
      return fixture.client.redeem(swap.terms, { ...spend, secret }, run.outboxOf(solver, swap, 'redeem'))
    },
    async refund(swap) {
      return fixture.client.refund(swap.terms, await run.spendOf(swap, user.address), run.outboxOf(user, swap, 'refund'))
    },
  }
  return run
}

/** These payloads of the other party are not JSON of the right form. */
export const malformedPayloads = ['', 'nonsense', '[]', '{}', 'null', '00'] as const

/** A repeated call must return the transaction that did it, or fail as superseded. */
export async function expectRepeatHarmless(repeat: Promise<string>, done: string): Promise<void> {
  const answer = await repeat.catch((error: unknown) => {
    if (error instanceof ChainFailure && error.kind === 'superseded') return done
    throw error
  })
  expect(answer).toBe(done)
}

export function expectWithin(value: bigint, min: bigint, max: bigint): void {
  expect(value).toBeGreaterThanOrEqual(min)
  expect(value).toBeLessThanOrEqual(max)
}

export async function failureOf(promise: Promise<unknown>): Promise<ChainFailureKind> {
  try {
    await promise
  } catch (error) {
    if (error instanceof ChainFailure) return error.kind
    throw error
  }
  throw new Error('expected a ChainFailure, but it succeeded')
}

/** The suite of an ability needs this member from the fixture or the family. */
export function required<T>(what: T | undefined, name: string): T {
  if (what === undefined) throw new Error(`the conformance suite needs ${name}`)
  return what
}
