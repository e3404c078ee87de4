/**
 * Tests every chain family on its local chain, through the port alone. A family declares its abilities and passes the suite of each. It
 * fails if an ability has no suite, or if the declared abilities are not exactly those of the family.
 */
import { createWatchedSwaps } from '@tandem/party/engine/watched-swaps.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { describe, expect, it } from 'vitest'
import type { ChainFamily } from '../port/family.ts'
import { type AbilityName, abilitiesOf, abilitySuites } from './abilities/index.ts'
import { type ConformanceFixture, watchOnly } from './conformance.fixture.ts'
import { describeHeaders } from './headers.conformance.ts'
import { OutboxFailure } from './outbox.fixture.ts'
import { describeProviders } from './providers.conformance.ts'
import { describeReadHtlc } from './read-htlc.conformance.ts'
import { describeReplay } from './replay.conformance.ts'
import { expectRepeatHarmless, expectWithin, failureOf, type Part, type Swap, startRun } from './run.fixture.ts'
import { describeStrangersInitiation } from './strangers-initiation.conformance.ts'

export type Conforming = { readonly family: ChainFamily; readonly abilities: readonly AbilityName[] }

export function describeConformance(
  name: string,
  { family, abilities }: Conforming,
  setup: () => Promise<ConformanceFixture>,
  part: Part = 'whole',
): void {
  describe(`${name} conformance`, () => {
    const run = startRun(family, part, setup)

    describe('abilities', () => {
      it('are exactly those that the family declares', () => {
        expect(abilitiesOf(run.fixture.client, family).toSorted()).toEqual(abilities.toSorted())
      })

      it.each(abilities)('%s has a suite', (ability) => {
        expect(abilitySuites[ability]).toBeTypeOf('function')
      })
    })

    for (const ability of abilities) abilitySuites[ability]?.(run)

    const hasHash = (swap: Swap, tx: string, kind: string) =>
      run.readSwap(swap).then(({ events }) => events.some((event) => event.kind === kind && event.tx === tx))

    describe('addresses and ids', () => {
      it('parses valid addresses into one canonical form', () => {
        for (const { text, canonical } of run.fixture.addresses.good) expect(run.fixture.client.text.parseAddress(text)).toBe(canonical)
        expect(run.fixture.client.text.parseAddress(run.user.address)).toBe(run.user.address)
      })

      it.each(['wrongChecksum', 'wrongNetwork', 'wrongLength'] as const)('refuses addresses with %s', (fault) => {
        const wrong = run.fixture.addresses[fault]
        if (wrong === null) return
        expect(wrong.length).toBeGreaterThan(0)
        for (const text of wrong) {
          expect(() => run.fixture.client.text.parseAddress(text), text).toThrow(expect.objectContaining({ code: 'invalid_address' }))
        }
      })

      it('parses parties, transactions and swaps in their canonical forms, and refuses other texts with an error that quotes them', async () => {
        const { client, addresses } = run.fixture
        const swap = await run.propose(run.solver, run.user)
        const tx = await run.initiate(swap)
        await run.confirm()
        expect(client.text.parseTransactionId(tx)).toBe(tx)
        for (const height of [null, 101n]) expect(client.text.parseTransactionId(client.text.formatInitiation(tx, height))).toBe(tx)
        for (const party of [run.user, run.solver]) expect(client.text.parseIdentity(party.identity)).toBe(party.identity)
        const names = [run.user.identity, run.solver.address, swap.key, ...addresses.good.map(({ canonical }) => canonical)]
        for (const name of names) expect(client.text.comparable(name), name).toBe(name)
        // Half of a base58 hash may be an account, so it is cut less.
        for (const text of ['', 'nobody', `${tx}00`, tx.slice(8)]) {
          const named = expect.stringContaining(`"${text}"`)
          expect(() => client.text.parseTransactionId(text), text).toThrow(expect.objectContaining({ code: 'bad_request', message: named }))
          expect(() => client.text.parseIdentity(text), text).toThrow(expect.objectContaining({ code: 'invalid_address', message: named }))
        }
        expect(client.text.comparable('nobody')).toBeNull()
      })

      it('gives a swap the same id for every party, and a different id for different terms', async () => {
        const { terms } = await run.propose(run.user, run.solver)
        const { client, secondClient } = run.fixture
        expect(secondClient.swapId({ ...terms })).toBe(client.swapId(terms))
        const others: HtlcTerms[] = [
          { ...terms, secretHash: hashSecret(createSecret()) },
          { ...terms, timelock: terms.timelock + 1n },
          { ...terms, initiator: terms.redeemer, redeemer: terms.initiator },
        ]
        expect(new Set([terms, ...others].map((t) => client.swapId(t))).size).toBe(4)
      })

      it('verifies that the node serves the right chain', async () => {
        await run.fixture.client.verifyNode()
      })
    })

    describe('signing', () => {
      it('states order, leg, verb and terms as the purpose of initiations, redeems and refunds', async () => {
        const own = await run.propose(run.solver, run.user)
        await run.expectPurpose(run.solver, own, 'initiate', () => run.initiate(own))
        const redeemed = await run.fundedByUser()
        await run.expectPurpose(run.solver, redeemed, 'redeem', () => run.redeem(redeemed))
        await run.fixture.mine(1)
        const refunded = await run.fundedByUser()
        await run.fixture.expire(refunded.terms)
        await run.expectPurpose(run.user, refunded, 'refund', () => run.refund(refunded))
        await run.fixture.mine(1)
      })
    })

    describe('initiating', () => {
      it("sees the user's funding, first below and then at the required confirmations", async () => {
        const swap = await run.propose(run.user, run.solver)
        expect((await run.readSwap(swap)).swap.phase).toBe('waiting')
        await run.fixture.fund(await run.fundingOf(swap))
        const unmined = await run.readSwap(swap)
        expect(['waiting', 'seen']).toContain(unmined.swap.phase)
        expect(unmined.events.every((event) => event.block === null)).toBe(true)
        await run.confirm()
        const { events, swap: state } = await run.readSwap(swap)
        expect(state).toMatchObject({ phase: 'initiated', filledAmount: swap.terms.amount })
        expect(events.map((event) => event.kind)).toEqual(['initiated'])
        const block = events[0]?.block
        if (!block) throw new Error('the mined event has no block')
        expect(await run.fixture.client.headers([block.height])).toMatchObject([block])
        expect(events).toMatchObject([{ expiresAt: expect.any(BigInt) }])
      })

      it('returns the same events to every party, repeatedly, and none outside the requested blocks', async () => {
        const swap = await run.fundedByUser()
        const { client, secondClient } = run.fixture
        const tip = await client.tip()
        const watched = watchOnly(client, swap.terms)
        const events = await client.events(watched, swap.from, tip.height)
        expect(events).toHaveLength(1)
        expect(await client.events(watched, swap.from, tip.height)).toEqual(events)
        expect(await secondClient.events(watched, swap.from, tip.height)).toEqual(events)
        expect(await client.events(watched, swap.from - 1n, swap.from - 1n)).toEqual([])
        expect(await client.events(createWatchedSwaps([]), swap.from, tip.height)).toEqual([])
        const stranger = await run.propose(run.user, run.solver)
        expect(await client.events(watchOnly(client, stranger.terms), swap.from, tip.height)).toEqual([])
      })

      it('does not accept a smaller amount as funding', async () => {
        const swap = await run.propose(run.user, run.solver)
        await run.fixture.underfund(swap.terms, await run.fundingOf(swap))
        await run.confirm()
        expect(['waiting', 'mismatched']).toContain((await run.readSwap(swap)).swap.phase)
      })

      it('does not accept a look-alike as funding', async () => {
        const swap = await run.propose(run.user, run.solver)
        await run.fixture.lookAlike(swap.terms, await run.fundingOf(swap))
        await run.confirm()
        expect((await run.readSwap(swap)).events).toEqual([])
      })

      it('initiates once, even if called repeatedly', async () => {
        const swap = await run.propose(run.solver, run.user)
        const before = await run.balanceOf(run.solver)
        const tx = await run.initiate(swap)
        expect(await run.initiate(swap)).toBe(tx)
        await run.confirm()
        expect((await run.readSwap(swap)).swap).toMatchObject({ phase: 'initiated', filledAmount: swap.terms.amount })
        expect(await hasHash(swap, tx, 'initiated')).toBe(true)
        await expectRepeatHarmless(run.initiate(swap), tx)
        await run.fixture.mine(1)
        expect((await run.readSwap(swap)).swap.deposits).toHaveLength(1)
        expectWithin(before - (await run.balanceOf(run.solver)), swap.terms.amount, swap.terms.amount + run.fixture.feeAllowance)
      })

      it('initiates several swaps in one block', async () => {
        const swaps = [
          await run.propose(run.solver, run.user),
          await run.propose(run.solver, run.user),
          await run.propose(run.solver, run.user),
        ]
        for (const swap of swaps) await run.initiate(swap)
        await run.confirm()
        for (const swap of swaps) expect((await run.readSwap(swap)).swap.phase).toBe('initiated')
      })

      it('broadcasts exactly the attempt that a crashed process recorded', async () => {
        const swap = await run.propose(run.solver, run.user)
        await expect(run.initiate(swap, 'dies-after-recording')).rejects.toThrow(OutboxFailure)
        const recorded = run.solver.outbox.attempts(`${swap.key}/initiate`)
        await run.fixture.mine(1)
        expect((await run.readSwap(swap)).swap.phase).toBe('waiting')
        const tx = await run.initiate(swap)
        await run.confirm()
        expect(recorded.map((attempt) => attempt.tx)).toContain(tx)
        expect(run.solver.outbox.attempts(`${swap.key}/initiate`).slice(0, recorded.length)).toEqual(recorded)
        expect(await hasHash(swap, tx, 'initiated')).toBe(true)
      })

      it('sends no transaction that was not recorded', async () => {
        const swap = await run.propose(run.solver, run.user)
        await expect(run.initiate(swap, 'lost-lease')).rejects.toThrow(OutboxFailure)
        await run.confirm()
        expect((await run.readSwap(swap)).events).toEqual([])
      })
    })

    describeHeaders(() => run.fixture)
    describeReadHtlc(run)
    if (part === 'whole') describeProviders(run)
    describeReplay(run)

    describe('reorgs', () => {
      it('drops a reorganised initiation, and sees it again once it is mined again', async () => {
        const swap = await run.propose(run.user, run.solver)
        await run.fixture.fund(await run.fundingOf(swap))
        await run.fixture.mine(1)
        const before = await run.fixture.client.tip()
        expect((await run.readSwap(swap)).swap.filledAmount).toBe(swap.terms.amount)
        await run.fixture.reorg(1, { drop: true })
        // Where heights may skip, the new blocks need not be at the old heights.
        const around = await run.fixture.client.headers(Array.from({ length: 10 }, (_, i) => before.height - 4n + BigInt(i)))
        const replaced = around.find(({ parentHash }) => parentHash === before.parentHash)
        expect(replaced).toBeDefined()
        expect(around.map(({ hash }) => hash)).not.toContain(before.hash)
        expect(around.map(({ parentHash }) => parentHash)).toContain(replaced?.hash)
        expect((await run.readSwap(swap)).events).toEqual([])
        await run.fixture.fund(await run.fundingOf(swap))
        await run.confirm()
        expect((await run.readSwap(swap)).swap.phase).toBe('initiated')
      })

      it('reports an initiation in its new block after a reorg', async () => {
        const swap = await run.fundedByUser()
        const [before] = (await run.readSwap(swap)).events
        await run.fixture.reorg(run.fixture.client.chain.requiredConfirmations, { drop: false })
        await run.confirm()
        const [after] = (await run.readSwap(swap)).events
        expect(after?.tx).toBe(before?.tx)
        expect(after?.block?.hash).not.toBe(before?.block?.hash)
        expect((await run.readSwap(swap)).swap.phase).toBe('initiated')
      })

      it('rebroadcasts its own initiation after a reorg dropped it', async () => {
        const swap = await run.propose(run.solver, run.user)
        const tx = await run.initiate(swap)
        await run.fixture.mine(1)
        await run.fixture.reorg(1, { drop: true })
        expect((await run.readSwap(swap)).events).toEqual([])
        expect(await run.initiate(swap)).toBe(tx)
        await run.confirm()
        expect((await run.readSwap(swap)).swap.deposits).toHaveLength(1)
        expect((await run.readSwap(swap)).swap.phase).toBe('initiated')
      })
    })

    describe('redeeming', () => {
      it('pays the redeemer once, and shows the secret', async () => {
        const swap = await run.fundedByUser()
        await run.fixture.client.verifyPayout(swap.terms, run.solver.address)
        const before = await run.balanceOf(run.solver)
        const tx = await run.redeem(swap)
        expect(await run.redeem(swap)).toBe(tx)
        await run.fixture.mine(1)
        const { events, swap: state } = await run.readSwap(swap)
        expect(state).toMatchObject({ phase: 'redeemed', secret: swap.secret })
        expect(events.filter((event) => event.kind === 'redeemed')).toEqual([
          expect.objectContaining({ tx, secret: swap.secret, deposit: state.deposits[0]?.id }),
        ])
        const after = await run.balanceOf(run.solver)
        expectWithin(after - before, swap.terms.amount - run.fixture.feeAllowance, swap.terms.amount)
        expect(state.deposits[0]?.spend?.paid).toBe(run.fixture.client.payoutFee === undefined ? swap.terms.amount : after - before)
        await expectRepeatHarmless(run.redeem(swap), tx)
        await run.fixture.mine(1)
        expect(await run.balanceOf(run.solver)).toBe(after)
      })

      it('refuses a wrong secret and signs nothing', async () => {
        const swap = await run.fundedByUser()
        const wrong = createSecret()
        await expect(run.redeem(swap, wrong)).rejects.toThrow()
        expect(run.solver.outbox.attempts(`${swap.key}/redeem`)).toEqual([])
        await run.fixture.mine(1)
        expect((await run.readSwap(swap)).swap.phase).toBe('initiated')
      })

      it('checks whether a payout can succeed before the secret is shown', async () => {
        const payable = await run.propose(run.solver, run.user)
        await run.initiate(payable)
        await run.confirm()
        await run.fixture.client.verifyPayout(payable.terms, null)
        if (run.fixture.unpayableRedeemer === undefined) return
        const redeemer = await run.fixture.unpayableRedeemer()
        const swap = await run.propose(run.solver, { identity: redeemer })
        await run.initiate(swap)
        await run.confirm()
        expect(await failureOf(run.fixture.client.verifyPayout(swap.terms, null))).toBe('would-fail')
      })
    })

    describe('refunding', () => {
      it('waits for the timelock, then refunds the initiator once', async () => {
        const swap = await run.fundedByUser()
        expect(await failureOf(run.refund(swap))).toBe('would-fail')
        await run.fixture.expire(swap.terms)
        const expired = (await run.readSwap(swap)).swap
        expect(expired.deposits.map((deposit) => (deposit.unitsLeft ?? 1n) <= 0n)).toEqual([true])
        const before = await run.balanceOf(run.user)
        const tx = await run.refund(swap)
        expect(await run.refund(swap)).toBe(tx)
        await run.fixture.mine(1)
        const { events, swap: state } = await run.readSwap(swap)
        expect(state).toMatchObject({ phase: 'refunded', secret: null })
        expect(events.filter((event) => event.kind === 'refunded').map((event) => event.tx)).toEqual([tx])
        const after = await run.balanceOf(run.user)
        const { feeAllowance, depositReserve = 0n, rebateAllowance = 0n } = run.fixture
        const returned = swap.terms.amount + depositReserve
        expectWithin(after - before, returned - feeAllowance, returned + rebateAllowance)
        expect(state.deposits[0]?.spend?.paid).toBe(run.fixture.client.payoutFee === undefined ? swap.terms.amount : after - before)
        await expectRepeatHarmless(run.refund(swap), tx)
        await run.fixture.mine(1)
        expect(await run.balanceOf(run.user)).toBe(after)
      })

      it('redeems after expiry until it is refunded, or shows no secret where the chain forbids that', async () => {
        const swap = await run.fundedByUser()
        await run.fixture.expire(swap.terms)
        if (run.fixture.redeemsAfterExpiry === false) {
          expect(await failureOf(run.redeem(swap))).toBe('would-fail')
          expect(run.solver.outbox.attempts(`${swap.key}/redeem`)).toEqual([])
          return
        }
        await run.redeem(swap)
        await run.fixture.mine(1)
        expect((await run.readSwap(swap)).swap).toMatchObject({ phase: 'redeemed', secret: swap.secret })
      })
    })

    // This part comes last, because strangers leave coins and allowances behind.
    if (part !== 'nodes') describeStrangersInitiation(run)
  })
}
