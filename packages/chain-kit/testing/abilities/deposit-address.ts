/** Tests a family where each swap has an address of its own, and a plain transfer to it from anywhere funds the swap. */
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { describe, expect, it } from 'vitest'
import type { PrefundedSwap } from '../../port/abilities/prefund.ts'
import { OutboxFailure } from '../outbox.fixture.ts'
import { type ConformanceRun, failureOf, required, type Swap } from '../run.fixture.ts'
import { type Accounts, accountSuite, accountTests } from './accounts.ts'

/** No family pays for as many reverts. */
const MANY_REVERTS = 1_000
const MANY_SWAPS = 50
/** A few requests may precede the reading, and one may have a limit of swaps. */
const MAX_REQUESTS = 5

export function depositAddressSuite(run: ConformanceRun): void {
  describe('deposit address', () => {
    const paying = () => required(run.fixture.depositAddress, 'depositAddress in the fixture')
    const addressOf = (swap: PrefundedSwap) => required(run.fixture.client.prefund?.addressOf, 'prefund.addressOf')(swap)
    const accounts = (): Accounts => ({
      // To ask for the address is the consent.
      open: async () => undefined,
      pay: (swap, amount) => paying().pay(addressOf(swap), amount),
      passDeadline: (deadline) => paying().passDeadline(deadline),
      paidBy: 'stranger',
      areShared: false,
      least: paying().least ?? 1n,
    })
    /** A part of the amount, which can stay alone. */
    const rest = () => accounts().least + 6n
    const tests = accountTests(run, accounts)
    const leftOf = (surplus: bigint) => (paying().surplusLeavesWithInitiation === true ? 0n : surplus)
    const { propose, pay, initiate, initiated, reclaim, attempts, held, passDeadline } = tests

    accountSuite(run, accounts)

    it('is the same for every party, a canonical address, and another one for other terms or another deadline', async () => {
      const { terms, deadline } = await propose()
      const { client, secondClient } = run.fixture
      const address = addressOf({ terms, deadline })
      expect(addressOf({ terms: { ...terms }, deadline, payer: null })).toBe(address)
      expect(secondClient.prefund?.addressOf?.({ terms, deadline })).toBe(address)
      expect(client.text.parseAddress(address)).toBe(address)
      const otherTerms: readonly HtlcTerms[] = [
        { ...terms, secretHash: hashSecret(createSecret()) },
        { ...terms, timelock: terms.timelock + 1n },
        { ...terms, amount: terms.amount + 1n },
        { ...terms, redeemer: terms.initiator },
        { ...terms, initiator: terms.redeemer },
      ]
      const others = [
        ...otherTerms.map((other) => ({ terms: other, deadline })),
        { terms, deadline: deadline + 1n },
        { terms, deadline: deadline - 1n },
      ]
      const known = [address, run.user.address, run.solver.address, run.user.identity, run.solver.identity]
      const all = [...others.map(addressOf), ...known]
      expect(new Set(all).size).toBe(others.length + new Set(known).size)
    })

    it('stays the same while money comes and goes', async () => {
      const swap = await propose()
      const address = addressOf(swap)
      await pay(swap)
      await initiate(swap)
      await run.confirm()
      expect(addressOf(swap)).toBe(address)
    })

    it('reads many swaps with few requests, whose number does not grow with the swaps', async () => {
      const paid = await propose()
      await pay(paid)
      const swaps = await Promise.all(Array.from({ length: MANY_SWAPS }, propose))
      const all = [...swaps.slice(1), paid, ...swaps.slice(0, 1)]
      let amounts: readonly bigint[] = []
      const requests = await paying().requestsOf(async () => {
        amounts = await tests.ability().amounts(all)
      })
      expect(amounts).toEqual(all.map((swap) => (swap === paid ? paid.terms.amount : 0n)))
      expect(requests).toBeGreaterThan(0)
      expect(requests).toBeLessThanOrEqual(MAX_REQUESTS)
    })

    it('counts a payment under its own deadline only', async () => {
      const swap = await propose()
      await pay(swap)
      const other = { ...swap, deadline: swap.deadline + 1n, key: `${swap.key}/other` }
      expect(await tests.ability().amounts([other, swap])).toEqual([0n, swap.terms.amount])
      await tests.expectNotInitiable(other)
    })

    it('uses the money of no other swap of the same user', async () => {
      const [paid, unpaid] = [await propose(), await propose()]
      await pay(paid, paid.terms.amount * 2n)
      await tests.expectNotInitiable(unpaid)
      await passDeadline(unpaid)
      expect(await reclaim(unpaid)).toBeNull()
      expect(await held(paid)).toBe(paid.terms.amount * 2n)
    })

    it('initiates with exactly the amount, and returns the surplus to the user at once', async () => {
      const swap = await propose()
      await pay(swap, swap.terms.amount + rest())
      expect(await held(swap)).toBe(swap.terms.amount + rest())
      const expectReturned = await tests.watchReturns(rest())
      await initiate(swap)
      await run.confirm()
      await tests.expectInitiated(swap)
      expect(await held(swap)).toBe(leftOf(rest()))
      expect((await reclaim(swap)) === null).toBe(leftOf(rest()) === 0n)
      await run.fixture.mine(1)
      await expectReturned()
      expect(await held(swap)).toBe(0n)
      await tests.expectInitiated(swap)
    })

    it('returns payment after payment, each with a transaction of its own', async () => {
      const swap = await initiated()
      for (const returns of [1, 2]) {
        const expectReturned = await tests.watchReturns(swap.terms.amount)
        await pay(swap)
        await reclaim(swap)
        await run.fixture.mine(1)
        await expectReturned()
        expect(attempts(swap, 'reclaim')).toHaveLength(returns)
      }
    })

    describe('strangers', () => {
      it('can initiate with the money at the address: exactly the swap, and the service recognises it', async () => {
        const swap = await propose()
        await pay(swap, swap.terms.amount + rest())
        await paying().initiate(swap)
        await run.confirm()
        await tests.expectInitiated(swap)
        expect(await held(swap)).toBe(leftOf(rest()))
        expect(await failureOf(initiate(swap))).toBe('superseded')
        expect(attempts(swap, 'relay')).toEqual([])
      })

      it('can initiate before our transaction, which then takes nothing more', async () => {
        const swap = await propose()
        await pay(swap, swap.terms.amount * 2n)
        const recorded = run.outboxOf(run.solver, swap, 'relay', 'dies-after-recording')
        await expect(tests.ability().initiate(swap, recorded)).rejects.toThrow(OutboxFailure)
        await paying().initiate(swap)
        await run.confirm()
        expect(await failureOf(initiate(swap))).toBe('superseded')
        // The engine does so too: where transactions have an order, one that is never sent would hold up those after it.
        await run.fixture.client.cancel?.(run.outboxOf(run.solver, swap, 'relay'))
        await run.confirm()
        await tests.expectInitiated(swap)
        expect((await run.readSwap(swap)).swap.deposits).toHaveLength(1)
        expect(await held(swap)).toBe(leftOf(swap.terms.amount))
      })

      it('can return what nothing can use, to the initiator alone', async () => {
        const swap = await initiated()
        const expectReturned = await tests.watchReturns(swap.terms.amount)
        await pay(swap)
        await paying().giveBack(swap)
        await run.fixture.mine(1)
        await expectReturned()
        expect(await reclaim(swap)).toBeNull()
        expect(attempts(swap, 'reclaim')).toEqual([])
      })

      it('cannot return the money while it can be initiated', async () => {
        const swap = await propose()
        await pay(swap)
        await paying()
          .giveBack(swap)
          .catch(() => undefined)
        await run.fixture.mine(1)
        expect(await held(swap)).toBe(swap.terms.amount)
        await initiate(swap)
        await run.confirm()
        await tests.expectInitiated(swap)
      })
    })

    it('initiates nothing once the initiator has withdrawn the money, where it can before the deadline', async () => {
      const { withdraw } = paying()
      if (withdraw === undefined) return
      const swap = await propose()
      const expectReturned = await tests.watchReturns(swap.terms.amount)
      await pay(swap)
      await withdraw(swap)
      await run.fixture.mine(1)
      await expectReturned()
      expect(await held(swap)).toBe(0n)
      await tests.expectNotInitiable(swap)
      await pay(swap)
      const refused = { name: 'ChainFailure', kind: 'would-fail', refusal: expect.stringMatching(/no more are paid for/) }
      const outbox = { ...run.outboxOf(run.solver, swap, 'relay'), revertedRelays: MANY_REVERTS }
      await expect(tests.ability().initiate(swap, outbox)).rejects.toMatchObject(refused)
      expect(attempts(swap, 'relay')).toEqual([])
      await initiate(swap)
      await run.confirm()
      await tests.expectInitiated(swap)
    })

    it('returns money of every other kind to the initiator, and it funds nothing', async () => {
      const { otherMoney } = paying()
      expect(otherMoney.length).toBeGreaterThan(0)
      for (const money of otherMoney) {
        const swap = await propose()
        const before = await money.balanceOf(run.user.address)
        await money.pay(addressOf(swap))
        await run.fixture.mine(1)
        expect(await held(swap), money.name).toBe(0n)
        await tests.expectNotInitiable(swap)
        await pay(swap)
        await initiate(swap)
        await run.confirm()
        await tests.expectInitiated(swap)
        // What is returned by itself with the initiation need not be asked for.
        if ((await money.balanceOf(run.user.address)) === before) await money.giveBack(swap)
        await run.fixture.mine(1)
        expect((await money.balanceOf(run.user.address)) - before, money.name).toBe(money.amount)
        await tests.expectInitiated(swap)
      }
    })

    it('initiates nothing for a payment that a reorg dropped', async () => {
      const swap = await propose()
      await pay(swap)
      expect(await held(swap)).toBe(swap.terms.amount)
      await run.fixture.reorg(1, { drop: true })
      expect(await held(swap)).toBe(0n)
      await tests.expectNotInitiable(swap)
    })

    it('initiates with the same transaction after a reorg dropped the initiation', async () => {
      const swap = await propose()
      await pay(swap)
      const tx = await initiate(swap)
      await run.fixture.mine(1)
      await run.fixture.reorg(1, { drop: true })
      expect((await run.readSwap(swap)).events).toEqual([])
      expect(await held(swap)).toBe(swap.terms.amount)
      expect(await initiate(swap)).toBe(tx)
      await run.confirm()
      await tests.expectInitiated(swap)
      expect(attempts(swap, 'relay')).toHaveLength(1)
    })

    it('sends no transaction that was not recorded', async () => {
      const swap = await propose()
      await pay(swap)
      const lost = (verb: 'relay' | 'reclaim') => run.outboxOf(run.solver, swap, verb, 'lost-lease')
      await expect(tests.ability().initiate(swap, lost('relay'))).rejects.toThrow(OutboxFailure)
      await run.confirm()
      expect((await run.readSwap(swap)).events).toEqual([])
      await passDeadline(swap)
      await expect(tests.ability().reclaim(swap, lost('reclaim'))).rejects.toThrow(OutboxFailure)
      await run.fixture.mine(1)
      expect(await held(swap)).toBe(swap.terms.amount)
    })

    it('is paid from the account of any payer, whoever the order names', async () => {
      const swap: Swap = await propose()
      await pay(swap)
      expect(await tests.ability().amounts([{ ...swap, payer: run.solver.identity }])).toEqual([swap.terms.amount])
    })
  })
}
