/** Tests several providers of one chain: one of three may lie, lag or be dead. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { ChainClient } from '../port/client.ts'
import { allowedLagOf } from '../providers/agreed-blocks.ts'
import { readSwap } from './conformance.fixture.ts'
import type { TestProviders } from './providers.fixture.ts'
import { type ConformanceRun, failureOf, type Swap } from './run.fixture.ts'

const EVERYONE = [0, 1, 2] as const

export function describeProviders(run: ConformanceRun): void {
  describe('providers', () => {
    let providers: TestProviders
    let clients: ChainClient[] = []
    let troubles: string[] = []

    beforeAll(async () => {
      providers = await run.fixture.providers()
    })
    afterEach(async () => {
      for (const provider of EVERYONE) providers.misbehave(provider, null)
      await Promise.all(clients.map((client) => client.close()))
      clients = []
      troubles = []
    })
    afterAll(() => providers?.close())

    const connect = (quorum: number, which: readonly number[] = EVERYONE) => {
      const client = providers.connect(which, { quorum, onTrouble: (what) => troubles.push(what) })
      clients.push(client)
      return client
    }
    const alone = (provider: number) => connect(1, [provider])
    const tip = () => run.fixture.client.tip()
    const phase = async (client: ChainClient, swap: Swap) => (await readSwap(client, swap.terms, swap.from)).swap.phase
    const amounts = async (client: ChainClient, swap: Swap) =>
      (await readSwap(client, swap.terms, swap.from)).swap.deposits.map(({ amount }) => amount)
    const isOpen = async (client: ChainClient, swap: Swap): Promise<boolean> => {
      const ids = (await run.readSwap(swap)).swap.deposits.map(({ id }) => id)
      expect(ids).toHaveLength(1)
      const { deposits } = await client.readHtlc(swap.terms, ids)
      expect(deposits).toHaveLength(1)
      return deposits[0]?.state === 'open'
    }
    /** Every client asks the first of its providers. */
    const expectSuspended = (provider: number) => {
      if (provider === 0) expect(troubles.join('\n')).toContain('is suspended for a while')
    }

    describe.each(EVERYONE)('one liar of three, with a quorum of two (provider %i)', (liar) => {
      it('cannot replace the newest block', async () => {
        const newest = await tip()
        providers.misbehave(liar, { kind: 'forges-block', block: newest })
        const [forged] = await alone(liar).headers([newest.height])
        expect(forged).toMatchObject({ height: newest.height, parentHash: newest.parentHash })
        expect(forged?.hash).not.toBe(newest.hash)
        const client = connect(2)
        expect(await client.headers([newest.height])).toEqual([newest])
        await run.fixture.mine(1)
        const next = await tip()
        expect(await client.tip()).toEqual(next)
        expect(await client.headers([newest.height, next.height])).toEqual([newest, next])
      })

      it('can hide or invent the newest block only in hints, which come from it round robin', async () => {
        const old = await tip()
        const client = connect(2)
        await client.verifyNode()
        const hints = async () => {
          const seen: string[] = []
          for (const _ of EVERYONE) seen.push((await client.tipHint?.())?.hash ?? '')
          return seen
        }
        await run.fixture.mine(1)
        const newest = await tip()
        for (const how of [{ kind: 'stops-at', newest: old } as const, { kind: 'forges-block', block: newest } as const]) {
          providers.misbehave(liar, how)
          const seen = await hints()
          expect(seen.filter((hash) => hash !== newest.hash)).toHaveLength(1)
          expect(await client.tip()).toEqual(newest)
        }
        providers.misbehave(liar, { kind: 'dead' })
        expect(await hints()).toEqual(EVERYONE.map(() => newest.hash))
      })

      it('cannot forge an initiation', async () => {
        const swap = await run.propose(run.user, run.solver)
        await run.fixture.mine(1)
        providers.misbehave(liar, { kind: 'forges-initiation', terms: swap.terms, newest: await tip() })
        expect(await amounts(alone(liar), swap)).toEqual([swap.terms.amount])
        const client = connect(2)
        expect(await amounts(client, swap)).toEqual([])
        await run.fixture.mine(1)
        expect(await amounts(client, swap)).toEqual([])
        expectSuspended(liar)
      })

      it('cannot hide an initiation', async () => {
        const swap = await run.fundedByUser()
        providers.misbehave(liar, { kind: 'hides-events' })
        expect(await amounts(alone(liar), swap)).toEqual([])
        expect(await amounts(connect(2), swap)).toEqual([swap.terms.amount])
        expectSuspended(liar)
      })

      it('cannot hide a redeem', async () => {
        const swap = await run.fundedByUser()
        await run.redeem(swap)
        await run.fixture.mine(1)
        providers.misbehave(liar, { kind: 'hides-events' })
        expect((await readSwap(connect(2), swap.terms, swap.from)).swap).toMatchObject({ phase: 'redeemed', secret: swap.secret })
      })

      it('cannot show an HTLC that is over as open, nor hide one that is open', async () => {
        const swap = await run.fundedByUser()
        for (const [as, step] of [['absent', null] as const, ['open', run.redeem] as const]) {
          await step?.(swap)
          await run.fixture.mine(1)
          providers.misbehave(liar, { kind: 'shows-htlc', as, terms: swap.terms, newest: await tip() })
          expect(await isOpen(alone(liar), swap)).toBe(as === 'open')
          expect(await isOpen(connect(2), swap)).toBe(as !== 'open')
          // If another one is dead, too few agree.
          const other = (liar + 1) % EVERYONE.length
          providers.misbehave(other, { kind: 'dead' })
          expect(await failureOf(isOpen(connect(2), swap))).toBe('unreachable')
          for (const provider of [liar, other]) providers.misbehave(provider, null)
        }
      })

      it('cannot stop a swap by lagging', async () => {
        const swap = await run.propose(run.solver, run.user)
        providers.misbehave(liar, { kind: 'stops-at', newest: await tip() })
        const client = connect(2)
        const tx = await client.initiate(swap.terms, run.outboxOf(run.solver, swap, 'initiate'))
        await run.confirm()
        expect(await client.tip()).toEqual(await tip())
        expect(await amounts(alone(liar), swap)).toEqual([])
        expect((await readSwap(client, swap.terms, swap.from)).events.map((event) => event.tx)).toEqual([tx])
        expect(await phase(client, swap)).toBe('initiated')
      })

      it('cannot stop a swap by not answering', async () => {
        const swap = await run.propose(run.solver, run.user)
        providers.misbehave(liar, { kind: 'dead' })
        const client = connect(2)
        await client.verifyNode()
        await client.initiate(swap.terms, run.outboxOf(run.solver, swap, 'initiate'))
        await run.confirm()
        expect(await phase(client, swap)).toBe('initiated')
        expectSuspended(liar)
      })
    })

    it('one liar of two, with a quorum of two, is not believed', async () => {
      const answer = (swap: Swap) =>
        amounts(connect(2, [0, 1]), swap).catch((error: unknown) => {
          expect(error).toMatchObject({ kind: 'unreachable' })
          return null
        })
      const funded = await run.fundedByUser()
      providers.misbehave(0, { kind: 'hides-events' })
      // A family that can prove which answer is true may use it.
      expect([null, [funded.terms.amount]]).toContainEqual(await answer(funded))
      const proposed = await run.propose(run.user, run.solver)
      await run.fixture.mine(1)
      providers.misbehave(0, { kind: 'forges-initiation', terms: proposed.terms, newest: await tip() })
      expect([null, []]).toContainEqual(await answer(proposed))
    })

    it('without a quorum alive, nothing is answered; it goes on when one is back', async () => {
      for (const provider of [0, 1]) providers.misbehave(provider, { kind: 'dead' })
      const client = connect(2)
      expect(await failureOf(client.tip())).toBe('unreachable')
      expect(await failureOf(client.verifyNode())).toBe('unreachable')
      providers.misbehave(0, null)
      expect(await client.tip()).toEqual(await tip())
    })

    it('with a quorum of one, the next provider answers for one that is dead or has stopped', async () => {
      const stopped = await tip()
      await run.fixture.mine(Number(allowedLagOf(run.fixture.client.chain)) + 1)
      providers.misbehave(0, { kind: 'stops-at', newest: stopped })
      expect(await connect(1).tip()).toEqual(await tip())
      providers.misbehave(0, { kind: 'dead' })
      const swap = await run.fundedByUser()
      expect(await amounts(connect(1), swap)).toEqual([swap.terms.amount])
    })

    it('fewer than the quorum, or one twice, are refused', () => {
      expect(() => connect(3, [0, 1])).toThrow('2 providers: a quorum of 3 is impossible')
      expect(() => connect(2, [0, 0])).toThrow('one provider twice')
    })
  })
}
