// The runtime that executes transactions: litesvm is agave's own. It holds the newest state of all accounts.
import { type Address, type EncodedAccount, lamports } from '@solana/kit'
import { Clock, FailedTransactionMetadata, LiteSVM, type TransactionMetadata } from 'litesvm'
import { errorJson, type TransactionErrorJson } from './transaction-error.ts'
import type { WireTransaction } from './wire-transaction.ts'

export interface Execution {
  readonly error: TransactionErrorJson | null
  readonly meta: TransactionMetadata
}

export interface Simulation extends Execution {
  /** Empty if it failed. */
  readonly accountsAfter: readonly EncodedAccount[]
}

/** Accounts that a transaction or a block changed, as they were before it. Null: did not exist. */
export type AccountsBefore = ReadonlyMap<Address, EncodedAccount | null>

export interface Svm {
  account(address: Address): EncodedAccount | null
  /** Null removes the account. */
  setAccount(address: Address, account: EncodedAccount | null): void
  programAccounts(program: Address): readonly EncodedAccount[]
  setClock(clock: { readonly slot: number; readonly time: number }): void
  execute(transaction: WireTransaction): Execution
  /** Does not change anything. */
  simulate(transaction: WireTransaction, options: { readonly verifySignatures: boolean }): Simulation
  rent(size: number): bigint
}

export const SLOTS_PER_EPOCH = 432_000
const nothing = new Uint8Array(0)
const systemProgram = '11111111111111111111111111111111' as Address

/** Blockhashes and repeated signatures are checked by the node, which knows the blocks. */
export function createSvm(): Svm {
  const svm = new LiteSVM().withBlockhashCheck(false).withTransactionHistory(0n)

  return {
    account(address) {
      const found = svm.getAccount(address)
      return found.exists && found.lamports > 0n ? found : null
    },
    setAccount(address, account) {
      const gone = { address, data: nothing, executable: false, lamports: lamports(0n), programAddress: systemProgram, space: 0n }
      svm.setAccount(account ?? gone)
    },
    programAccounts: (program) => svm.getProgramAccounts(program).filter((account) => account.lamports > 0n),
    setClock({ slot, time }) {
      const epoch = BigInt(Math.floor(slot / SLOTS_PER_EPOCH))
      svm.setClock(new Clock(BigInt(slot), 0n, epoch, epoch + 1n, BigInt(time)))
    },
    execute({ transaction }) {
      const result = svm.sendTransaction(transaction)
      return result instanceof FailedTransactionMetadata ? { error: errorJson(result), meta: result.meta() } : { error: null, meta: result }
    },
    simulate({ transaction }, { verifySignatures }) {
      svm.withSigverify(verifySignatures)
      try {
        const result = svm.simulateTransaction(transaction)
        return result instanceof FailedTransactionMetadata
          ? { error: errorJson(result), meta: result.meta(), accountsAfter: [] }
          : { error: null, meta: result.meta(), accountsAfter: result.postAccounts() }
      } finally {
        svm.withSigverify(true)
      }
    },
    rent: (size) => svm.minimumBalanceForRentExemption(BigInt(size)),
  }
}
