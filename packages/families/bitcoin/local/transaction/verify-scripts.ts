// Verifies the scripts of all inputs, with a cache so that mining a transaction does not verify it again.
import { ScriptFailure } from '../script/script-failure.ts'
import { CONSENSUS_FLAGS, type ScriptFlags, STANDARD_FLAGS } from '../script/script-flags.ts'
import { createSpendContext } from '../script/signature-checker.ts'
import { verifyInput } from '../script/verify-input.ts'
import type { Transaction, TransactionOutput } from './transaction.ts'

const REMEMBERED = 5_000

export type ScriptVerifier = {
  /** The mempool applies standard rules, a block only consensus rules. */
  checkStandard(transaction: Transaction, spent: readonly TransactionOutput[]): string | null
  checkConsensus(transaction: Transaction, spent: readonly TransactionOutput[]): string | null
}

function firstFailure(transaction: Transaction, spent: readonly TransactionOutput[], flags: ScriptFlags): string | null {
  const context = createSpendContext(transaction, spent)
  for (let i = 0; i < transaction.inputs.length; i++) {
    try {
      verifyInput(context, i, flags)
    } catch (error) {
      if (error instanceof ScriptFailure) return error.message
      throw error
    }
  }
  return null
}

/** The set forgets its oldest half when it is full. */
function createMemory(): { has(key: string): boolean; add(key: string): void } {
  const keys = new Set<string>()
  return {
    has: (key) => keys.has(key),
    add(key) {
      if (keys.size >= REMEMBERED) for (const oldest of [...keys].slice(0, REMEMBERED / 2)) keys.delete(oldest)
      keys.add(key)
    },
  }
}

export function createScriptVerifier(): ScriptVerifier {
  // The keys are wtxids: scripts depend on nothing but the transaction and the outputs its txids name.
  const standard = createMemory()
  const consensus = createMemory()

  return {
    checkStandard(transaction, spent) {
      if (standard.has(transaction.wtxid)) return null
      const failure = firstFailure(transaction, spent, STANDARD_FLAGS)
      if (failure !== null) return `mempool-script-verify-flag-failed (${failure})`
      // Standard rules contain the consensus rules.
      standard.add(transaction.wtxid)
      consensus.add(transaction.wtxid)
      return null
    },
    checkConsensus(transaction, spent) {
      if (consensus.has(transaction.wtxid)) return null
      const failure = firstFailure(transaction, spent, CONSENSUS_FLAGS)
      if (failure !== null) return `mandatory-script-verify-flag-failed (${failure})`
      consensus.add(transaction.wtxid)
      return null
    },
  }
}
