// Starknet's hashes and signatures. They take milliseconds in JavaScript, so answers are remembered.
import { ec, hash } from 'starknet'
import { type Felts, hex, hexes } from './felt.ts'

const MAX_REMEMBERED = 2_000

/** Keeps the answers to the newest questions. */
export function remember<Value>(): (question: string, answer: () => Value) => Value {
  const answers = new Map<string, Value>()
  return (question, answer) => {
    const known = answers.get(question)
    if (known !== undefined) return known
    const value = answer()
    answers.set(question, value)
    if (answers.size > MAX_REMEMBERED) answers.delete(answers.keys().next().value ?? question)
    return value
  }
}

const knownAddresses = remember<bigint>()
const knownSignatures = remember<boolean>()

export function pedersen(left: bigint, right: bigint): bigint {
  return BigInt(ec.starkCurve.pedersen(left, right))
}

/** Where a contract is deployed. `deployer` zero: by a transaction, or by anybody through the UDC. */
export function addressFrom(classHash: bigint, salt: bigint, calldata: Felts, deployer = 0n): bigint {
  return knownAddresses([classHash, salt, deployer, ...calldata].join(), () =>
    BigInt(hash.calculateContractAddressFromHash(hex(salt), hex(classHash), [...hexes(calldata)], hex(deployer))),
  )
}

/** Whether the key with this x-coordinate signed the hash. As in Cairo, both points with that coordinate are tried. */
export function isSignedBy(publicKey: bigint, messageHash: bigint, [r, s]: readonly [bigint, bigint]): boolean {
  return knownSignatures([publicKey, messageHash, r, s].join(), () => {
    const x = publicKey.toString(16).padStart(64, '0')
    const message = messageHash.toString(16).padStart(64, '0')
    return ['02', '03'].some((parity) => isValid(r, s, message, parity + x))
  })
}

function isValid(r: bigint, s: bigint, message: string, point: string): boolean {
  try {
    return ec.starkCurve.verify(new ec.starkCurve.Signature(r, s), message, point)
  } catch {
    // Numbers out of range, or no point of the curve: nobody signed so.
    return false
  }
}
