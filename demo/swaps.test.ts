import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStory, type Story } from '../test/swaps/story.ts'
import { createStoryTeller } from './story-teller.ts'
import { swaps } from './swaps.ts'

let story: Story
beforeAll(async () => {
  story = await openStory()
})
afterAll(() => story.close())

test.each(swaps)('$name ends as it should, told in one line', async (swap) => {
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
