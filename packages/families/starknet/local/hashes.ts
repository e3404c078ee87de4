// Computes Starknet's hashes and signatures. They take milliseconds in JavaScript, so results are cached.
import { ec, hash } from 'starknet'
import { type Felts, hex, hexes } from './felt.ts'

const MAX_REMEMBERED = 2_000

function remember<Value>(most = MAX_REMEMBERED): (question: string, answer: () => Value) => Value {
  const answers = new Map<string, Value>()
  return (question, answer) => {
    const known = answers.get(question)
    if (known !== undefined) return known
    const value = answer()
    answers.set(question, value)
    if (answers.size > most) answers.delete(answers.keys().next().value ?? question)
    return value
  }
}

const knownPoseidons = remember<bigint>()
const knownAddresses = remember<bigint>()
const knownSignatures = remember<boolean>()

const { ProjectivePoint: Point, MAX_VALUE } = ec.starkCurve
type CurvePoint = typeof Point.BASE
const order = ec.starkCurve.CURVE.n
/** A table for each key makes its multiples several times as fast. It takes some 100 kB. */
const knownKeys = remember<CurvePoint | null>(100)
const TABLE_BITS = 4

export function pedersen(left: bigint, right: bigint): bigint {
  return BigInt(ec.starkCurve.pedersen(left, right))
}

/** The result is that of Cairo's `poseidon_hash_span`. */
export function poseidon(felts: Felts): bigint {
  return knownPoseidons(felts.join(), () => BigInt(hash.computePoseidonHashOnElements([...felts])))
}

/** `deployer` is zero for a transaction, or for anybody through the UDC. */
export function addressFrom(classHash: bigint, salt: bigint, calldata: Felts, deployer = 0n): bigint {
  return knownAddresses([classHash, salt, deployer, ...calldata].join(), () =>
    BigInt(hash.calculateContractAddressFromHash(hex(salt), hex(classHash), [...hexes(calldata)], hex(deployer))),
  )
}

export function isSignedBy(publicKey: bigint, messageHash: bigint, [r, s]: readonly [bigint, bigint]): boolean {
  return knownSignatures([publicKey, messageHash, r, s].join(), () => {
    if (r <= 0n || s <= 0n || s >= order) return false
    const inverse = invert(s, order)
    // Accounts verify no larger numbers.
    if ([messageHash, r, inverse].some((value) => value >= MAX_VALUE)) return false
    const key = knownKeys(hex(publicKey), () => pointAt(publicKey))
    if (key === null) return false
    const ofHash = multiple(Point.BASE, messageHash * inverse)
    const ofKey = multiple(key, r * inverse)
    // Cairo accepts both points with that coordinate: the key and its negative.
    return [ofHash.add(ofKey), ofHash.subtract(ofKey)].some((sum) => !sum.equals(Point.ZERO) && sum.toAffine().x % order === r)
  })
}

function pointAt(x: bigint): CurvePoint | null {
  try {
    const point = Point.fromHex(`02${x.toString(16).padStart(64, '0')}`)
    point._setWindowSize(TABLE_BITS)
    return point
  } catch {
    return null
  }
}

function multiple(point: CurvePoint, factor: bigint): CurvePoint {
  const reduced = factor % order
  return reduced === 0n ? Point.ZERO : point.multiply(reduced)
}

/** The order is prime, so Fermat's little theorem gives the inverse. */
function invert(value: bigint, prime: bigint): bigint {
  let [result, base, exponent] = [1n, value % prime, prime - 2n]
  for (; exponent > 0n; exponent >>= 1n) {
    if ((exponent & 1n) === 1n) result = (result * base) % prime
    base = (base * base) % prime
  }
  return result
}
