// Builds the message that a redeemer signs for an instant refund, and the instruction that shows its signature to the program.
import { type Address, getAddressEncoder, getI64Codec, getU64Codec, type Instruction, type ReadonlyUint8Array } from '@solana/kit'
import { ed25519Program } from './programs.ts'

/** An order has these from its initiation on. A settled one may be initiated again, later, and then has others. */
export interface Initiation {
  readonly initiatedSlot: bigint
  readonly initiateBefore: bigint
}

const tag = new Uint8Array(32)
tag.set([0xff, ...new TextEncoder().encode('tandem htlc: instant refund')])

const addressBytes = getAddressEncoder()
const u64 = getU64Codec()
const i64 = getI64Codec()

/** The address of the order binds the program and every term. The slot of the initiation is one of this cluster. */
export function consentMessage(order: Address, { initiatedSlot, initiateBefore }: Initiation): Uint8Array {
  return Uint8Array.from([...tag, ...addressBytes.encode(order), ...u64.encode(initiatedSlot), ...i64.encode(initiateBefore)])
}

const headSize = 16
const keySize = 32
const signatureSize = 64
/** The Ed25519 program reads this number as: this instruction itself. */
const thisInstruction = 0xffff

const [keyAt, signatureAt, messageAt] = [headSize, headSize + keySize, headSize + keySize + signatureSize]

/** It stands right before the instant refund. The transaction fails unless the signature is right. */
export function consentInstruction(redeemer: Address, signature: ReadonlyUint8Array, message: ReadonlyUint8Array): Instruction {
  const head = new DataView(new ArrayBuffer(headSize))
  head.setUint8(0, 1)
  const places = [signatureAt, thisInstruction, keyAt, thisInstruction, messageAt, message.length, thisInstruction]
  for (const [index, place] of places.entries()) head.setUint16(2 + 2 * index, place, true)
  const data = Uint8Array.from([...new Uint8Array(head.buffer), ...addressBytes.encode(redeemer), ...signature, ...message])
  return { programAddress: ed25519Program, accounts: [], data }
}

/** What the order and its redeemer do not give. The result is null for data of another length; only `consentInstruction` can tell whether the rest is right. */
export function readConsent(data: ReadonlyUint8Array): { readonly signature: ReadonlyUint8Array; readonly initiation: Initiation } | null {
  const initiationAt = messageAt + tag.length + keySize
  if (data.length !== initiationAt + u64.fixedSize + i64.fixedSize) return null
  const initiation = { initiatedSlot: u64.decode(data, initiationAt), initiateBefore: i64.decode(data, initiationAt + u64.fixedSize) }
  return { signature: data.slice(signatureAt, messageAt), initiation }
}
