/** The network that a request comes from. */
import { isIPv6 } from 'node:net'

/** One customer has a whole /64 of IPv6 addresses (RFC 6177). */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=[0-9.]+$)/i, '')
  if (!isIPv6(plain)) return plain
  const [head = '', tail] = plain.split('%')[0]?.split('::') ?? []
  const groups = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? 0 : tail.split(':').length
  const zeros = tail === undefined ? 0 : 8 - groups.length - after
  return [...groups, ...Array<string>(zeros).fill('0'), ...(tail ?? '').split(':')]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16))
    .join(':')
}
