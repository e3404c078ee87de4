/** Tests the cache of rendered documents. */
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createKeptDocuments } from './kept-documents.ts'

test('a document is written once, even for requests at the same time', async () => {
  let written = 0
  const documents = createKeptDocuments()
  const write = () => {
    written += 1
    return `${written}`
  }
  const [first, second] = await Promise.all([documents.read('a', write), documents.read('a', write)])
  const third = await documents.read('a', write)
  expect([first, second, third].map(({ plain }) => String(plain))).toEqual(['1', '1', '1'])
  expect(String(gunzipSync(third.gzipped))).toBe('1')
  expect(written).toBe(1)
  expect((await documents.read('b', write)).etag).not.toBe(first.etag)
})

test('the least recently used document is evicted first', async () => {
  const documents = createKeptDocuments(3_000)
  const written: string[] = []
  const read = (key: string) =>
    documents.read(key, () => {
      written.push(key)
      return key.repeat(1_000)
    })
  for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await read(key)
  expect(written).toEqual(['a', 'b', 'c', 'b'])
})

test('a failure is not cached', async () => {
  const documents = createKeptDocuments()
  const fail = () => {
    throw new Error('no')
  }
  await expect(documents.read('a', fail)).rejects.toThrow('no')
  expect(String((await documents.read('a', () => 'yes')).plain)).toBe('yes')
})
