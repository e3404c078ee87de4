/** A family whose nodes say which blocks are final. */
import { describe, expect, it } from 'vitest'
import { type ConformanceRun, required } from '../run.fixture.ts'

export function finalHeightSuite(run: ConformanceRun): void {
  describe('final height', () => {
    it('is not above the newest block, never decreases, and passes an initiation once it is deep enough', async () => {
      const { client, secondClient, mine } = run.fixture
      expect(client.chain.finalityTag).toBeDefined()
      const finalHeight = required(client.finalHeight, 'finalHeight')
      const swap = await run.fundedByUser()
      const block = (await run.readSwap(swap)).events[0]?.block
      if (block == null) throw new Error('the mined event has no block')
      const before = (await finalHeight()) ?? 0n
      expect(before).toBeLessThanOrEqual((await client.tip()).height)
      await mine(client.chain.finalityBlocks * 2)
      const after = (await finalHeight()) ?? 0n
      expect(after).toBeGreaterThanOrEqual(before)
      expect(after).toBeGreaterThanOrEqual(block.height)
      expect(after).toBeLessThanOrEqual((await client.tip()).height)
      expect(await required(secondClient.finalHeight, 'finalHeight')()).toBe(after)
    })
  })
}
