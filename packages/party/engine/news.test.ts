import { expect, test } from 'vitest'
import { createNews } from './news.ts'

const open = () => {
  const news = createNews()
  const serve = () => news.serve(async (isNews) => isNews)
  return { ...news, serve, run: news.serve }
}

test('a run is told of what happened since the last one began', async () => {
  const news = open()
  expect(await news.serve()).toBe(false)
  news.note()
  expect(
    await news.run(async (isNews) => {
      news.note()
      return isNews
    }),
  ).toBe(true)
  expect(await news.serve()).toBe(true)
  expect(await news.serve()).toBe(false)
})

test('what a failed run was told of is news for the next one', async () => {
  const news = open()
  news.note()
  await expect(news.run(() => Promise.reject(new Error('no database')))).rejects.toThrow('no database')
  expect(await news.serve()).toBe(true)
  expect(await news.serve()).toBe(false)
})
