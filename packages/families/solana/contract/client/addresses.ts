// Derives the addresses of the program from an order's terms. It is pure and synchronous, because swap ids need it.
import { ed25519 } from '@noble/curves/ed25519.js'
import { sha256 } from '@noble/hashes/sha2.js'
import {
  type Address,
  getAddressDecoder,
  getAddressEncoder,
  getI64Encoder,
  getStructEncoder,
  getU64Encoder,
  type ReadonlyUint8Array,
} from '@solana/kit'
import { associatedTokenProgram, tokenProgram } from './programs.ts'

export interface OrderTerms {
  readonly initiator: Address
  readonly redeemer: Address
  /** The hash is the SHA-256 of the 32-byte secret. */
  readonly secretHash: ReadonlyUint8Array
  readonly amount: bigint
  /** The unit is the slot, counted from the initiation. */
  readonly timelock: bigint
  /** Null means SOL. */
  readonly mint: Address | null
}

export interface DerivedAddress {
  readonly address: Address
  /** With this byte, the derivation gives an address that no key can sign for. */
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

/** The program accepts no other address: it runs the same search. */
export function orderAddress(program: Address, { initiator, redeemer, secretHash, amount, timelock, mint }: OrderTerms): DerivedAddress {
  return derive(`order ${program} ${initiator} ${redeemer} ${secretHash.join()} ${amount} ${timelock} ${mint}`, program, () => {
    const parties = [addressBytes.encode(initiator), addressBytes.encode(redeemer), secretHash]
    const terms = [...parties, amountAndTimelock.encode({ amount, timelock })]
    return mint === null ? [text.encode('htlc'), ...terms] : [text.encode('htlc_token'), ...terms, addressBytes.encode(mint)]
  })
}

/** The vault is at the System program's address of base, seed and owner. */
export function vaultAddress(order: Address): Address {
  const parts = [addressBytes.encode(order), text.encode('thevault'), addressBytes.encode(tokenProgram)]
  return addressOf.decode(sha256(Uint8Array.from(parts.flatMap((part) => [...part]))))
}

/**
 * Whoever pays a plain transfer to this address before the deadline (unix seconds) funds the order. The order's address stands for all of its terms.
 * Lamports lie here, tokens in the associated token account of this address.
 */
export function depositAddress(program: Address, terms: OrderTerms, deadline: bigint): DerivedAddress {
  const order = orderAddress(program, terms).address
  return derive(`deposit ${program} ${order} ${deadline}`, program, () => [
    text.encode('deposit'),
    addressBytes.encode(order),
    getI64Encoder().encode(deadline),
  ])
}

/** Wallets look for the tokens of an owner there. `ofMint` is the program that the mint belongs to. */
export function associatedTokenAddress(owner: Address, mint: Address, ofMint: Address): Address {
  const seeds = () => [owner, ofMint, mint].map((part) => addressBytes.encode(part))
  return derive(`tokens ${owner} ${mint} ${ofMint}`, associatedTokenProgram, seeds).address
}

/** A derivation takes half a millisecond, and a few addresses are needed again and again while an order is open. */
const recentlyDerived = new Map<string, DerivedAddress>()
const maxRecentlyDerived = 1_000

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
