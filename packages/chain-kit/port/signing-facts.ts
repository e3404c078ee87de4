/**
 * What a signer knows of the transactions of a family beside what its permit checks: what they may cost, which exclude each other, and whether one can still be
 * mined. The arguments are those of an operation or a job that the permit has checked.
 */
import type { PublicKey } from '@tandem/keys/key.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { Endpoints } from './endpoints.ts'

export interface SigningFacts {
  /** Network fees are paid in the chain's coin, with these decimals. */
  readonly feeDecimals: number
  /** Returns the most that the network may take from what is ours; null for what is no transaction. */
  worstFee(name: string, args: readonly unknown[]): bigint | null
  /** Of all transactions of our key with one mark, at most one is ever mined. */
  marks(name: string, args: readonly unknown[]): readonly string[]
  /** Returns what is said of our coins, as `<mark> <amount>`, where a signature for one coin does not prove the amounts of the others. */
  claims?(name: string, args: readonly unknown[]): readonly string[]
  /** Returns the id that the transaction will have, where no signature changes it. */
  transactionId?(name: string, args: readonly unknown[]): string | null
  /** Reads by the same quorum as the client of the chain. It is absent where the chain does not show what a mark became. */
  connect?(chain: Chain, options: { readonly endpoints: Endpoints; readonly quorum?: number }): MarkReader
}

export interface MarkReader {
  /** A mined transaction of this key has the mark, and it is none of `ours`. */
  isUsedByOther(mark: string, key: PublicKey, ours: ReadonlySet<string>): Promise<boolean>
  /** What this transaction locked came back to the wallet of the key, in a block. It is absent where the HTLC itself tells. */
  cameBack?(transaction: string, key: PublicKey): Promise<boolean>
  /** Returns the true amount of a claim; null if it is not known. */
  amountOf?(mark: string): Promise<bigint | null>
  close(): Promise<void>
}

/** Reads the number of a mark such as "nonce 7". */
export function nonceIn(mark: string): bigint {
  return BigInt(mark.slice(mark.lastIndexOf(' ') + 1))
}
