// Reads events from the program's instructions, and state from its accounts. Nothing is read from logs, which nodes truncate.
import { type Address, bytesEqual, type ReadonlyUint8Array } from '@solana/kit'
import type { OrderTerms } from './addresses.ts'
import { initiateCodec, redeemCodec, solOrderCodec, tagCodec, tags, tokenOrderCodec } from './codecs.ts'

/** The instruction ran in a transaction that succeeded, at the top level or called by another program. */
export interface ExecutedInstruction {
  readonly programAddress: Address
  readonly accounts: readonly Address[]
  readonly data: ReadonlyUint8Array
}

export type OrderEvent = { readonly order: Address } & (
  | {
      readonly kind: 'initiated'
      readonly terms: OrderTerms
      readonly initiateBefore: bigint
      /** This is the deposit if the money lay there. */
      readonly funder: Address
      readonly rentPayer: Address
    }
  | { readonly kind: 'redeemed'; readonly secret: ReadonlyUint8Array }
  | { readonly kind: 'refunded'; readonly byConsent: boolean }
  | { readonly kind: 'closed' }
)

/**
 * The result is null for an instruction of another program, for one that our program would refuse, and for a return of a deposit, which changes no
 * order.
 */
export function decodeInstruction(program: Address, { programAddress, accounts, data }: ExecutedInstruction): OrderEvent | null {
  const [order] = accounts
  if (programAddress !== program || order === undefined || data.length < tagCodec.fixedSize) return null
  const { tag } = tagCodec.decode(data)
  switch (tag) {
    case tags.initiateSol:
    case tags.initiateDepositedSol:
      return decodeInitiateSol(order, accounts, data)
    case tags.initiateToken:
    case tags.initiateDepositedToken:
      return decodeInitiateToken(order, accounts, data)
    case tags.redeemSol:
    case tags.redeemToken:
      return data.length === redeemCodec.fixedSize ? { kind: 'redeemed', order, secret: redeemCodec.decode(data).secret } : null
    case tags.refundSol:
    case tags.refundToken:
      return { kind: 'refunded', order, byConsent: false }
    case tags.instantRefundSol:
    case tags.instantRefundToken:
      return { kind: 'refunded', order, byConsent: true }
    case tags.close:
      return { kind: 'closed', order }
    default:
      return null
  }
}

function decodeInitiateSol(order: Address, accounts: readonly Address[], data: ReadonlyUint8Array): OrderEvent | null {
  const [, funder, rentPayer, initiator] = accounts
  if (funder === undefined || rentPayer === undefined || initiator === undefined || data.length !== initiateCodec.fixedSize) return null
  const { amount, timelock, redeemer, secretHash, initiateBefore } = initiateCodec.decode(data)
  const terms = { initiator, redeemer, secretHash, amount, timelock, mint: null }
  return { kind: 'initiated', order, terms, initiateBefore, funder, rentPayer }
}

function decodeInitiateToken(order: Address, accounts: readonly Address[], data: ReadonlyUint8Array): OrderEvent | null {
  const [, , funder, rentPayer, initiator, , mint] = accounts
  if (funder === undefined || rentPayer === undefined || initiator === undefined || mint === undefined) return null
  if (data.length !== initiateCodec.fixedSize) return null
  const { amount, timelock, redeemer, secretHash, initiateBefore } = initiateCodec.decode(data)
  return {
    kind: 'initiated',
    order,
    terms: { initiator, redeemer, secretHash, amount, timelock, mint },
    initiateBefore,
    funder,
    rentPayer,
  }
}

export type OrderAccount = Omit<OrderTerms, 'secretHash'> & {
  readonly initiatedSlot: bigint
  readonly initiateBefore: bigint
  readonly rentPayer: Address
  /** The vault is null for SOL. A vault does not exist once its order is settled. */
  readonly vault: Address | null
} & (
    | { readonly status: 'open'; readonly secretHash: ReadonlyUint8Array }
    | { readonly status: 'refunded'; readonly secretHash: ReadonlyUint8Array; readonly settledSlot: bigint }
    | { readonly status: 'redeemed'; readonly secret: ReadonlyUint8Array; readonly settledSlot: bigint }
  )

const openStatus = 1
const redeemedStatus = 2
const noBytes = new Uint8Array(8)

/** The result is null for zeros: anyone can create such an account, and only the program writes into it. */
export function decodeOrderAccount(data: ReadonlyUint8Array): OrderAccount | null {
  if (data.length < noBytes.length || bytesEqual(Uint8Array.from(data.slice(0, noBytes.length)), noBytes)) return null
  const { mint, vault, ...order } =
    data.length === solOrderCodec.fixedSize ? { ...solOrderCodec.decode(data), mint: null, vault: null } : tokenOrderCodec.decode(data)
  const { status, settledSlot, secretOrHash, amount, timelock, initiator, redeemer, initiatedSlot, initiateBefore, rentPayer } = order
  const shared = { initiator, redeemer, amount, timelock, mint, initiatedSlot, initiateBefore, rentPayer, vault }
  if (status === openStatus) return { ...shared, status: 'open', secretHash: secretOrHash }
  if (status === redeemedStatus) return { ...shared, status: 'redeemed', secret: secretOrHash, settledSlot }
  return { ...shared, status: 'refunded', secretHash: secretOrHash, settledSlot }
}
