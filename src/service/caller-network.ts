/** Whom an address stands for. */
import { isIPv6 } from 'node:net'

export type ClientAddresses = {
  /** One customer: an IPv4 address, or a /64 of IPv6, which has all addresses of one customer (RFC 6177). */
  readonly address: string
  /** Addresses that somebody easily has many of: a /24 of IPv4, a /48 of IPv6. */
  readonly network: string
}

export function addressesOf(given: string): ClientAddresses {
  const plain = given.replace(/^::ffff:(?=[0-9.]+$)/i, '')
  if (!isIPv6(plain)) return { address: plain, network: plain.split('.').slice(0, 3).join('.') }
  const groups = groupsOf(plain)
  return { address: groups.slice(0, 4).join(':'), network: groups.slice(0, 3).join(':') }
}

function groupsOf(address: string): readonly number[] {
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? []
  const groups = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? 0 : tail.split(':').length
  const zeros = tail === undefined ? 0 : 8 - groups.length - after
  return [...groups, ...Array<string>(zeros).fill('0'), ...(tail ?? '').split(':')].slice(0, 4).map((group) => Number.parseInt(group, 16))
}
