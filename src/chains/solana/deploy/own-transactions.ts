/** The deployer's transactions, outside of the engine: kept in memory, and signed anew only after the blockhash of the last signature expired. */
import {
  type Address,
  appendTransactionMessageInstructions,
  type Base64EncodedWireTransaction,
  compileTransaction,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type Instruction,
  pipe,
  type Signature,
  type SignatureBytes,
  setTransactionMessageComputeUnitLimit,
  setTransactionMessageComputeUnitPrice,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit'
import type { Ed25519Signer } from '../../../keys/key.ts'
import { ChainFailure } from '../../port/failure.ts'
import type { SolanaNode } from '../nodes/node.ts'

/** More than any instruction of the loader takes: it charges 2,370 units, the System program 150. */
const UNITS = 20_000
/** Micro-lamports per unit: 2,000 lamports a transaction at most. */
const MAX_UNIT_PRICE = 100_000n
const PRICE_PERCENTILE = 75
export const SIGNATURE_FEE = 5_000n
export const MAX_FEE = SIGNATURE_FEE + (BigInt(UNITS) * MAX_UNIT_PRICE) / 1_000_000n

type Signed = { readonly tx: Signature; readonly raw: Base64EncodedWireTransaction; readonly lastValidBlockHeight: bigint }

export interface OwnTransactions {
  /** Sends it, or rebroadcasts what was signed under this name. Rejects with `would-fail` if it was mined and failed, or nodes refuse it. */
  send(name: string, instructions: readonly Instruction[]): Promise<void>
  /** The newest signature under this name; null if there is none. */
  signatureOf(name: string): Signature | null
}

export function createOwnTransactions(node: SolanaNode, signer: Ed25519Signer, payer: Address): OwnTransactions {
  const signed = new Map<string, Signed>()

  async function sign(instructions: readonly Instruction[]): Promise<Signed> {
    const lifetime = await node.latestBlockhash()
    const recent = await node.priorityFee([payer], PRICE_PERCENTILE)
    const transaction = pipe(
      createTransactionMessage({ version: 0 }),
      (message) => setTransactionMessageFeePayer(payer, message),
      (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
      (message) => setTransactionMessageComputeUnitLimit(UNITS, message),
      (message) => setTransactionMessageComputeUnitPrice(recent < MAX_UNIT_PRICE ? recent : MAX_UNIT_PRICE, message),
      (message) => appendTransactionMessageInstructions(instructions, message),
      compileTransaction,
    )
    const signature = signer.signMessage(Uint8Array.from(transaction.messageBytes)) as SignatureBytes
    const complete = { ...transaction, signatures: { ...transaction.signatures, [payer]: signature } }
    return {
      tx: getSignatureFromTransaction(complete),
      raw: getBase64EncodedWireTransaction(complete),
      lastValidBlockHeight: lifetime.lastValidBlockHeight,
    }
  }

  return {
    async send(name, instructions) {
      const last = signed.get(name)
      const outcome = last === undefined ? null : await node.outcome(last.tx)
      if (last !== undefined && outcome?.error != null)
        throw new ChainFailure('would-fail', `the transaction ${last.tx} failed: ${JSON.stringify(outcome.error)}`)
      const isAlive = last !== undefined && !(await node.isExpired(last.tx, last.lastValidBlockHeight, 'confirmed'))
      const current = isAlive ? last : await sign(instructions)
      signed.set(name, current)
      const verdict = await node.broadcast(current.raw)
      if (verdict.kind === 'refused' && !verdict.isPartlyAccepted)
        throw new ChainFailure('would-fail', `nodes refuse a transaction: ${JSON.stringify(verdict.error)} ${verdict.logs.join('; ')}`)
    },
    signatureOf: (name) => signed.get(name)?.tx ?? null,
  }
}
