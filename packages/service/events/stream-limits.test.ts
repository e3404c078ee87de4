/** Tests which streams end when a limit is reached. */
import { expect, test, vi } from 'vitest'
import { countStreams, cutSlowReaders } from './stream-limits.ts'

const limits = { perProcess: 4, perApp: 3, perAddress: 2 }
const nobody = () => {
  throw new Error('nobody is evicted here')
}

test('one customer has a whole /64 of IPv6 addresses, and one IPv4 address in either form', () => {
  const counts = countStreams(limits)
  counts.enter({ app: 'a', address: '2001:db8:0:1::1' }, nobody)
  counts.enter({ app: 'a', address: '2001:db8::1:ffff:0:0:2' }, nobody)
  expect(() => counts.enter({ app: 'b', address: '2001:db8:0:1:1:2:3:4' }, nobody)).toThrow('address')
  const leave = counts.enter({ app: 'b', address: '::ffff:10.0.0.1' }, nobody)
  counts.enter({ app: 'b', address: '2001:db8:0:2::1' }, nobody)
  expect(() => counts.enter({ app: 'c', address: '2001:db8:0:3::1' }, nobody)).toThrow('server')
  leave()
  counts.enter({ app: 'c', address: '10.0.0.1' }, nobody)
})

test('an app has its own limit', () => {
  const counts = countStreams(limits)
  for (const address of ['1.1.1.1', '2.2.2.2', '3.3.3.3']) counts.enter({ app: 'a', address }, nobody)
  expect(() => counts.enter({ app: 'a', address: '4.4.4.4' }, nobody)).toThrow('this app has 3')
})

test('at its limit, an app takes a stream from the network that has the most, for one that has fewer', () => {
  const counts = countStreams({ ...limits, perApp: 4 })
  const evicted = [vi.fn(), vi.fn(), vi.fn()]
  const strangers = ['10.0.0.1', '10.0.0.2', '10.0.0.1'].map((address, n) => counts.enter({ app: 'a', address }, evicted[n] ?? nobody))
  counts.enter({ app: 'a', address: '192.0.2.1' }, nobody)
  expect(() => counts.enter({ app: 'a', address: '10.0.0.3' }, nobody)).toThrow('this app has 4')
  counts.enter({ app: 'a', address: '192.0.2.2' }, nobody)
  expect(evicted.map(({ mock }) => mock.calls.length)).toEqual([0, 0, 1])
  // Both networks have two streams now.
  expect(() => counts.enter({ app: 'a', address: '192.0.2.3' }, nobody)).toThrow('this app has 4')
  // The evicted stream is not counted any more, so its end changes nothing.
  strangers[2]?.()
  expect(counts.open).toBe(4)
  strangers[0]?.()
  counts.enter({ app: 'a', address: '10.0.0.1' }, nobody)
})

test('a full process does the same for all apps together; a /48 of IPv6 is one network', () => {
  const counts = countStreams(limits)
  const evicted = vi.fn()
  for (const n of [1, 2, 3]) counts.enter({ app: 'a', address: `2001:db8:0:${n}::1` }, n === 3 ? evicted : nobody)
  counts.enter({ app: 'b', address: '2001:db8:1::1' }, nobody)
  expect(() => counts.enter({ app: 'b', address: '2001:db8:0:4::1' }, nobody)).toThrow('server')
  counts.enter({ app: 'c', address: '2001:db8:2::1' }, nobody)
  expect(evicted).toHaveBeenCalledOnce()
  expect(counts.open).toBe(4)
})

function streamsOf(sizes: readonly number[]) {
  const cut = new Set<number>()
  const streams = sizes.map((kilobytes, index) => ({ buffered: kilobytes * 1024, cut: () => void cut.add(index) }))
  return { streams, cut }
}

test('when streams hold too much together, those whose clients do not read are closed, and no others', () => {
  const { streams, cut } = streamsOf([...Array<number>(300).fill(250), 10, 32])
  cutSlowReaders(streams)
  expect([...cut]).toEqual(Array.from({ length: 300 }, (_, index) => index))
})

test('a few slow readers are left alone', () => {
  const { streams, cut } = streamsOf(Array<number>(200).fill(250))
  cutSlowReaders(streams)
  expect(cut.size).toBe(0)
})
