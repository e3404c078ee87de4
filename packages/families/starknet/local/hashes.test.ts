/** Tests signatures against starknet.js. */
import { ec } from 'starknet'
import { expect, test } from 'vitest'
import { isSignedBy } from './hashes.ts'

const { starkCurve } = ec
const hash = 0x5a5a5a5a5a5a5a5an

/** starknet.js decides for either of the points with this coordinate. */
function isSignedForSdk(publicKey: bigint, message: bigint, r: bigint, s: bigint): boolean {
  const text = (value: bigint) => value.toString(16).padStart(64, '0')
  return ['02', '03'].some((parity) => {
    try {
      return starkCurve.verify(new starkCurve.Signature(r, s), text(message), parity + text(publicKey))
    } catch {
      return false
    }
  })
}

test('signatures are valid exactly if they are for starknet.js, whichever of its two points a key is', () => {
  const parities = new Set<number | undefined>()
  for (let key = 1n; key <= 6n; key += 1n) {
    const privateKey = (key * 0x123456789abcdefn).toString(16).padStart(64, '0')
    const publicKey = starkCurve.getPublicKey(privateKey, true)
    parities.add(publicKey[0])
    const x = BigInt(`0x${Buffer.from(publicKey.subarray(1)).toString('hex')}`)
    const { r, s } = starkCurve.sign(hash.toString(16), privateKey)
    expect(isSignedBy(x, hash, [r, s])).toBe(true)
    for (const [message, one, two] of [
      [hash, r, s],
      [hash + 1n, r, s],
      [hash, r, s + 1n],
    ] as const)
      expect(isSignedBy(x, message, [one, two])).toBe(isSignedForSdk(x, message, one, two))
    expect(isSignedBy(x + 1n, hash, [r, s])).toBe(false)
  }
  expect(parities.size).toBe(2)
})

test('numbers that are zero or too large are refused', () => {
  const x = BigInt(starkCurve.getStarkKey('0x123'))
  const { r, s } = starkCurve.sign('1', '0x123'.slice(2).padStart(64, '0'))
  const { n } = starkCurve.CURVE
  expect(isSignedBy(x, 1n, [r, s])).toBe(true)
  for (const [message, one, two] of [
    [1n + n, r, s],
    [1n, r + n, s],
    [1n, r, s + n],
    [1n, 0n, s],
    [1n, r, 0n],
  ] as const)
    expect(isSignedBy(x, message, [one, two])).toBe(false)
})
