// Computes the id that follows from the terms of an order, and the message that a redeemer signs for an instant refund.
import { bcs } from '@mysten/sui/bcs'
import { messageWithIntent } from '@mysten/sui/cryptography'
import { blake2b } from '@noble/hashes/blake2.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'

/** Addresses are 0x and 64 hex digits. */
export interface OrderTerms {
  readonly initiator: string
  readonly redeemer: string
  /** The timelock is in milliseconds from the initiation, by the clock of the chain. */
  readonly timelock: bigint
  readonly amount: bigint
  /** The hash is the SHA-256 of the 32-byte secret, as 64 hex digits. */
  readonly secretHash: string
}

/** The module's maximum timelock is 30 days, in milliseconds. */
export const maxTimelock = 2_592_000_000n

/** `state` answers with these for an order that is not open. Every other number is the time of the initiation in milliseconds. */
export const orderMarks = { neverInitiated: 0n, redeemed: 1n, refunded: 2n } as const

const orderTag = utf8ToBytes('tandem htlc: order')
const refundTag = utf8ToBytes('tandem htlc: instant refund')

/** The id depends only on the terms and the registry: both parties know it before anything is on the chain. */
export function orderId(registry: string, { initiator, redeemer, timelock, amount, secretHash }: OrderTerms): string {
  const parts = [orderTag, ...[registry, initiator, redeemer].map(addressBytes), bytes32(secretHash), u64Bytes(amount), u64Bytes(timelock)]
  return bytesToHex(sha256(concatBytes(...parts)))
}

/** This personal message, signed by the redeemer's ed25519 key (`signPersonalMessage`), lets anyone refund the order at once. */
export function instantRefundMessage(registry: string, order: string): Uint8Array {
  return concatBytes(refundTag, addressBytes(registry), bytes32(order))
}

export function instantRefundDigest(registry: string, order: string): Uint8Array {
  const message = bcs.byteVector().serialize(instantRefundMessage(registry, order)).toBytes()
  return blake2b(messageWithIntent('PersonalMessage', message), { dkLen: 32 })
}

export function bytes32(hex: string): Uint8Array {
  if (!/^[0-9a-fA-F]{64}$/.test(hex)) throw new RangeError('a secret, a hash or an order id is 64 hex digits')
  return hexToBytes(hex)
}

function addressBytes(address: string): Uint8Array {
  if (!/^0x[0-9a-fA-F]{64}$/.test(address)) throw new RangeError(`"${address}" is not an address of Sui: 0x and 64 hex digits`)
  return hexToBytes(address.slice(2))
}

function u64Bytes(value: bigint): Uint8Array {
  if (value < 0n || value >= 2n ** 64n) throw new RangeError(`${value} does not fit into 64 bits`)
  return bcs.U64.serialize(value).toBytes()
}
