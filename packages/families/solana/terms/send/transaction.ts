/** Builds, records and parses transactions of version 0. There are no nonces: a transaction lives as long as its blockhash. */
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import {
  type Address,
  appendTransactionMessageInstructions,
  type Base64EncodedWireTransaction,
  type Blockhash,
  compileTransaction,
  createTransactionMessage,
  decompileTransactionMessage,
  getBase58Decoder,
  getBase64EncodedWireTransaction,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  getTransactionEncoder,
  getTransactionMessageComputeUnitLimit,
  getTransactionMessageComputeUnitPrice,
  type Instruction,
  pipe,
  type ReadonlyUint8Array,
  type SignatureBytes,
  setTransactionMessageComputeUnitLimit,
  setTransactionMessageComputeUnitPrice,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  type Transaction,
} from '@solana/kit'
import { memoize } from '@tandem/chain-kit/contract/memoize.ts'
import type { Attempt } from '@tandem/chain-kit/port/outbox.ts'
import { computeBudgetProgram, ed25519Program } from '../../contract/client/programs.ts'

export const LAMPORTS_PER_SIGNATURE = 5_000n
const MICRO_LAMPORTS = 1_000_000n

/** The compute budget sets the part of the fee beyond 5,000 lamports for each signature. */
export type ComputeBudget = {
  readonly unitLimit: number
  /** The price is in micro-lamports for each unit of the limit. */
  readonly unitPrice: bigint
}

export type MessageFrame = ComputeBudget & { readonly feePayer: Address; readonly blockhash: Blockhash }

/** The same arguments give the same bytes. */
export function buildTransaction(instructions: readonly Instruction[], frame: MessageFrame): Transaction {
  return compileTransaction(
    pipe(
      createTransactionMessage({ version: 0 }),
      (empty) => setTransactionMessageFeePayer(frame.feePayer, empty),
      // The real lifetime is in the attempt: see `expiresAfterOf`.
      (unlimited) => setTransactionMessageLifetimeUsingBlockhash({ blockhash: frame.blockhash, lastValidBlockHeight: 0n }, unlimited),
      (bare) => setTransactionMessageComputeUnitLimit(frame.unitLimit, bare),
      (limited) => setTransactionMessageComputeUnitPrice(frame.unitPrice, limited),
      (priced) => appendTransactionMessageInstructions(instructions, priced),
    ),
  )
}

export function wireOf(transaction: Transaction): Base64EncodedWireTransaction {
  return getBase64EncodedWireTransaction(transaction)
}

/** The fee is in lamports and includes the priority fee. A signature that an instruction has verified costs as much as one of the transaction. */
export function feeOf(
  { signatures }: Pick<Transaction, 'signatures'>,
  instructions: readonly Instruction[],
  { unitLimit, unitPrice }: ComputeBudget,
): bigint {
  // Each has one signature: see `consentInstruction`.
  const verified = instructions.filter(({ programAddress }) => programAddress === ed25519Program)
  return BigInt(Object.keys(signatures).length + verified.length) * LAMPORTS_PER_SIGNATURE + priorityFeeOf({ unitLimit, unitPrice })
}

/** The runtime rounds up too. */
export function priorityFeeOf({ unitLimit, unitPrice }: ComputeBudget): bigint {
  return (BigInt(unitLimit) * unitPrice + MICRO_LAMPORTS - 1n) / MICRO_LAMPORTS
}

export type SignedCall = {
  /** The transaction id is the first signature, in base58. */
  readonly tx: string
  readonly wire: Base64EncodedWireTransaction
  readonly call: SolanaCall
  readonly budget: ComputeBudget
  readonly feeLamports: bigint
  /** This is the last block height at which the transaction can be mined. */
  readonly expiresAfter: bigint
  /** The time is in unix seconds. */
  readonly at: bigint
}

export type SolanaCall = {
  readonly instructions: readonly Instruction[]
  /** If present, the user has signed the whole transaction, and only the fee payer's signature is missing. */
  readonly userSigned?: Transaction
}

/** `expiresAfter` is a block height. The transaction must be fully signed. */
export function attemptOf(transaction: Transaction, budget: ComputeBudget, expiresAfter: bigint): Omit<Attempt, 'at'> {
  return {
    tx: txOf(transaction),
    raw: bytesToHex(Uint8Array.from(getTransactionEncoder().encode(transaction))),
    // Only the program itself excludes another attempt, because it refuses a repetition. Only the expiry matters.
    slots: [`expires:${expiresAfter}`],
    // A search for attempts that have not expired begins at the height of the chain.
    nonce: expiresAfter,
    feeRate: budget.unitPrice,
  }
}

/** The expiry is read from the slot, because the transaction itself names only a blockhash. */
export function expiresAfterOf({ tx, slots }: Pick<Attempt, 'tx' | 'slots'>): bigint {
  const end = /^expires:([0-9]+)$/.exec(slots[0] ?? '')?.[1]
  if (end === undefined) throw new Error(`recorded transaction ${tx} has no expiry among its slots`)
  return BigInt(end)
}

export function readAttempt(attempt: Attempt): SignedCall {
  const { tx, raw, at } = attempt
  return { tx, ...parseRaw(raw), expiresAfter: expiresAfterOf(attempt), at }
}

/** Every action reads all transactions of its signer that have not expired. */
const parseRaw = memoize(500, (raw): Pick<SignedCall, 'wire' | 'call' | 'budget' | 'feeLamports'> => {
  const transaction = getTransactionDecoder().decode(hexToBytes(raw))
  const { instructions, budget } = parseMessage(transaction.messageBytes)
  return { wire: wireOf(transaction), call: { instructions }, budget, feeLamports: feeOf(transaction, instructions, budget) }
})

/** Throws for a message of another version, or with address lookup tables: we build neither. */
export function parseMessage(messageBytes: ReadonlyUint8Array): {
  readonly instructions: readonly Instruction[]
  readonly budget: ComputeBudget
  readonly blockhash: Blockhash
} {
  const compiled = getCompiledTransactionMessageDecoder().decode(messageBytes)
  const message = decompileTransactionMessage(compiled)
  if (message.version !== 0) throw new Error(`a message of version ${message.version}, expected 0`)
  return {
    instructions: message.instructions.filter(({ programAddress }) => programAddress !== computeBudgetProgram),
    budget: {
      unitLimit: getTransactionMessageComputeUnitLimit(message) ?? 0,
      unitPrice: getTransactionMessageComputeUnitPrice(message) ?? 0n,
    },
    blockhash: compiled.lifetimeToken as Blockhash,
  }
}

function txOf({ signatures }: Transaction): string {
  const all: readonly (SignatureBytes | null)[] = Object.values(signatures)
  const [first] = all
  if (first == null || all.includes(null)) throw new Error('a transaction without all of its signatures cannot be recorded')
  return getBase58Decoder().decode(first)
}
