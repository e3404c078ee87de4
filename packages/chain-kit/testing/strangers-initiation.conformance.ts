/**
 * A deposit that counts can be collected. A stranger initiates and chooses everything that the terms leave free. Either no party counts the deposit, or our
 * own redeem succeeds with the secret, and our own refund after the timelock. Anything else is a theft: the counterparty would pay for a deposit that it
 * cannot collect.
 */
import { loadFamily } from '@tandem/families/browser.ts'
import { localAssets } from '@tandem/families/registry.ts'
import type { SwapRecord } from '@tandem/protocol/wire/swap.ts'
import { describe, expect, it } from 'vitest'
import type { Lock, SwapSide } from '../browser/family.ts'
import { VerificationError } from '../browser/verification-error.ts'
import type { SwapReading } from './conformance.fixture.ts'
import { type ConformanceRun, required, type Swap } from './run.fixture.ts'
import { type Attempt, RefusedByChain } from './strangers-initiation.fixture.ts'

/** The seed is fixed, so that a failure is reproducible. `STRANGERS_RUNS=50` draws that many, at random unless `STRANGERS_SEED` is set. */
const { STRANGERS_RUNS, STRANGERS_SEED } = process.env
const RUNS = Number(STRANGERS_RUNS ?? 2)
const SEED = Number(STRANGERS_SEED ?? (STRANGERS_RUNS === undefined ? 1 : Math.floor(Math.random() * 2 ** 31)))

/** `paid` is the increase of what the HTLC held; null where each order holds its own. */
type Initiated = { readonly attempt: Attempt; readonly swap: Swap; readonly paid: bigint | null }
type Played = Initiated & { readonly reading: SwapReading; readonly lock: Lock | null }

export function describeStrangersInitiation(run: ConformanceRun): void {
  describe(`an initiation by a stranger, with seed ${SEED}`, () => {
    async function initiated(attempt: Attempt): Promise<Initiated> {
      const proposed = await run.propose(run.user, run.solver)
      const terms = await attempt.agree(proposed.terms)
      const swap = { ...proposed, terms, key: run.fixture.client.swapId(terms) }
      const { held } = run.fixture.strangers
      const before = (await held?.()) ?? 0n
      try {
        await attempt.initiate({ terms, deadline: swap.deadline, funding: await run.fundingOf(swap) })
      } catch (error) {
        if (!(error instanceof RefusedByChain)) throw new Error(`${nameOf(attempt)} could not be played`, { cause: error })
      }
      if (held === undefined) return { attempt, swap, paid: null }
      await run.fixture.mine(1)
      return { attempt, swap, paid: (await held()) - before }
    }

    /** The user's SDK reads this lock from its own node. Null means that its content differs from the terms. */
    async function lockOf({ terms }: Swap, { events }: SwapReading): Promise<Lock | null> {
      const { sdk } = run.fixture.strangers
      if (sdk === null) return null
      const { url, deployment } = sdk
      const { chain } = run.fixture.client
      const asset = required(
        localAssets.find(({ id }) => id === terms.asset),
        terms.asset,
      )
      const record = { initiate_tx_hash: events[0]?.tx ?? '' } as SwapRecord
      const side: SwapSide = { leg: 'destination', chain, asset, deployment, terms, owner: terms.redeemer, record }
      const family = await loadFamily(chain.family)
      try {
        return await family.readLock(side, { url, fetch })
      } catch (error) {
        if (error instanceof VerificationError) return null
        throw error
      }
    }

    async function played(): Promise<readonly Played[]> {
      const swaps: Initiated[] = []
      for (const way of await run.fixture.strangers.open()) for (const attempt of way.draw(RUNS, SEED)) swaps.push(await initiated(attempt))
      await run.confirm()
      const read: Played[] = []
      for (const one of swaps) {
        const reading = await run.readSwap(one.swap)
        read.push({ ...one, reading, lock: await lockOf(one.swap, reading) })
      }
      return read
    }

    /** True means that service and solver take it for the agreed deposit, or that an SDK would show its secret for it. */
    const counts = ({ reading, lock }: Played) => reading.swap.phase === 'initiated' || lock !== null

    async function expectOfEach(all: readonly Played[], check: (one: Played) => Promise<string | null>): Promise<void> {
      const faults: string[] = []
      for (const one of all) {
        const fault = await check(one).catch((error: unknown) => String(error))
        if (fault !== null) faults.push(`${nameOf(one.attempt)}: ${fault}`)
      }
      expect(faults).toEqual([])
    }

    /** A party of the terms that is not one of ours is an account. */
    const addressOf = (party: string) => [run.user, run.solver].find(({ identity }) => identity === party)?.address ?? party
    const phaseOf = async ({ swap }: Played) => (await run.readSwap(swap)).swap.phase

    it('is redeemed by us with the secret if anybody counts it', async () => {
      const all = await played()
      await expectOfEach(all, async (one) => {
        const { outcome } = one.attempt
        if (outcome === 'may' || counts(one) === (outcome === 'counts')) return null
        return outcome === 'counts' ? `it does not count: ${one.reading.swap.phase}` : 'it counts'
      })
      const counted = all.filter(counts)
      await expectOfEach(counted, async ({ paid, swap: { terms } }) =>
        paid === null || paid >= terms.amount ? null : `${paid} of ${terms.amount} was paid`,
      )
      await expectOfEach(counted, async ({ swap }) => {
        const { client } = run.fixture
        const spend = await run.spendOf(swap, addressOf(swap.terms.redeemer))
        await client.verifyPayout(swap.terms, spend.to)
        await client.redeem(swap.terms, { ...spend, secret: swap.secret }, run.outboxOf(run.solver, swap, 'redeem'))
        return null
      })
      await run.confirm()
      await expectOfEach(counted, async (one) =>
        (await phaseOf(one)) === 'redeemed' ? null : `it is ${await phaseOf(one)} after our redeem`,
      )
    })

    it('is refunded by us after its end if anybody counts it', async () => {
      const all = await played()
      const [first] = all
      if (first === undefined) throw new Error('no way is known')
      await run.fixture.expire(first.swap.terms)
      const isOver = async ({ swap }: Played) => (await run.readSwap(swap)).swap.counted.every(({ unitsLeft }) => (unitsLeft ?? 1n) <= 0n)
      const expired: Played[] = []
      for (const one of all.filter(counts)) if (await isOver(one)) expired.push(one)
      expect(expired.length).toBeGreaterThan(0)
      await expectOfEach(expired, async ({ swap }) => {
        const spend = await run.spendOf(swap, addressOf(swap.terms.initiator))
        await run.fixture.client.refund(swap.terms, spend, run.outboxOf(run.user, swap, 'refund'))
        return null
      })
      await run.confirm()
      await expectOfEach(expired, async (one) =>
        (await phaseOf(one)) === 'refunded' ? null : `it is ${await phaseOf(one)} after our refund`,
      )
    })
  })
}

function nameOf({ way, choice }: Attempt): string {
  return choice === null ? way : `${way} ${JSON.stringify(choice, (_, value) => (typeof value === 'bigint' ? value.toString() : value))}`
}
