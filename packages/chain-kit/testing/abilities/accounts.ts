/** Tests money in an account before it is locked: what is the same whether the account is of a payer or of a swap. */
import { describe, expect, it } from 'vitest'
import type { Prefund } from '../../port/abilities/prefund.ts'
import type { Attempt } from '../../port/outbox.ts'
import { type ConformanceRun, expectRepeatHarmless, failureOf, required, type Swap } from '../run.fixture.ts'

const SECONDS_TO_DEADLINE = 3_600n

export type Accounts = {
  /** Afterwards the swap can be funded from its account until its deadline, and the account is empty. Mines what it needs. */
  open(swap: Swap): Promise<void>
  /** Pays into the account of the swap. Nothing is mined. */
  pay(swap: Swap, amount: bigint): Promise<void>
  passDeadline(deadline: bigint): Promise<void>
  /** If the initiator itself pays, it has afterwards what it had before. A stranger's payment is returned to the initiator too. */
  readonly paidBy: 'initiator' | 'stranger'
  /** The money of other swaps may be in the same account. What an initiated swap left is then returned after the deadline, else at once. */
  readonly areShared: boolean
  /** The smallest amount that an account can hold. */
  readonly least: bigint
}

type AccountTests = {
  ability(): Prefund
  propose(): Promise<Swap>
  opened(): Promise<Swap>
  /** Pays, and mines it. */
  pay(swap: Swap, amount?: bigint): Promise<void>
  initiated(): Promise<Swap>
  initiate(swap: Swap): Promise<string>
  reclaim(swap: Swap): Promise<string | null>
  attempts(swap: Swap, verb: 'relay' | 'reclaim'): readonly Attempt[]
  held(swap: Swap): Promise<bigint | undefined>
  passDeadline(swap: Swap): Promise<void>
  /** Passes the deadline if what an initiated swap left is returned only then. */
  waitForReclaim(swap: Swap): Promise<void>
  expectInitiated(swap: Swap): Promise<void>
  /** The client refuses to initiate, and signs nothing. */
  expectNotInitiable(swap: Swap): Promise<void>
  /** From now on, the initiator gets exactly this much back. */
  watchReturns(paid: bigint): Promise<() => Promise<void>>
}

export function accountTests(run: ConformanceRun, accounts: () => Accounts): AccountTests {
  const tests: AccountTests = {
    ability: () => required(run.fixture.client.prefund, 'prefund'),
    propose: async () => ({
      ...(await run.propose(run.user, run.solver)),
      deadline: (await run.fixture.client.tip()).time + SECONDS_TO_DEADLINE,
    }),
    async opened() {
      const swap = await tests.propose()
      await accounts().open(swap)
      return swap
    },
    async pay(swap, amount = swap.terms.amount) {
      await accounts().pay(swap, amount)
      await run.fixture.mine(1)
    },
    async initiated() {
      const swap = await tests.opened()
      await tests.pay(swap)
      await tests.initiate(swap)
      await run.confirm()
      await tests.expectInitiated(swap)
      return swap
    },
    initiate: (swap) => tests.ability().initiate(swap, run.outboxOf(run.solver, swap, 'relay')),
    reclaim: (swap) => tests.ability().reclaim(swap, run.outboxOf(run.solver, swap, 'reclaim')),
    attempts: (swap, verb) => run.solver.outbox.attempts(`${swap.key}/${verb}`),
    held: async (swap) => (await tests.ability().amounts([swap]))[0],
    passDeadline: ({ deadline }) => accounts().passDeadline(deadline),
    async waitForReclaim(swap) {
      if (accounts().areShared) await tests.passDeadline(swap)
    },
    async expectInitiated(swap) {
      expect((await run.readSwap(swap)).swap).toMatchObject({ phase: 'initiated', filledAmount: swap.terms.amount })
    },
    async expectNotInitiable(swap) {
      expect(await failureOf(tests.initiate(swap))).toBe('would-fail')
      expect(tests.attempts(swap, 'relay')).toEqual([])
    },
    async watchReturns(paid) {
      const before = await run.balanceOf(run.user)
      const expected = accounts().paidBy === 'initiator' ? before : before + paid
      return async () => expect(await run.balanceOf(run.user)).toBe(expected)
    },
  }
  return tests
}

