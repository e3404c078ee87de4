// Computes with elements of Starknet's field, and hashes them, without the SDK, which takes half a second to load.
import { sha256 } from '@noble/hashes/sha2.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/** The form is that of nodes: 0x and lower-case hex digits, without leading zeros. */
export type Felt = `0x${string}`

export const fieldPrime = 2n ** 251n + 17n * 2n ** 192n + 1n

export function felt(value: bigint): Felt {
  if (value < 0n || value >= fieldPrime) throw new RangeError(`${value} is not an element of Starknet's field`)
  return `0x${value.toString(16)}`
}

/** Every element has one such text, so equal elements are equal texts. */
export function isFelt(value: unknown): value is Felt {
  return typeof value === 'string' && /^0x(0|[1-9a-f][0-9a-f]{0,62})$/.test(value) && BigInt(value) < fieldPrime
}

/** A felt holds up to 31 ASCII characters, e.g. the id of a chain. */
export function shortString(text: string): Felt {
  if (!/^[\x20-\x7e]{1,31}$/.test(text)) throw new RangeError(`"${text}" is not a short string: 1 to 31 printable ASCII characters`)
  return felt(BigInt(`0x${bytesToHex(utf8ToBytes(text))}`))
}

const selectorMask = 2n ** 250n - 1n

/** Keccak loses its first six bits, so that the result is an element of the field. */
export function starknetKeccak(bytes: Uint8Array): Felt {
  return felt(BigInt(`0x${bytesToHex(keccak_256(bytes))}`) & selectorMask)
}

/** Functions, events and SNIP-12 types are hashed in this way. */
export function selectorOf(name: string): Felt {
  return starknetKeccak(utf8ToBytes(name))
}

const width = 3
const fullRounds = 8
const partialRounds = 83
const roundConstants = Array.from({ length: (fullRounds + partialRounds) * width }, (_, index) => {
  return BigInt(`0x${bytesToHex(sha256(utf8ToBytes(`Hades${index}`)))}`) % fieldPrime
})

const cube = (value: bigint): bigint => (((value * value) % fieldPrime) * value) % fieldPrime

/** The permutation is Hades: full rounds at both ends cube all three elements, partial rounds in between only the last one. */
function permute(a: bigint, b: bigint, c: bigint): [bigint, bigint, bigint] {
  let state: [bigint, bigint, bigint] = [a, b, c]
  for (let round = 0; round < fullRounds + partialRounds; round += 1) {
    const [k0 = 0n, k1 = 0n, k2 = 0n] = roundConstants.slice(round * width, (round + 1) * width)
    const isFull = round < fullRounds / 2 || round >= fullRounds / 2 + partialRounds
    const x = isFull ? cube(state[0] + k0) : state[0] + k0
    const y = isFull ? cube(state[1] + k1) : state[1] + k1
    const z = cube(state[2] + k2)
    const sum = x + y + z
    // The matrix is [3 1 1, 1 -1 1, 1 1 -2].
    state = [modulo(sum + 2n * x), modulo(sum - 2n * y), modulo(sum - 3n * z)]
  }
  return state
}

function modulo(value: bigint): bigint {
  const rest = value % fieldPrime
  return rest < 0n ? rest + fieldPrime : rest
}

/** The result is that of Cairo's `poseidon_hash_span`. */
export function poseidon(elements: readonly Felt[]): Felt {
  const padded = [...elements.map(BigInt), 1n]
  if (padded.length % 2 === 1) padded.push(0n)
  let state: [bigint, bigint, bigint] = [0n, 0n, 0n]
  for (let index = 0; index < padded.length; index += 2) {
    const [first = 0n, second = 0n] = padded.slice(index, index + 2)
    state = permute(state[0] + first, state[1] + second, state[2])
  }
  return felt(state[0])
}
