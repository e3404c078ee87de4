/** Tests which swaps a rescue file brings back, and that it shows nothing to others. */
import { expect, test } from 'vitest'
import { NetworkError } from '../client/errors.ts'
import type { SwapContext } from '../swap/context.ts'
import { addSwap, listSwaps, type SavedSwap } from '../swap/saved-swap.ts'
import { memoryStorage } from '../swap/storage.ts'
import { exportFile, importFile } from './rescue-file.ts'
import { newRescueKeys, rescueKeys } from './rescue-keys.ts'

const swap = (orderId: string, phase: SavedSwap['phase']) => ({ orderId, phase, payout: 'bcrt1qpayout' }) as SavedSwap

/** The service is gone. */
const client = { chains: () => Promise.reject(new NetworkError('no answer')) }

async function contextOf(phrase: string | null = null) {
  const storage = memoryStorage()
  const made = phrase === null ? await newRescueKeys(storage) : { phrase, keys: await rescueKeys(phrase, storage) }
  return { phrase: made.phrase, context: { storage, keys: made.keys, client } as unknown as SwapContext }
}

test('a file brings back all swaps that the storage does not know, and shows nothing to others', async () => {
  const { phrase, context } = await contextOf()
  for (const one of [swap('a', 'paid'), swap('b', 'revealed'), swap('c', 'made')]) await addSwap(context, one)
  const file = await exportFile(context)
  expect(file).not.toContain('bcrt1qpayout')
  expect(await exportFile(context)).not.toBe(file)

  const { context: empty } = await contextOf(phrase)
  await addSwap(empty, { ...swap('b', 'paid'), payout: 'kept' })
  await addSwap(empty, { ...swap('a', 'restored'), payout: 'of the service' })
  expect(await importFile(empty, file)).toEqual(['a', 'b', 'c'])
  // One that was not paid when the file was written may have been paid since: nothing pays it by itself.
  expect(await listSwaps(empty)).toEqual([{ ...swap('b', 'paid'), payout: 'kept' }, swap('a', 'paid'), swap('c', 'paying')])
})

test('a file of another phrase, a changed one and another text are refused', async () => {
  const { phrase, context } = await contextOf()
  await addSwap(context, swap('a', 'paid'))
  const file = await exportFile(context)
  const { context: stranger } = await contextOf()
  await expect(importFile(stranger, file)).rejects.toThrow('of another phrase, or damaged')
  const { context: own } = await contextOf(phrase)
  const parsed = JSON.parse(file)
  const changed = { ...parsed, swaps: `${parsed.swaps[0] === 'A' ? 'B' : 'A'}${parsed.swaps.slice(1)}` }
  await expect(importFile(own, JSON.stringify(changed))).rejects.toThrow('of another phrase, or damaged')
  await expect(importFile(own, JSON.stringify({ ...parsed, version: 2 }))).rejects.toThrow('version 2')
  for (const text of ['', '{}', 'null', '[]', phrase]) await expect(importFile(own, text)).rejects.toThrow('not a rescue file')
  const random = { ...own, keys: { ...own.keys, fileKey: undefined } } as unknown as SwapContext
  await expect(exportFile(random)).rejects.toThrow('only keys of a rescue phrase')
  expect(await listSwaps(own)).toEqual([])
})
