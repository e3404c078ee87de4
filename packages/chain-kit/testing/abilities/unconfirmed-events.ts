/** A family whose nodes have a mempool that can be searched. */

import { createWatchedSwaps } from '@tandem/party/engine/watched-swaps.ts'
import { describe, expect, it } from 'vitest'
import { watchOnly } from '../conformance.fixture.ts'
import { type ConformanceRun, required } from '../run.fixture.ts'

export function unconfirmedEventsSuite(run: ConformanceRun): void {
  describe('unconfirmed events', () => {
    it('shows an unmined initiation to those who watch the swap, without a block, until it is mined', async () => {
      const { client, secondClient } = run.fixture
      const swap = await run.propose(run.user, run.solver)
      const stranger = await run.propose(run.user, run.solver)
      const unconfirmed = required(client.unconfirmedEvents, 'unconfirmedEvents')
      expect(await unconfirmed(watchOnly(client, swap.terms))).toEqual([])
      await run.fixture.fund(await run.fundingOf(swap))
      const seen = await unconfirmed(watchOnly(client, swap.terms))
      expect(seen).toMatchObject([{ kind: 'initiated', swapId: client.swapId(swap.terms), amount: swap.terms.amount, block: null }])
      expect(await required(secondClient.unconfirmedEvents, 'unconfirmedEvents')(watchOnly(secondClient, swap.terms))).toEqual(seen)
      for (const others of [watchOnly(client, stranger.terms), createWatchedSwaps([])]) expect(await unconfirmed(others)).toEqual([])
      await run.confirm()
      expect(await unconfirmed(watchOnly(client, swap.terms))).toEqual([])
    })
  })
}
