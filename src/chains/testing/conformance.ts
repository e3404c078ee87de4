/** The suite every chain family must pass on its local chain. It knows only the interface. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWatchedSwaps } from '../../engine/watched-swaps.ts'
import type { Key } from '../../keys/key.ts'
import { withRecordedPurposes } from '../../keys/keys.fixture.ts'
import { orderPurpose, type Purpose, type SignedVerb } from '../../keys/purpose.ts'
import type { HtlcTerms } from '../../protocol/htlc.ts'
import { createSecret, type Hex32, hashSecret } from '../../protocol/secret.ts'
import { ChainFailure, type ChainFailureKind } from '../port/failure.ts'
import type { SpendRequest } from '../port/spend.ts'
import { type ConformanceHarness, lookAt, type Sight, watchOnly } from './harness.fixture.ts'
import { describeHeaders } from './headers.conformance.ts'
import { createMemoryOutbox, type MemoryOutbox, OutboxFailure, type OutboxFault } from './outbox.fixture.ts'

/** Far from every clock of a test. */
const DEADLINE = 4_000_000_000n

type Party = {
  readonly identity: string
  readonly address: string
  readonly outbox: MemoryOutbox
  /** Of every signature that was asked of its key. */
  readonly purposes: readonly Purpose[]
}

type Swap = {
  readonly terms: HtlcTerms
  readonly secret: Hex32
  readonly key: string
  readonly from: bigint
  readonly initiator: { readonly identity: string }
}