export function accountSuite(run: ConformanceRun, accounts: () => Accounts): void {
  const tests = accountTests(run, accounts)
  const { opened, propose, pay, initiate, initiated, reclaim, attempts, held, passDeadline, waitForReclaim } = tests

  it('returns what the account holds for each swap, in one call', async () => {
    const [swap, other] = [await opened(), await propose()]
    expect(await tests.ability().amounts([])).toEqual([])
    expect(await tests.ability().amounts([swap, other])).toEqual([0n, 0n])
    await pay(swap)
    expect(await tests.ability().amounts([other, swap])).toEqual([0n, swap.terms.amount])
    await initiate(swap)
    await run.confirm()
  })

  it('initiates the swap with the money, once, without a signature of the user', async () => {
    const swap = await opened()
    await pay(swap)
    expect((await run.readSwap(swap)).events).toEqual([])
    const tx = await initiate(swap)
    expect(await initiate(swap)).toBe(tx)
    await run.confirm()
    await tests.expectInitiated(swap)
    expect(await held(swap)).toBe(0n)
    await expectRepeatHarmless(initiate(swap), tx)
  })

  it('initiates once the whole amount is there, paid in any number of parts', async () => {
    const swap = await opened()
    for (const part of [0n, swap.terms.amount - 1n]) {
      if (part > 0n) await pay(swap, part)
      expect(await held(swap)).toBe(part)
      await tests.expectNotInitiable(swap)
    }
    await pay(swap, 1n)
    await initiate(swap)
    await run.confirm()
    await tests.expectInitiated(swap)
  })

  it('initiates two swaps of one user with what each needs', async () => {
    const swaps = [await opened(), await opened()]
    for (const swap of swaps) await accounts().pay(swap, swap.terms.amount)
    await run.fixture.mine(1)
    for (const swap of swaps) await initiate(swap)
    await run.confirm()
    for (const swap of swaps) await tests.expectInitiated(swap)
  })

  it('initiates with the amount even if somebody adds to the account while the initiation is unmined, and returns the rest', async () => {
    const swap = await opened()
    await pay(swap)
    const before = await run.balanceOf(run.user)
    await initiate(swap)
    const { least } = accounts()
    await accounts().pay(swap, least)
    await run.confirm()
    await tests.expectInitiated(swap)
    await waitForReclaim(swap)
    await reclaim(swap)
    await run.fixture.mine(1)
    expect(await held(swap)).toBe(0n)
    expect(await run.balanceOf(run.user)).toBe(accounts().paidBy === 'initiator' ? before : before + least)
  })

  it('states order, leg and terms as the purpose of an initiation and of a reclaim', async () => {
    const swap = await opened()
    await pay(swap)
    await run.expectPurpose(run.solver, swap, 'relay', () => initiate(swap))
    await run.confirm()
    await pay(swap)
    await waitForReclaim(swap)
    await run.expectPurpose(run.solver, swap, 'reclaim', () => reclaim(swap))
    await run.fixture.mine(1)
  })

  describe('reclaim', () => {
    it('returns nothing from an empty account', async () => {
      const swap = await opened()
      await passDeadline(swap)
      expect(await reclaim(swap)).toBeNull()
      expect(attempts(swap, 'reclaim')).toEqual([])
    })

    it('leaves the money to the swap while it can be initiated, and to other swaps', async () => {
      const [swap, other] = [await opened(), await opened()]
      for (const each of [swap, other]) await accounts().pay(each, each.terms.amount)
      await run.fixture.mine(1)
      expect(await failureOf(reclaim(swap))).toBe('would-fail')
      await initiate(swap)
      await run.confirm()
      expect(await reclaim(swap)).toBeNull()
      expect(attempts(swap, 'reclaim')).toEqual([])
      await initiate(other)
      await run.confirm()
      await tests.expectInitiated(other)
    })

    it('returns what came too late to the user, once, and no initiation can use it', async () => {
      const swap = await opened()
      const expectReturned = await tests.watchReturns(swap.terms.amount)
      await passDeadline(swap)
      await pay(swap)
      await tests.expectNotInitiable(swap)
      const tx = await reclaim(swap)
      expect(tx).not.toBeNull()
      expect(await reclaim(swap)).toBe(tx)
      await run.fixture.mine(1)
      expect(await reclaim(swap)).toBeNull()
      expect(attempts(swap, 'reclaim')).toHaveLength(1)
      await expectReturned()
      expect((await run.readSwap(swap)).events).toEqual([])
    })

    it('returns a wrong amount after the deadline', async () => {
      const swap = await opened()
      const expectReturned = await tests.watchReturns(swap.terms.amount - 1n)
      await pay(swap, swap.terms.amount - 1n)
      await passDeadline(swap)
      expect(await reclaim(swap)).not.toBeNull()
      await run.fixture.mine(1)
      expect(await held(swap)).toBe(0n)
      await expectReturned()
    })

    it('returns a payment that came after the initiation, and leaves the swap alone', async () => {
      const swap = await initiated()
      const expectReturned = await tests.watchReturns(swap.terms.amount)
      await pay(swap)
      await waitForReclaim(swap)
      expect(await reclaim(swap)).not.toBeNull()
      await run.fixture.mine(1)
      await expectReturned()
      await tests.expectInitiated(swap)
      await run.redeem(swap)
      await run.fixture.mine(1)
      expect((await run.readSwap(swap)).swap.phase).toBe('redeemed')
    })

    it('returns a payment that came after the swap was redeemed: it funds nothing again', async () => {
      const swap = await initiated()
      await run.redeem(swap)
      await run.confirm()
      await expectFundsNothing(swap)
    })

    it('returns a payment that came after the swap was refunded: it funds nothing again', async () => {
      const swap = await initiated()
      await run.fixture.expire(swap.terms)
      await run.refund(swap)
      await run.confirm()
      await expectFundsNothing(swap)
    })

    async function expectFundsNothing(swap: Swap): Promise<void> {
      const expectReturned = await tests.watchReturns(swap.terms.amount)
      await pay(swap)
      const again = tests.ability().initiate(swap, run.solver.outbox.open(`${swap.key}/again`))
      expect(['would-fail', 'superseded']).toContain(await failureOf(again))
      expect(run.solver.outbox.attempts(`${swap.key}/again`)).toEqual([])
      await waitForReclaim(swap)
      expect(await reclaim(swap)).not.toBeNull()
      await run.fixture.mine(1)
      await expectReturned()
    }

    it('sends nothing for a payment that a reorg dropped', async () => {
      const swap = await opened()
      await passDeadline(swap)
      await pay(swap)
      expect(await held(swap)).toBe(swap.terms.amount)
      await run.fixture.reorg(1, { drop: true })
      expect(await held(swap)).toBe(0n)
      expect(await reclaim(swap)).toBeNull()
      expect(attempts(swap, 'reclaim')).toEqual([])
    })

    it('returns the money after a reorg dropped the reclaim, with the same transaction', async () => {
      const swap = await opened()
      const expectReturned = await tests.watchReturns(swap.terms.amount)
      await passDeadline(swap)
      await pay(swap)
      const tx = await reclaim(swap)
      await run.fixture.mine(1)
      await run.fixture.reorg(1, { drop: true })
      expect(await held(swap)).toBe(swap.terms.amount)
      expect(await reclaim(swap)).toBe(tx)
      await run.fixture.mine(1)
      expect(await reclaim(swap)).toBeNull()
      await expectReturned()
    })

    it('returns nothing twice after a reorg dropped the payment and the reclaim, and what is paid later', async () => {
      const swap = await opened()
      const before = await run.balanceOf(run.user)
      await passDeadline(swap)
      await pay(swap)
      await reclaim(swap)
      await run.fixture.mine(1)
      await run.fixture.reorg(2, { drop: true })
      for (let block = 0; block < 2; block += 1) {
        await reclaim(swap)
        await run.fixture.mine(1)
        expect(await run.balanceOf(run.user)).toBe(before)
      }
      const expectReturned = await tests.watchReturns(swap.terms.amount)
      await pay(swap)
      await reclaim(swap)
      await run.fixture.mine(1)
      expect(await held(swap)).toBe(0n)
      await expectReturned()
    })
  })
}
