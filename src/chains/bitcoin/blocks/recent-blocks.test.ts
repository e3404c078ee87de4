import { expect, it } from 'vitest'
import { failure } from '../wallet/manual-mining.fixture.ts'
import { hashOf } from './block.fixture.ts'
import { createRecentBlocks } from './recent-blocks.ts'

it('a header of another block is refused, and not cached under the requested hash', async () => {
  const [asked, other] = [hashOf(1), hashOf(2)]
  const answers = [other, asked]
  const headers = createRecentBlocks(async () => ({ height: 1n, hash: answers.shift() ?? '', parentHash: hashOf(0), time: 1n }))
  await expect(headers.block(asked)).rejects.toThrow(failure('unreachable', /another header/))
  for (const _ of [1, 2]) expect((await headers.block(asked)).hash).toBe(asked)
})
