/** Signs transactions, and reads them back from the record. */
import { memoize } from '@tandem/chain-kit/contract/memoize.ts'
import type { Attempt } from '@tandem/chain-kit/port/outbox.ts'
import { ed25519PublicKey, isEd25519Signature } from '@tandem/keys/ed25519-native.ts'
import { onCurve, type PublicKey, type Signer } from '@tandem/keys/key.ts'
import { decode, encode, encodeForSigning, hashes } from 'xrpl'
import { accountOf, publicKeyHex } from '../../terms/address.ts'
import { type Escrow, type EscrowId, escrowKey, fulfillmentOf, toRippleTime } from '../../terms/htlc.ts'
import type { Fees } from '../fees.ts'
import { xrplSigning } from '../signing.ts'

type PaymentCall = {
  readonly TransactionType: 'Payment'
  readonly Destination: string
  readonly DestinationTag?: number
  readonly Amount: string
}

/** A call has no envelope. Its field names are the chain's. */
export type Call =
  | {
      readonly TransactionType: 'EscrowCreate'
      readonly Destination: string
      readonly DestinationTag?: number
      readonly Amount: string
      readonly Condition: string
      readonly CancelAfter: number
    }
  | {
      readonly TransactionType: 'EscrowFinish'
      readonly Owner: string
      readonly OfferSequence: number
      readonly Condition: string
      readonly Fulfillment: string
    }
  | { readonly TransactionType: 'EscrowCancel'; readonly Owner: string; readonly OfferSequence: number }
  | { readonly TransactionType: 'AccountSet' }
  | PaymentCall

export const noop: Call = { TransactionType: 'AccountSet' }

export function createCall({ destination, tag, amount, condition, cancelAfter }: Escrow): Call {
  return {
    TransactionType: 'EscrowCreate',
    Destination: destination,
    ...(tag !== null && { DestinationTag: tag }),
    Amount: amount.toString(),
    Condition: condition,
    CancelAfter: toRippleTime(cancelAfter),
  }
}

export function paymentCall(destination: string, tag: number | null, amount: bigint): Call {
  return { TransactionType: 'Payment', Destination: destination, ...(tag !== null && { DestinationTag: tag }), Amount: amount.toString() }
}

export function finishCall({ owner, sequence }: EscrowId, condition: string, secret: string): Call {
  return {
    TransactionType: 'EscrowFinish',
    Owner: owner,
    OfferSequence: Number(sequence),
    Condition: condition,
    Fulfillment: fulfillmentOf(secret),
  }
}

export function cancelCall({ owner, sequence }: EscrowId): Call {
  return { TransactionType: 'EscrowCancel', Owner: owner, OfferSequence: Number(sequence) }
}

/** Two escrows of one swap are the same call, whenever they end: an action must never have both in its queue. */
export function isSameCall(a: Call, b: Call): boolean {
  if (a.TransactionType === 'EscrowCreate' && b.TransactionType === 'EscrowCreate') return createKey(a) === createKey(b)
  const keyOf = (call: Call) => JSON.stringify(Object.entries(call).sort(([one], [other]) => (one < other ? -1 : 1)))
  return keyOf(a) === keyOf(b)
}

function createKey({ Destination, DestinationTag, Amount, Condition }: Extract<Call, { TransactionType: 'EscrowCreate' }>): string {
  return escrowKey({ owner: '', destination: Destination, tag: DestinationTag ?? null, amount: BigInt(Amount), condition: Condition })
}

/**
 * A finish with a fulfillment costs 33 plain transactions, and one more for each 16 bytes of it ("Transaction Cost" at xrpl.org): 36 bytes
 * with a secret. The number is rounded up, where nodes round down.
 */
export const FINISH_UNITS = 36n

/** The cost is a multiple of the fee of a plain transaction. */
export function unitsOf(call: Call): bigint {
  return call.TransactionType === 'EscrowFinish' ? FINISH_UNITS : 1n
}

export type Signed = {
  readonly tx: string
  readonly at: bigint
  readonly call: Call
  readonly nonce: bigint
  readonly fees: Fees
  readonly blob: string
}

export type Envelope = {
  readonly sequence: bigint
  readonly fees: Fees
  readonly network: { readonly NetworkID?: number }
}

export async function signCall(signer: Signer, envelope: Envelope, call: Call): Promise<Omit<Attempt, 'at'>> {
  const unsigned = unsignedOf(signer, envelope, call)
  const signature = await xrplSigning.sign('transaction', signer, unsigned)
  const raw = encode({ ...unsigned, TxnSignature: Buffer.from(signature).toString('hex').toUpperCase() })
  const { sequence, fees } = envelope
  return { tx: hashes.hashSignedTx(raw), raw, slots: [`${unsigned.Account}:${sequence}`], nonce: sequence, feeRate: fees.perUnit }
}

/** A transaction of ours has these fields and no other. */
export function unsignedOf(key: PublicKey, { sequence, fees, network }: Envelope, call: Call) {
  return {
    ...call,
    ...network,
    Account: accountOf(key),
    Sequence: Number(sequence),
    Fee: (fees.perUnit * unitsOf(call)).toString(),
    LastLedgerSequence: Number(fees.lastLedger),
    SigningPubKey: publicKeyHex(key),
  }
}

export function readAttempt({ tx, raw, at }: Attempt): Signed {
  return { tx, at, ...parseRaw(raw) }
}

/** See `networkField` for `network`. */
export function isSignedBy({ tx, blob }: Signed, key: PublicKey, { network }: Pick<Envelope, 'network'>): boolean {
  const { TxnSignature, ...unsigned } = decode(blob)
  const isOfUs = unsigned.Account === accountOf(key) && unsigned.SigningPubKey === publicKeyHex(key)
  if (!isOfUs || unsigned.NetworkID !== network.NetworkID || hashes.hashSignedTx(blob) !== tx) return false
  const message = Buffer.from(encodeForSigning(unsigned as Parameters<typeof encodeForSigning>[0]), 'hex')
  return isEd25519Signature(ed25519PublicKey(onCurve('ed25519', key).publicKey), message, Buffer.from(`${TxnSignature}`, 'hex'))
}

/** The texts are our own records: see `signCall`. Every action reads all unmined transactions of its signer, several times. */
const parseRaw = memoize(500, (raw): Omit<Signed, 'tx' | 'at'> => {
  const { Account, Sequence, Fee, LastLedgerSequence, SigningPubKey, TxnSignature, NetworkID, Flags, ...rest } = decode(raw)
  const call = rest as unknown as Call
  return {
    call,
    nonce: BigInt(Sequence as number),
    fees: { perUnit: BigInt(Fee as string) / unitsOf(call), lastLedger: BigInt(LastLedgerSequence as number) },
    blob: raw,
  }
})
