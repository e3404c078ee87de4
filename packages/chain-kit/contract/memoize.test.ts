/** Tests what `memoize` remembers and what it forgets. */
import { expect, test } from 'vitest'
import { memoize } from './memoize.ts'

function counted(maxEntries: number) {
  const computed: string[] = []
  const twice = memoize(maxEntries, (text) => {
    computed.push(text)
    return text + text
  })
  return { twice, computed }
}

test('computes each text once', () => {
  const { twice, computed } = counted(10)
  expect([twice('a'), twice('b'), twice('a')]).toEqual(['aa', 'bb', 'aa'])
  expect(computed).toEqual(['a', 'b'])
})

test('forgets the oldest beyond its limit', () => {
  const { twice, computed } = counted(2)
  for (const text of ['a', 'b', 'c', 'c', 'b', 'a']) twice(text)
  expect(computed).toEqual(['a', 'b', 'c', 'a'])
})

test('remembers no failure', () => {
  let failures = 1
  const unstable = memoize(10, (text) => {
    if (failures-- > 0) throw new Error('not now')
    return text
  })
  expect(() => unstable('a')).toThrow('not now')
  expect(unstable('a')).toBe('a')
})
