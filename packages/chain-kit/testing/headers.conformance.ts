/** Tests headers, for chains with and without skipped heights. */
import type { Block } from '@tandem/protocol/chain.ts'
import { describe, expect, it } from 'vitest'
import type { ChainClient } from '../port/client.ts'

type HeaderFixture = {
  readonly client: Pick<ChainClient, 'chain' | 'tip' | 'headers'>
  mine(blocks: number): Promise<unknown>
  skip?(): void
  reorg(depth: number, options: { readonly drop: boolean }): Promise<unknown>
}

export function describeHeaders(fixture: () => HeaderFixture): void {
  /** Some heights are below the tip, and the chain has not reached two. */
  const around = ({ height }: Block) => [-5n, -4n, -3n, -2n, -1n, 0n, 1n, 2n].map((offset) => height + offset)

  async function newest(): Promise<readonly Block[]> {
    return fixture().client.headers(around(await fixture().client.tip()))
  }

  describe('headers', () => {
    it('are ascending, end with the tip, and are each linked to the one before', async () => {
      const { client, mine, skip } = fixture()
      for (let round = 0; round < 3; round++) {
        skip?.()
        await mine(2)
      }
      const [headers, tip] = [await newest(), await client.tip()]
      expect(headers.at(-1)).toEqual(tip)
      for (const [i, { height, parentHash }] of headers.entries()) {
        const previous = headers[i - 1]
        if (previous === undefined) continue
        expect(height).toBeGreaterThan(previous.height)
        // Across skipped heights, too: this distinguishes a skipped height from a missing block.
        expect(parentHash).toBe(previous.hash)
      }
      expect(await client.headers([tip.height + 1n])).toEqual([])
      expect(await client.headers([])).toEqual([])
    })

    it('exist at every height up to the tip, unless heights may skip', async () => {
      const { client, mine, skip } = fixture()
      await mine(6)
      skip?.()
      await mine(1)
      const tip = await client.tip()
      const heights = (await newest()).map(({ height }) => height)
      const all = around(tip).filter((height) => height <= tip.height)
      expect(client.chain.heightsMaySkip).toBe(skip !== undefined)
      if (skip === undefined) expect(heights).toEqual(all)
      else expect(heights.length).toBeLessThan(all.length)
    })

    it('count blocks without gaps where heights may skip', async () => {
      const headers = await newest()
      const ordinals = headers.flatMap(({ ordinal }) => ordinal ?? [])
      if (!fixture().client.chain.heightsMaySkip) expect(ordinals).toEqual([])
      else expect(ordinals).toEqual(headers.map((_, i) => (headers[0]?.ordinal ?? 0n) + BigInt(i)))
    })

    it('can be read at distant heights, and are canonical', async () => {
      const { client, mine, reorg } = fixture()
      await mine(4)
      const before = await newest()
      const [lowest, tip] = [before[0], before.at(-1)]
      if (lowest === undefined || tip === undefined) throw new Error('the chain has no blocks')
      expect(await client.headers([lowest.height, tip.height])).toEqual([lowest, tip])
      await reorg(1, { drop: true })
      const after = await client.headers([lowest.height, tip.height])
      expect(after[0]).toEqual(lowest)
      expect(after[1]?.hash).not.toBe(tip.hash)
    })
  })
}
