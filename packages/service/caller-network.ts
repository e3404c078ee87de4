/** This file maps the address of a client to a customer and to a network. */
import { isIPv6 } from 'node:net'

/** A customer is an IPv4 address or a /64 of IPv6, which has all addresses of one customer (RFC 6177). */
export function customerOf(address: string): string {
  const plain = plainOf(address)
  return isVersion6(plain) ? groupsOf(plain).join(':') : plain
}

/** A network is a /24 of IPv4 or a /48 of IPv6: one party easily has many addresses of it. */
export function networkOf(address: string): string {
  const plain = plainOf(address)
  return isVersion6(plain) ? groupsOf(plain).slice(0, 3).join(':') : plain.slice(0, plain.lastIndexOf('.'))
}

/** This runs for every request, so a cheap test comes first and decides for most addresses. */
function isVersion6(address: string): boolean {
  return address.includes(':') && isIPv6(address)
}

/** A dual-stack socket shows an IPv4 address as IPv6. */
function plainOf(address: string): string {
  return address.startsWith(':') ? address.replace(/^::ffff:(?=[0-9.]+$)/i, '') : address
}

/** The first four of the eight groups of an IPv6 address. */
function groupsOf(address: string): readonly number[] {
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? []
  const groups = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? 0 : tail.split(':').length
  const zeros = tail === undefined ? 0 : 8 - groups.length - after
  return [...groups, ...Array<string>(zeros).fill('0'), ...(tail ?? '').split(':')].slice(0, 4).map((group) => Number.parseInt(group, 16))
}
