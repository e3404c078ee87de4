/** Sends the deployer's transactions, outside of the engine. They are signed again only after the last blockhash expired. */
import type { Address, Base64EncodedWireTransaction, Instruction, Signature } from '@solana/kit'
import { getSignatureFromTransaction } from '@solana/kit'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Signer } from '@tandem/keys/key.ts'
import { buildTransaction, priorityFeeOf, wireOf } from '../../terms/send/transaction.ts'
import type { SolanaNode } from '../nodes/node.ts'
import { signTransaction } from '../send/sign.ts'
import { reasonOf } from '../send/transaction-failure.ts'

/** No instruction of the loader takes more: it charges 2,370 units, and the System program 150. */
const UNITS = 20_000
/** The price is in micro-lamports per unit, so the limit is 2,000 lamports a transaction. */
const MAX_UNIT_PRICE = 100_000n
const PRICE_PERCENTILE = 75
export const MAX_FEE = 5_000n + priorityFeeOf({ unitLimit: UNITS, unitPrice: MAX_UNIT_PRICE })

type Signed = { readonly tx: Signature; readonly raw: Base64EncodedWireTransaction; readonly lastValidBlockHeight: bigint }

export interface OwnTransactions {
  /** Sends the instructions, or broadcasts what was signed under this name. Rejects with `would-fail` if they failed or are refused. */
  send(name: string, instructions: readonly Instruction[]): Promise<void>
  signatureOf(name: string): Signature | null
}

export function createOwnTransactions(node: SolanaNode, signer: Signer, payer: Address): OwnTransactions {
  const signed = new Map<string, Signed>()

  async function signNow(instructions: readonly Instruction[]): Promise<Signed> {
    const { blockhash, lastValidBlockHeight } = await node.latestBlockhash()
    const recent = await node.priorityFee([payer], PRICE_PERCENTILE)
    const budget = { unitLimit: UNITS, unitPrice: recent < MAX_UNIT_PRICE ? recent : MAX_UNIT_PRICE }
    const transaction = await signTransaction(signer, buildTransaction(instructions, { ...budget, feePayer: payer, blockhash }))
    return { tx: getSignatureFromTransaction(transaction), raw: wireOf(transaction), lastValidBlockHeight }
  }

  return {
    async send(name, instructions) {
      const last = signed.get(name)
      const outcome = last === undefined ? null : await node.outcome(last.tx)
      if (last !== undefined && outcome?.error != null)
        throw new ChainFailure('would-fail', `the transaction ${last.tx} failed: ${reasonOf(outcome.error)}`)
      const isAlive = last !== undefined && !(await node.isExpired(last.tx, last.lastValidBlockHeight, 'confirmed'))
      const current = isAlive ? last : await signNow(instructions)
      signed.set(name, current)
      const verdict = await node.broadcast(current.raw)
      if (verdict.kind === 'refused' && !verdict.isPartlyAccepted)
        throw new ChainFailure('would-fail', `nodes refuse a transaction: ${reasonOf(verdict.error)} ${verdict.logs.join('; ')}`)
    },
    signatureOf: (name) => signed.get(name)?.tx ?? null,
  }
}
