/** A family whose nodes return the events of a block by its hash. */

import { createWatchedSwaps } from '@tandem/party/engine/watched-swaps.ts'
import { describe, expect, it } from 'vitest'
import { watchOnly } from '../conformance.fixture.ts'
import { type ConformanceRun, required } from '../run.fixture.ts'

export function branchEventsSuite(run: ConformanceRun): void {
  describe('events of a branch', () => {
    it('are those of its blocks, in a range and in one block', async () => {
      const { client } = run.fixture
      const branchEvents = required(client.branchEvents, 'branchEvents')
      const swap = await run.propose(run.user, run.solver)
      await run.fixture.fund(await run.fundingOf(swap))
      await run.confirm()
      const watched = watchOnly(client, swap.terms)
      const tip = await client.tip()
      const events = await client.events(watched, swap.from, tip.height)
      expect(events).toMatchObject([{ kind: 'initiated' }])
      const range = await branchEvents(watched, swap.from, tip, [swap.from, tip.height])
      expect(range.events).toEqual(events)
      expect(range.headers).toEqual(expect.arrayContaining([...(await client.headers([swap.from, tip.height]))]))
      const [header] = await client.headers([events[0]?.block?.height ?? 0n])
      if (header === undefined) throw new Error('the block of the event is gone')
      expect((await branchEvents(watched, header.height, header, [])).events).toEqual(events)
      expect(await branchEvents(createWatchedSwaps([]), swap.from, tip, [])).toEqual({ events: [], headers: [] })
      const other = { ...tip, hash: `${tip.hash.slice(0, -4)}beef` }
      await expect(branchEvents(watched, swap.from, other, [])).rejects.toMatchObject({ kind: 'unreachable' })
      await expect(branchEvents(watched, other.height, other, [])).rejects.toMatchObject({ kind: 'unreachable' })
    })
  })
}
