/** Tests the demo: each swap ends with the right balances, and a swap without its chains is skipped. */
import { expect, test } from 'vitest'
import { tellStory } from '../test/swaps/story.ts'
import { createLocalClient } from './client/local-client.ts'
import { playAll } from './play-all.ts'
import { createStoryTeller } from './story-teller.ts'
import { swaps } from './swaps.ts'

const story = await tellStory('bitcoin', 'ethereum', 'arbitrum', 'solana', 'starknet', 'sui', 'xrpl')

test.each(swaps)('$name ends with the right balances and prints one line', async (swap) => {
  const told: string[] = []
  const teller = createStoryTeller({ json: true, write: (text) => told.push(text) })
  teller.begin(swap.title)
  teller.end(await swap.run(story, teller))
  expect(told).toHaveLength(1)
  const report = JSON.parse(told[0] ?? '')
  expect(report).toMatchObject({ swap: swap.name, ok: true })
  expect(report.order_id).toMatch(/^[0-9a-f]{64}$/)
  expect(Object.keys(report.ms)).toEqual(expect.arrayContaining(['quote', 'create', 'fund', 'initiated']))
})

test('swaps whose chains do not run are skipped, and the demo says so', async () => {
  const { bitcoin_regtest: _, ...chains } = story.info.chains
  const told: string[] = []
  const client = createLocalClient({ ...story.info, chains })
  expect(await playAll(client, createStoryTeller({ json: false, write: (text) => told.push(text) }))).toEqual({
    summary: 'All 4 ended as they should. 4 skipped: their chains do not run here.',
    ok: true,
  })
  expect(told.filter((line) => line.includes('skipped: bitcoin_regtest does not run in this stack'))).toHaveLength(4)
})

test('a demo that skips every swap fails', async () => {
  const told: string[] = []
  const client = createLocalClient({ ...story.info, chains: {} })
  const { ok } = await playAll(client, createStoryTeller({ json: true, write: (text) => told.push(text) }))
  expect(ok).toBe(false)
  expect(told.map((line) => JSON.parse(line))).toEqual(swaps.map(({ name }) => ({ swap: name, skipped: expect.any(String) })))
})
