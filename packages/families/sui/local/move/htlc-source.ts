// Repeats the names, abort codes, events and hashes of packages/families/sui/contract/sources/htlc.move. The simulator judges the client in
// packages/families/sui/contract/client, so it uses nothing of it: an error on both sides would go unnoticed.
import { bcs } from '@mysten/sui/bcs'
import { blake2b } from '@noble/hashes/blake2.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'

export const HTLC = 'htlc'
/** The timelock is 30 days in milliseconds. */
export const MAX_TIMELOCK = 30n * 24n * 60n * 60n * 1_000n
/** `state` answers with these for an order that is not open. */
export const [NEVER_INITIATED, REDEEMED, REFUNDED] = [0n, 1n, 2n]

/** The order is that of their codes, which begin with 1. */
const aborts = [
  'ZeroInitiator',
  'ZeroRedeemer',
  'SameParties',
  'PartyIsRegistry',
  'InvalidTimelock',
  'ZeroAmount',
  'InvalidSecretHash',
  'WrongCoinValue',
  'DuplicateOrder',
  'OrderNotInitiated',
  'OrderSettled',
  'OrderNotExpired',
  'WrongSecret',
  'NotRedeemer',
  'InvalidSignature',
  'TooLate',
] as const

export type Abort = (typeof aborts)[number]

export const abortCode = (abort: Abort): number => aborts.indexOf(abort) + 1

const [address, bytes, u64] = [bcs.Address, bcs.byteVector(), bcs.u64()]
const [order, parties] = [
  { registry: address, order_id: bytes },
  { initiator: address, redeemer: address, secret_hash: bytes },
]

export const events = {
  RegistryCreated: bcs.struct('RegistryCreated', { registry: address }),
  Initiated: bcs.struct('Initiated', { ...order, ...parties, amount: u64, timelock: u64, initiated_at: u64 }),
  Redeemed: bcs.struct('Redeemed', { ...order, secret: bytes }),
  Refunded: bcs.struct('Refunded', order),
}

export interface Terms {
  readonly initiator: string
  readonly redeemer: string
  readonly secretHash: Uint8Array
  readonly amount: bigint
  /** The timelock is in milliseconds. */
  readonly timelock: bigint
}

export function orderId(registry: string, { initiator, redeemer, secretHash, amount, timelock }: Terms): Uint8Array {
  const addresses = [registry, initiator, redeemer].map((one) => address.serialize(one).toBytes())
  const numbers = [amount, timelock].map((one) => u64.serialize(one).toBytes())
  return sha256(concatBytes(utf8ToBytes('tandem htlc: order'), ...addresses, secretHash, ...numbers))
}

/** The redeemer signs a personal message with this digest for an instant refund. */
export function refundDigest(registry: string, id: Uint8Array): Uint8Array {
  const message = concatBytes(utf8ToBytes('tandem htlc: instant refund'), address.serialize(registry).toBytes(), id)
  const intent = Uint8Array.of(3, 0, 0)
  return blake2b(concatBytes(intent, bytes.serialize(message).toBytes()), { dkLen: 32 })
}
