import { expect, test } from 'vitest'
import { countStreams } from './stream-limits.ts'

const limits = { perProcess: 4, perApp: 3, perAddress: 2 }

test('one customer has a whole /64 of IPv6 addresses, and one IPv4 address in either form', () => {
  const counts = countStreams(limits)
  counts.enter({ app: 'a', address: '2001:db8:0:1::1' })
  counts.enter({ app: 'a', address: '2001:db8::1:ffff:0:0:2' })
  expect(() => counts.enter({ app: 'b', address: '2001:db8:0:1:1:2:3:4' })).toThrow('address')
  const leave = counts.enter({ app: 'b', address: '::ffff:10.0.0.1' })
  counts.enter({ app: 'b', address: '2001:db8:0:2::1' })
  expect(() => counts.enter({ app: 'c', address: '10.0.0.2' })).toThrow('server')
  leave()
  counts.enter({ app: 'c', address: '10.0.0.1' })
})

test('an app has its own limit', () => {
  const counts = countStreams(limits)
  for (const address of ['1.1.1.1', '2.2.2.2', '3.3.3.3']) counts.enter({ app: 'a', address })
  expect(() => counts.enter({ app: 'a', address: '4.4.4.4' })).toThrow('this app has 3')
})
