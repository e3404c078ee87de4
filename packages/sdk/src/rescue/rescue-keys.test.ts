/** Tests the keys and secrets that are derived from a rescue phrase. */
import { expect, test } from 'vitest'
import { memoryStorage } from '../swap/storage.ts'
import { newRescueKeys, rescueKeys } from './rescue-keys.ts'

const PHRASE = 'legal winner thank year wave sausage worth useful legal winner thank yellow'

/** Computed by another program (PBKDF2, BIP-32 and HMAC written out in Python). */
test.each([
  [
    0,
    'd117bd563d831035941917160b875cb92cb7935aaeeec809159b9fb1a1593d5e',
    '6d03e1cb95a8129f53c74628b636791c98b5d97106d23bfc5afec8b1645daf67',
    '15d670729a04489fd979d656c20e580bffcbffc147b4d795e1b029cba09438dd',
  ],
  [
    1,
    '77ca55fbd28d12ae34f3ddedbd506964b2e8ffeaecd1d0aebf9c0dbf24619e01',
    'ee2cf539e1337f85f20dc4a1dcebc091af5c296881305bdd759d6d348c5d887c',
    '5cf682380b89ac65399715336e835a88fde2ec005fc486106a1a81d3335c2a7a',
  ],
  [
    2 ** 31 - 1,
    '85249fc35ab33da77a9c4238927b65e0f882b735272ac33d8a48d13ab493652b',
    '1acce2b4581757460f44ecfc5f8c8f8f584db8df2ae54e59b5c6ee6fc4e898f6',
    '55e59e5148a0a408cca8eab5978a40dcaed698da144b19e84d102da250d17686',
  ],
])('the secret and the keys of index %i never change', async (index, secret, source, destination) => {
  const keys = await rescueKeys(PHRASE, memoryStorage())
  expect(await keys.secretFor(index)).toBe(secret)
  expect(await keys.keyFor(index, 'source')).toBe(source)
  expect(await keys.keyFor(index, 'destination')).toBe(destination)
})

test('an index is given once, and only by a storage that knows which were used', async () => {
  const storage = memoryStorage()
  const { phrase, keys } = await newRescueKeys(storage)
  expect(phrase.split(' ')).toHaveLength(12)
  expect([await keys.nextIndex(), await keys.nextIndex()]).toEqual([0, 1])
  const reloaded = await rescueKeys(`  ${phrase.toUpperCase()}\n`, storage)
  expect(await reloaded.nextIndex()).toBe(2)
  expect(await reloaded.secretFor(1)).toBe(await keys.secretFor(1))
  await reloaded.startAt(1)
  expect(await reloaded.nextIndex()).toBe(3)

  const slow = {
    getItem: async (key: string) => storage.getItem(key),
    setItem: async (key: string, value: string) => storage.setItem(key, value),
  }
  const pages = [await rescueKeys(phrase, slow), await rescueKeys(phrase, slow)]
  const atOnce = await Promise.all([0, 1, 2, 3].flatMap(() => pages.map((page) => page.nextIndex())))
  expect(atOnce.toSorted((a, b) => a - b)).toEqual([4, 5, 6, 7, 8, 9, 10, 11])

  const elsewhere = await rescueKeys(phrase, memoryStorage())
  await expect(elsewhere.nextIndex()).rejects.toThrow('restore()')
  await elsewhere.startAt(7)
  expect(await elsewhere.nextIndex()).toBe(7)
  for (const index of [-1, 0.5, 2 ** 31]) await expect(elsewhere.secretFor(index)).rejects.toThrow(`${index} is not the index`)
})

test.each([
  [PHRASE.replace('sausage', 'sausge'), 'word 6 of the rescue phrase, "sausge", is not in the list; do you mean "sausage"?'],
  [PHRASE.replace('yellow', 'year'), 'the checksum of the rescue phrase is wrong'],
  [PHRASE.replace('winner thank', 'thank winner'), 'the checksum of the rescue phrase is wrong'],
  [PHRASE.replace('yellow', ''), 'a rescue phrase has 12 words, this one has 11'],
  ['', 'a rescue phrase has 12 words, this one has 0'],
])('a phrase that is not one is refused by what is wrong with it: %s', async (phrase, message) => {
  await expect(rescueKeys(phrase, memoryStorage())).rejects.toThrow(message)
})
