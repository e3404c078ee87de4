// Addresses that the program derives from an order's terms. Pure and synchronous: swap ids are computed from them.
import { ed25519 } from '@noble/curves/ed25519.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { type Address, getAddressDecoder, getAddressEncoder, getStructEncoder, getU64Encoder, type ReadonlyUint8Array } from '@solana/kit'
import { tokenProgram } from './programs.ts'

/** What both parties agree on. */
export interface OrderTerms {
  /** Gets the money back when the order is refunded. */
  readonly initiator: Address
  readonly redeemer: Address
  /** SHA-256 of the 32-byte secret. */
  readonly secretHash: ReadonlyUint8Array
  readonly amount: bigint
  /** Slots from the initiation until a refund is possible. */
  readonly timelock: bigint
  /** Null: SOL. */
  readonly mint: Address | null
}

export interface DerivedAddress {
  readonly address: Address
  /** The byte with which the derivation gives an address that no key can sign for. */
  readonly bump: number
}

const addressBytes = getAddressEncoder()
const addressOf = getAddressDecoder()
const amountAndTimelock = getStructEncoder([
  ['amount', getU64Encoder()],
  ['timelock', getU64Encoder()],
])
const text = new TextEncoder()
const marker = text.encode('ProgramDerivedAddress')

/** The account of the order. The program accepts no other: it searches for the same one. */
export function orderAddress(program: Address, { initiator, redeemer, secretHash, amount, timelock, mint }: OrderTerms): DerivedAddress {
  return derive(`order ${program} ${initiator} ${redeemer} ${secretHash.join()} ${amount} ${timelock} ${mint}`, program, () => {
    const parties = [addressBytes.encode(initiator), addressBytes.encode(redeemer), secretHash]
    const terms = [...parties, amountAndTimelock.encode({ amount, timelock })]
    return mint === null ? [text.encode('htlc'), ...terms] : [text.encode('htlc_token'), ...terms, addressBytes.encode(mint)]
  })
}

/** The token account that holds the amount of an order of tokens: the System program's address of base, seed and owner. */
export function vaultAddress(order: Address): Address {
  const parts = [addressBytes.encode(order), text.encode('thevault'), addressBytes.encode(tokenProgram)]
  return addressOf.decode(sha256(Uint8Array.from(parts.flatMap((part) => [...part]))))
}

/** Half a millisecond each, and the same few are asked for while an order is followed and settled. */
const recentlyDerived = new Map<string, DerivedAddress>()
const maxRecentlyDerived = 1_000

/** `key`: a text that is different for other seeds. */
function derive(key: string, program: Address, seeds: () => readonly ReadonlyUint8Array[]): DerivedAddress {
  const known = recentlyDerived.get(key)
  if (known !== undefined) return known
  const derived = findBump(program, seeds())
  if (recentlyDerived.size >= maxRecentlyDerived) recentlyDerived.clear()
  recentlyDerived.set(key, derived)
  return derived
}

function findBump(program: Address, seeds: readonly ReadonlyUint8Array[]): DerivedAddress {
  for (let bump = 255; bump >= 0; bump -= 1) {
    const hash = sha256.create()
    for (const part of [...seeds, Uint8Array.of(bump), addressBytes.encode(program), marker]) hash.update(Uint8Array.from(part))
    const digest = hash.digest()
    if (!isOnCurve(digest)) return { address: addressOf.decode(digest), bump }
  }
  throw new Error('every bump gives an address with a key')
}

function isOnCurve(bytes: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(bytes, true)
    return true
  } catch {
    return false
  }
}