export function describeConformance(name: string, setup: () => Promise<ConformanceHarness>): void {
  describe(`${name} conformance`, () => {
    let harness: ConformanceHarness
    let user: Party
    let solver: Party

    beforeAll(async () => {
      harness = await setup()
      user = party(harness.user)
      solver = party(harness.solver)
    })
    afterAll(() => harness?.close())

    function party(owner: Key): Party {
      const { client } = harness
      const { key, purposes } = withRecordedPurposes(owner)
      return { identity: client.identityOf(key), address: client.addressOf(key), outbox: createMemoryOutbox(key), purposes }
    }

    const purposeOf = (swap: Swap, verb: SignedVerb) =>
      orderPurpose(harness.client.chain.id, {
        order: swap.key,
        leg: swap.initiator === user ? 'source' : 'destination',
        verb,
        terms: swap.terms,
      })

    /** The outbox of an action of this party, as the engine would open it. */
    const outboxOf = (who: Party, swap: Swap, verb: SignedVerb, fault?: OutboxFault) =>
      who.outbox.open(`${swap.key}/${verb}`, { purpose: purposeOf(swap, verb), ...(fault && { fault }) })

    /** Asks for signatures, and for this purpose only. */
    async function expectPurpose(who: Party, swap: Swap, verb: SignedVerb, work: () => Promise<unknown>): Promise<void> {
      const before = who.purposes.length
      await work()
      const asked = who.purposes.slice(before)
      expect(asked.length).toBeGreaterThan(0)
      for (const purpose of asked) expect(purpose).toEqual(purposeOf(swap, verb))
    }

    /** A new swap from one party to the other, watched from now on. */
    async function propose(initiator: { identity: string }, redeemer: { identity: string }): Promise<Swap> {
      const secret = createSecret()
      const { asset, amount, timelock, client } = harness
      const terms = { asset, amount, timelock, initiator: initiator.identity, redeemer: redeemer.identity, secretHash: hashSecret(secret) }
      return { terms, secret, key: client.swapId(terms), from: (await client.tip()).height + 1n, initiator }
    }

    const look = (swap: Swap): Promise<Sight> => lookAt(harness.client, swap.terms, swap.from)
    const confirm = () => harness.mine(harness.client.chain.requiredConfirmations)
    const fundingOf = (swap: Swap) => harness.client.funding({ terms: swap.terms, deadline: DEADLINE, payer: null, approval: 'exact' })
    const balanceOf = (who: Party) => harness.client.balance(harness.asset, who.address)

    async function fundedByUser(): Promise<Swap> {
      const swap = await propose(user, solver)
      await harness.fund(await fundingOf(swap))
      await confirm()
      expect((await look(swap)).swap.phase).toBe('initiated')
      return swap
    }

    async function spendOf(swap: Swap, to: string): Promise<SpendRequest> {
      return { deposits: (await look(swap)).swap.counted.map(({ id, amount }) => ({ id, amount })), to }
    }

    async function redeem(swap: Swap, secret = swap.secret): Promise<string> {
      const spend = await spendOf(swap, solver.address)
      return harness.client.redeem(swap.terms, { ...spend, secret }, outboxOf(solver, swap, 'redeem'))
    }

    async function refund(swap: Swap): Promise<string> {
      return harness.client.refund(swap.terms, await spendOf(swap, user.address), outboxOf(user, swap, 'refund'))
    }

    const initiate = (swap: Swap, fault?: OutboxFault) => harness.client.initiate(swap.terms, outboxOf(solver, swap, 'initiate', fault))

    const hasHash = (swap: Swap, tx: string, kind: string) =>
      look(swap).then(({ events }) => events.some((event) => event.kind === kind && event.tx === tx))

    /** Repeating what is done must answer with the transaction that did it, or say that it is done. */
    async function expectRepeatHarmless(repeat: Promise<string>, done: string): Promise<void> {
      const answer = await repeat.catch((error: unknown) => {
        if (error instanceof ChainFailure && error.kind === 'superseded') return done
        throw error
      })
      expect(answer).toBe(done)
    }

    describe('addresses and ids', () => {
      it('reads good addresses into one canonical form', () => {
        for (const { text, canonical } of harness.addresses.good) expect(harness.client.parseAddress(text)).toBe(canonical)
        expect(harness.client.parseAddress(user.address)).toBe(user.address)
      })

      it.each(['wrongChecksum', 'wrongNetwork', 'wrongLength'] as const)('refuses addresses with %s', (fault) => {
        expect(harness.addresses[fault].length).toBeGreaterThan(0)
        for (const text of harness.addresses[fault]) {
          expect(() => harness.client.parseAddress(text), text).toThrow(expect.objectContaining({ code: 'invalid_address' }))
        }
      })

      it('reads parties, transactions and swaps in their canonical forms, and refuses other texts by name', async () => {
        const { client, addresses } = harness
        const swap = await propose(solver, user)
        const tx = await initiate(swap)
        await confirm()
        expect(client.parseTransactionId(tx)).toBe(tx)
        for (const party of [user, solver]) expect(client.parseIdentity(party.identity)).toBe(party.identity)
        const names = [user.identity, solver.address, swap.key, ...addresses.good.map(({ canonical }) => canonical)]
        for (const name of names) expect(client.comparable(name), name).toBe(name)
        for (const text of ['', 'nobody', `${tx}00`, tx.slice(1)]) {
          const named = expect.stringContaining(`"${text}"`)
          expect(() => client.parseTransactionId(text), text).toThrow(expect.objectContaining({ code: 'bad_request', message: named }))
          expect(() => client.parseIdentity(text), text).toThrow(expect.objectContaining({ code: 'invalid_address', message: named }))
        }
        expect(client.comparable('nobody')).toBeNull()
      })

      it('gives a swap the same id for every party, and another for any other terms', async () => {
        const { terms } = await propose(user, solver)
        const { client, secondClient } = harness
        expect(secondClient.swapId({ ...terms })).toBe(client.swapId(terms))
        const others: HtlcTerms[] = [
          { ...terms, secretHash: hashSecret(createSecret()) },
          { ...terms, timelock: terms.timelock + 1n },
          { ...terms, initiator: terms.redeemer, redeemer: terms.initiator },
        ]
        expect(new Set([terms, ...others].map((t) => client.swapId(t))).size).toBe(4)
      })

      it('finds the node to be the chain it should be', async () => {
        await harness.client.verifyNode()
      })
    })

    describe('signing', () => {
      it('says for which order, leg, verb and terms it initiates, redeems and refunds', async () => {
        const own = await propose(solver, user)
        await expectPurpose(solver, own, 'initiate', () => initiate(own))
        const redeemed = await fundedByUser()
        await expectPurpose(solver, redeemed, 'redeem', () => redeem(redeemed))
        await harness.mine(1)
        const refunded = await fundedByUser()
        await harness.expire(refunded.terms)
        await expectPurpose(user, refunded, 'refund', () => refund(refunded))
        await harness.mine(1)
      })

      it('says so of a relayed initiation, where there is such a thing', async () => {
        const { gasless } = harness.client
        if (gasless === undefined || harness.signInitiate === undefined) return
        const swap = await propose(user, solver)
        const signature = await harness.signInitiate(await fundingOf(swap))
        await expectPurpose(solver, swap, 'relay', () => gasless.initiate(swap.terms, signature, outboxOf(solver, swap, 'relay')))
        await confirm()
      })

      // Some need no signature to cancel, and some nodes replace nothing.
      it('says so of whatever it signs to cancel an initiation', async () => {
        const { cancel } = harness.client
        if (cancel === undefined) return
        const swap = await propose(solver, user)
        await initiate(swap)
        const before = solver.purposes.length
        const outbox = { ...outboxOf(solver, swap, 'initiate'), signer: outboxOf(solver, swap, 'cancel').signer }
        await cancel(outbox).catch((error: unknown) => expect(error).toBeInstanceOf(ChainFailure))
        for (const purpose of solver.purposes.slice(before)) expect(purpose).toEqual(purposeOf(swap, 'cancel'))
        await confirm()
      })
    })

    describe('initiating', () => {
      it('sees the funding that the user was told to send, first below and then at the required confirmations', async () => {
        const swap = await propose(user, solver)
        expect((await look(swap)).swap.phase).toBe('waiting')
        await harness.fund(await fundingOf(swap))
        const unmined = await look(swap)
        expect(['waiting', 'seen']).toContain(unmined.swap.phase)
        expect(unmined.events.every((event) => event.block === null)).toBe(true)
        await confirm()
        const { events, swap: state } = await look(swap)
        expect(state).toMatchObject({ phase: 'initiated', filledAmount: swap.terms.amount })
        expect(events.map((event) => event.kind)).toEqual(['initiated'])
        const block = events[0]?.block
        if (!block) throw new Error('a mined event has a block')
        expect(await harness.client.headers([block.height])).toMatchObject([block])
        expect(events).toMatchObject([{ expiresAt: expect.any(BigInt) }])
      })

      it('shows every party the same events again and again, and none outside of the blocks asked for', async () => {
        const swap = await fundedByUser()
        const { client, secondClient } = harness
        const tip = await client.tip()
        const watched = watchOnly(client, swap.terms)
        const events = await client.events(watched, swap.from, tip.height)
        expect(events).toHaveLength(1)
        expect(await client.events(watched, swap.from, tip.height)).toEqual(events)
        expect(await secondClient.events(watched, swap.from, tip.height)).toEqual(events)
        expect(await client.events(watched, swap.from - 1n, swap.from - 1n)).toEqual([])
        expect(await client.events(createWatchedSwaps([]), swap.from, tip.height)).toEqual([])
        const stranger = await propose(user, solver)
        expect(await client.events(watchOnly(client, stranger.terms), swap.from, tip.height)).toEqual([])
      })

      it('does not take a smaller amount for funding', async () => {
        const swap = await propose(user, solver)
        await harness.underfund(swap.terms, await fundingOf(swap))
        await confirm()
        expect(['waiting', 'mismatched']).toContain((await look(swap)).swap.phase)
      })

      it('does not take a look-alike for funding', async () => {
        const swap = await propose(user, solver)
        await harness.lookAlike(swap.terms, await fundingOf(swap))
        await confirm()
        expect((await look(swap)).events).toEqual([])
      })

      it('initiates once, however often it is asked', async () => {
        const swap = await propose(solver, user)
        const before = await balanceOf(solver)
        const tx = await initiate(swap)
        expect(await initiate(swap)).toBe(tx)
        await confirm()
        expect((await look(swap)).swap).toMatchObject({ phase: 'initiated', filledAmount: swap.terms.amount })
        expect(await hasHash(swap, tx, 'initiated')).toBe(true)
        await expectRepeatHarmless(initiate(swap), tx)
        await harness.mine(1)
        expect((await look(swap)).swap.deposits).toHaveLength(1)
        expectWithin(before - (await balanceOf(solver)), swap.terms.amount, swap.terms.amount + harness.feeAllowance)
      })

      it('initiates several swaps in one block', async () => {
        const swaps = [await propose(solver, user), await propose(solver, user), await propose(solver, user)]
        for (const swap of swaps) await initiate(swap)
        await confirm()
        for (const swap of swaps) expect((await look(swap)).swap.phase).toBe('initiated')
      })

      it('broadcasts exactly what a dead process had recorded', async () => {
        const swap = await propose(solver, user)
        await expect(initiate(swap, 'dies-after-recording')).rejects.toThrow(OutboxFailure)
        const recorded = solver.outbox.attempts(`${swap.key}/initiate`)
        await harness.mine(1)
        expect((await look(swap)).swap.phase).toBe('waiting')
        const tx = await initiate(swap)
        await confirm()
        expect(recorded.map((attempt) => attempt.tx)).toContain(tx)
        expect(solver.outbox.attempts(`${swap.key}/initiate`).slice(0, recorded.length)).toEqual(recorded)
        expect(await hasHash(swap, tx, 'initiated')).toBe(true)
      })

      it('sends nothing that was not recorded', async () => {
        const swap = await propose(solver, user)
        await expect(initiate(swap, 'lost-lease')).rejects.toThrow(OutboxFailure)
        await confirm()
        expect((await look(swap)).events).toEqual([])
      })

      it('relays what the user signed, and only that; or offers nothing to sign', async () => {
        const { gasless } = harness.client
        const swap = await propose(user, solver)
        expect(harness.signInitiate !== undefined).toBe(gasless?.supports(swap.terms.asset) ?? false)
        if (gasless === undefined || harness.signInitiate === undefined) {
          const funding = await fundingOf(swap)
          expect(funding.kind === 'calls' ? funding.typedData : null).toBeNull()
          return
        }
        const signature = await harness.signInitiate(await fundingOf(swap))
        await gasless.verify(swap.terms, signature)
        const dearer = { ...swap.terms, amount: swap.terms.amount + 1n }
        await expect(gasless.verify(dearer, signature)).rejects.toMatchObject({ code: 'invalid_signature' })
        const before = await balanceOf(user)
        const relay = () => gasless.initiate(swap.terms, signature, outboxOf(solver, swap, 'relay'))
        const tx = await relay()
        expect(await relay()).toBe(tx)
        await confirm()
        expect((await look(swap)).swap.phase).toBe('initiated')
        await expectRepeatHarmless(relay(), tx)
        expect(before - (await balanceOf(user))).toBe(swap.terms.amount)
      })
    })

    describeHeaders(() => harness)

    describe('reorgs', () => {
      it('takes a forgotten initiation back, and sees it come again', async () => {
        const swap = await propose(user, solver)
        await harness.fund(await fundingOf(swap))
        await harness.mine(1)
        const before = await harness.client.tip()
        expect((await look(swap)).swap.filledAmount).toBe(swap.terms.amount)
        await harness.reorg(1, { drop: true })
        const [replaced, successor] = await harness.client.headers([before.height, before.height + 1n])
        expect(replaced?.hash).not.toBe(before.hash)
        expect(replaced?.parentHash).toBe(before.parentHash)
        expect(successor?.parentHash).toBe(replaced?.hash)
        expect((await look(swap)).events).toEqual([])
        await harness.fund(await fundingOf(swap))
        await confirm()
        expect((await look(swap)).swap.phase).toBe('initiated')
      })

      it('dates an initiation by the block it is in now', async () => {
        const swap = await fundedByUser()
        const [before] = (await look(swap)).events
        await harness.reorg(harness.client.chain.requiredConfirmations, { drop: false })
        await confirm()
        const [after] = (await look(swap)).events
        expect(after?.tx).toBe(before?.tx)
        expect(after?.block?.hash).not.toBe(before?.block?.hash)
        expect((await look(swap)).swap.phase).toBe('initiated')
      })

      it('sends its own forgotten initiation again', async () => {
        const swap = await propose(solver, user)
        const tx = await initiate(swap)
        await harness.mine(1)
        await harness.reorg(1, { drop: true })
        expect((await look(swap)).events).toEqual([])
        expect(await initiate(swap)).toBe(tx)
        await confirm()
        expect((await look(swap)).swap.deposits).toHaveLength(1)
        expect((await look(swap)).swap.phase).toBe('initiated')
      })
    })

    describe('redeeming', () => {
      it('pays the redeemer once, and shows the secret', async () => {
        const swap = await fundedByUser()
        await harness.client.verifyPayout(swap.terms, solver.address)
        const before = await balanceOf(solver)
        const tx = await redeem(swap)
        expect(await redeem(swap)).toBe(tx)
        await harness.mine(1)
        const { events, swap: state } = await look(swap)
        expect(state).toMatchObject({ phase: 'redeemed', secret: swap.secret })
        expect(events.filter((event) => event.kind === 'redeemed')).toEqual([
          expect.objectContaining({ tx, secret: swap.secret, deposit: state.deposits[0]?.id }),
        ])
        const after = await balanceOf(solver)
        expectWithin(after - before, swap.terms.amount - harness.feeAllowance, swap.terms.amount)
        await expectRepeatHarmless(redeem(swap), tx)
        await harness.mine(1)
        expect(await balanceOf(solver)).toBe(after)
      })

      it('refuses a wrong secret and shows it to nobody', async () => {
        const swap = await fundedByUser()
        const wrong = createSecret()
        await expect(redeem(swap, wrong)).rejects.toThrow()
        expect(solver.outbox.attempts(`${swap.key}/redeem`)).toEqual([])
        await harness.mine(1)
        expect((await look(swap)).swap.phase).toBe('initiated')
      })

      it('finds out before the secret is shown whether a payout can succeed', async () => {
        const payable = await propose(solver, user)
        await initiate(payable)
        await confirm()
        await harness.client.verifyPayout(payable.terms, null)
        if (harness.unpayableRedeemer === undefined) return
        const redeemer = await harness.unpayableRedeemer()
        const swap = await propose(solver, { identity: redeemer })
        await initiate(swap)
        await confirm()
        expect(await failureOf(harness.client.verifyPayout(swap.terms, null))).toBe('would-fail')
      })
    })

    describe('refunding', () => {
      it('waits for the timelock, then pays the initiator back once', async () => {
        const swap = await fundedByUser()
        expect(await failureOf(refund(swap))).toBe('would-fail')
        await harness.expire(swap.terms)
        const expired = (await look(swap)).swap
        expect(expired.deposits.map((deposit) => (deposit.unitsLeft ?? 1n) <= 0n)).toEqual([true])
        const before = await balanceOf(user)
        const tx = await refund(swap)
        expect(await refund(swap)).toBe(tx)
        await harness.mine(1)
        const { events, swap: state } = await look(swap)
        expect(state).toMatchObject({ phase: 'refunded', secret: null })
        expect(events.filter((event) => event.kind === 'refunded').map((event) => event.tx)).toEqual([tx])
        const after = await balanceOf(user)
        expectWithin(after - before, swap.terms.amount - harness.feeAllowance, swap.terms.amount)
        await expectRepeatHarmless(refund(swap), tx)
        await harness.mine(1)
        expect(await balanceOf(user)).toBe(after)
      })

      it('redeems after expiry as long as nobody refunded', async () => {
        const swap = await fundedByUser()
        await harness.expire(swap.terms)
        await redeem(swap)
        await harness.mine(1)
        expect((await look(swap)).swap).toMatchObject({ phase: 'redeemed', secret: swap.secret })
      })
    })
  })
}

function expectWithin(value: bigint, least: bigint, most: bigint): void {
  expect(value).toBeGreaterThanOrEqual(least)
  expect(value).toBeLessThanOrEqual(most)
}

async function failureOf(promise: Promise<unknown>): Promise<ChainFailureKind> {
  try {
    await promise
  } catch (error) {
    if (error instanceof ChainFailure) return error.kind
    throw error
  }
  throw new Error('expected a ChainFailure, but it succeeded')
}
