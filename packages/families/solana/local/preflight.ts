// Runs a transaction without changing anything, as a node does before it adds one to its pool.
import type { EncodedAccount } from '@solana/kit'
import type { TransactionMetadata } from 'litesvm'

import type { Commitment } from './ledger.ts'
import type { SolanaNode } from './solana-node.ts'
import type { TransactionErrorJson } from './transaction-error.ts'
import type { WireTransaction } from './wire-transaction.ts'

export type PreflightOptions = {
  readonly commitment: Commitment
  readonly verifySignatures: boolean
  readonly replaceBlockhash: boolean
}

export type Preflight = {
  readonly error: TransactionErrorJson | null
  readonly meta: TransactionMetadata | null
  readonly accountsAfter: readonly EncodedAccount[]
}

const refused = (error: TransactionErrorJson): Preflight => ({ error, meta: null, accountsAfter: [] })

export function preflight({ ledger, svm, isRecent }: SolanaNode, wire: WireTransaction, options: PreflightOptions): Preflight {
  const { commitment, verifySignatures, replaceBlockhash } = options
  return ledger.inState(commitment, () => {
    const result = svm.simulate(wire, { verifySignatures })
    if (result.error === 'SignatureFailure' || result.error === 'SanitizeFailure') return refused(result.error)
    const mined = ledger.transaction(wire.signature)
    if (mined !== null && mined.slot <= ledger.tip(commitment).slot) return refused('AlreadyProcessed')
    if (!replaceBlockhash && !isRecent(wire.blockhash, commitment)) return refused('BlockhashNotFound')
    return result
  })
}
