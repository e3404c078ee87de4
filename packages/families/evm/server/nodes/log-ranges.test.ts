/** Tests how logs are read from providers that limit ranges. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { describe, expect, it } from 'vitest'
import { createLogRanges, spanHint } from './log-ranges.ts'
import { NodeRefusal } from './rpc.ts'

function provider(limit: bigint, words = 'no') {
  const asked: [bigint, bigint][] = []
  const refused: bigint[] = []
  return {
    asked,
    refused,
    async ask(from: bigint, to: bigint) {
      if (to - from >= limit) {
        refused.push(to - from + 1n)
        throw new NodeRefusal(-32000, words, null)
      }
      asked.push([from, to])
      return []
    },
  }
}

const isGapless = (asked: readonly [bigint, bigint][], from: bigint, to: bigint) =>
  asked.every(([first], i) => first === (i === 0 ? from : (asked[i - 1]?.[1] ?? 0n) + 1n)) && asked.at(-1)?.[1] === to

describe('a provider that limits ranges', () => {
  it('without a stated limit is probed by halving, and every block is read once', async () => {
    const { ask, asked, refused } = provider(700n)
    const ranges = createLogRanges()
    await ranges.read(ask, 5n, 20_004n)
    expect(isGapless(asked, 5n, 20_004n)).toBe(true)
    expect(Math.max(...asked.map(([from, to]) => Number(to - from)))).toBeGreaterThan(400)
    refused.length = 0
    await ranges.read(ask, 20_005n, 40_000n)
    expect(Math.max(...refused.map(Number))).toBeLessThan(1_000)
  })

  it('and states its limit is never asked for more again', async () => {
    const { ask, asked, refused } = provider(1_000n, 'exceed maximum block range: 1000')
    const ranges = createLogRanges()
    await ranges.read(ask, 0n, 4_999n)
    await ranges.read(ask, 5_000n, 9_999n)
    expect(asked.map(([from, to]) => to - from + 1n)).toEqual(Array.from({ length: 10 }, () => 1_000n))
    expect(refused).toEqual([5_000n])
  })

  it('and refuses even one block is unreachable', async () => {
    await expect(createLogRanges().read(provider(0n).ask, 1n, 9n)).rejects.toMatchObject({
      kind: 'unreachable',
      message: expect.stringContaining('refuses logs of block 1'),
    })
  })

  it('is asked for less after a timeout', async () => {
    const ranges = createLogRanges()
    const silent = () => Promise.reject(new ChainFailure('unreachable', 'no answer'))
    await expect(ranges.read(silent, 0n, 99n)).rejects.toThrow('no answer')
    const { ask, asked } = provider(100n)
    await ranges.read(ask, 0n, 99n)
    expect(asked[0]).toEqual([0n, 49n])
  })
})

it.each([
  ['Log response size exceeded. Based on your parameters, this block range should work: [0x64, 0x1f3]', { blocks: 400n, isLimit: false }],
  ['query returned more than 10000 results. Try with this block range [0xA, 0xB].', { blocks: 2n, isLimit: false }],
  ['You can make eth_getLogs requests with up to a 2K block range and no limit on the response size', { blocks: 2_000n, isLimit: true }],
  ['Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range.', { blocks: 10n, isLimit: true }],
  ['eth_getLogs is limited to a 10,000 range', { blocks: 10_000n, isLimit: true }],
  ['eth_getLogs is limited to 0 - 50 blocks range', { blocks: 50n, isLimit: true }],
  ['exceed maximum block range: 5000', { blocks: 5_000n, isLimit: true }],
  ['query exceeds max block range 100000', { blocks: 100_000n, isLimit: true }],
  ['requested too many blocks from 1 to 5000, maximum is set to 2048', { blocks: 2_048n, isLimit: true }],
  ['block range is too wide', null],
  ['query returned more than 10000 results', null],
  ['execution aborted (timeout = 5s)', null],
  ['this block range should work: [0x1f3, 0x64]', null],
])('parses the limit in "%s"', (message, hint) => {
  expect(spanHint(message)).toEqual(hint)
})
