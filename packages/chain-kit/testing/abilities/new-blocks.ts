/** Tests a family whose nodes say when there is a new block. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type ConformanceRun, required } from '../run.fixture.ts'

export function newBlocksSuite(run: ConformanceRun): void {
  describe('new blocks', () => {
    const ends: (() => void)[] = []
    afterEach(() => {
      for (const end of ends.splice(0)) end()
    })
    function subscribe() {
      const onBlock = vi.fn()
      ends.push(required(run.fixture.client.newBlocks, 'newBlocks')(onBlock))
      return onBlock
    }
    /** A subscription takes a moment to begin, so blocks are mined until the subscriber is notified. */
    const untilNotified = (onBlock: ReturnType<typeof subscribe>) =>
      vi.waitFor(
        async () => {
          await run.fixture.mine(1)
          await vi.waitFor(() => expect(onBlock).toHaveBeenCalled(), { timeout: 200, interval: 10 })
        },
        { timeout: 150_000, interval: 1 },
      )

    it('are announced to every subscriber', async () => {
      const [first, second] = [subscribe(), subscribe()]
      await untilNotified(first)
      await untilNotified(second)
    })

    it('are announced after a reorg', async () => {
      const onBlock = subscribe()
      await untilNotified(onBlock)
      onBlock.mockClear()
      await vi.waitFor(
        async () => {
          await run.fixture.mine(1)
          await run.fixture.reorg(1, { drop: false })
          await vi.waitFor(() => expect(onBlock).toHaveBeenCalled(), { timeout: 200, interval: 10 })
        },
        { timeout: 150_000, interval: 1 },
      )
    })

    it('are not announced after the subscription ended', async () => {
      const [ended, other] = [subscribe(), subscribe()]
      await untilNotified(ended)
      ends.splice(0, 1)[0]?.()
      ended.mockClear()
      other.mockClear()
      await untilNotified(other)
      expect(ended).not.toHaveBeenCalled()
    })
  })
}
