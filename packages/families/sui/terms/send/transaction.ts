/** Builds, records and parses transactions. An attempt keeps every version of an object that it spends as a slot. */

import { bcs } from '@mysten/sui/bcs'
import { Inputs, type Transaction, TransactionDataBuilder } from '@mysten/sui/transactions'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import type { Attempt } from '@tandem/chain-kit/port/outbox.ts'
import type { ObjectRef, SignedTransaction } from '../../server/nodes/node.ts'
import type { Address } from '../address.ts'

export type Frame = {
  readonly sender: Address
  readonly price: bigint
  readonly budget: bigint
  readonly lastEpoch: bigint
  readonly payment: readonly ObjectRef[]
}

export type SignedCall = SignedTransaction & {
  readonly tx: string
  /** The call is never signed again, so nothing needs its parts. */
  readonly call: object
  readonly spends: readonly Pick<ObjectRef, 'id' | 'version'>[]
  readonly lastEpoch: bigint
  /** From this time of the chain's clock on, the transaction can only fail. Null means that it never expires. */
  readonly deadlineMs: bigint | null
  readonly at: bigint
}

/** The result is BCS of the transaction's data. `tx` has its commands. No request is sent: everything that is needed is given. */
export async function buildTransaction(tx: Transaction, frame: Frame): Promise<Uint8Array> {
  setFrame(tx, frame)
  return tx.build()
}

/** The same bytes at once, for what must not wait. `tx` names all its objects with their versions. */
export function bytesOf(tx: Transaction, frame: Frame): Uint8Array {
  setFrame(tx, frame)
  return TransactionDataBuilder.restore(tx.getData()).build()
}

function setFrame(tx: Transaction, frame: Frame): void {
  tx.setSender(frame.sender)
  tx.setGasPrice(frame.price)
  tx.setGasBudget(frame.budget)
  tx.setGasPayment(frame.payment.map(refOf))
  tx.setExpiration({ Epoch: frame.lastEpoch.toString() })
}

export function ownedInput(tx: Transaction, coin: ObjectRef) {
  return tx.object(Inputs.ObjectRef(refOf(coin)))
}

function refOf({ id, version, digest }: ObjectRef) {
  return { objectId: id, version: version.toString(), digest }
}

export function digestOf(bytes: Uint8Array): string {
  return TransactionDataBuilder.getDigestFromBytes(bytes)
}

const Recorded = bcs.struct('Recorded', { bytes: bcs.byteVector(), signature: bcs.byteVector() })

type Reserved = Pick<SignedCall, 'spends' | 'lastEpoch' | 'deadlineMs'> & { readonly price: bigint }

export function attemptOf(transaction: SignedTransaction, { spends, lastEpoch, deadlineMs, price }: Reserved): Omit<Attempt, 'at'> {
  return {
    tx: digestOf(transaction.bytes),
    raw: bytesToHex(Recorded.serialize(transaction).toBytes()),
    slots: [
      ...spends.map(({ id, version }) => slotOf(id, version)),
      `expires:${lastEpoch}`,
      ...(deadlineMs === null ? [] : [`before:${deadlineMs}`]),
    ],
    // The nonce is the highest version that is spent: a search for transactions that spend a version begins at that number.
    nonce: spends.reduce((highest, { version }) => (version > highest ? version : highest), 0n),
    feeRate: price,
  }
}

export function slotOf(id: Address, version: bigint): string {
  return `${id}:${version}`
}

/** The epoch is read from the slots, without parsing the transaction: attempts of other actions are searched by it. */
export function lastEpochOf({ tx, slots }: Pick<Attempt, 'tx' | 'slots'>): bigint {
  const epoch = numberIn(slots, 'expires')
  if (epoch === null) throw new Error(`recorded transaction ${tx} has no last epoch among its slots`)
  return epoch
}

export function readAttempt(attempt: Attempt): SignedCall {
  const { tx, raw, slots, at } = attempt
  const { bytes, signature } = Recorded.parse(hexToBytes(raw))
  const spends = slots.flatMap((slot) => {
    const [, id, version] = /^(0x[0-9a-f]{64}):([0-9]+)$/.exec(slot) ?? []
    return id === undefined || version === undefined ? [] : [{ id: id as Address, version: BigInt(version) }]
  })
  return { tx, bytes, signature, call: { bytes }, spends, lastEpoch: lastEpochOf(attempt), deadlineMs: numberIn(slots, 'before'), at }
}

function numberIn(slots: readonly string[], name: string): bigint | null {
  const [found] = slots.flatMap((slot) => (slot.startsWith(`${name}:`) ? [BigInt(slot.slice(name.length + 1))] : []))
  return found ?? null
}
