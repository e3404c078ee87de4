// Executes transactions by litesvm, which is agave's own runtime, and holds the newest state of all accounts.
import { type Address, type EncodedAccount, getAddressDecoder, getAddressEncoder, lamports } from '@solana/kit'
// The interface of litesvm for kit refuses transactions without all signatures, which a node must be able to run.
import {
  Account,
  FailedTransactionMetadata,
  LiteSvm,
  type SimulatedTransactionInfo,
  Clock as SvmClock,
  type TransactionMetadata,
} from 'litesvm/dist/internal.js'
import { errorJson, type TransactionErrorJson } from './transaction-error.ts'
import type { WireTransaction } from './wire-transaction.ts'

export interface Execution {
  readonly error: TransactionErrorJson | null
  readonly meta: TransactionMetadata
}

export interface Simulation extends Execution {
  readonly accountsAfter: readonly EncodedAccount[]
}

/** The state is that before a transaction or a block changed the accounts; null means that an account did not exist. */
export type AccountsBefore = ReadonlyMap<Address, EncodedAccount | null>

/** `time` is in unix seconds. */
export type Clock = { readonly slot: number; readonly time: number }

export interface Svm {
  balance(address: Address): bigint
  /** The answer is true for an account that ever was a program. */
  isProgram(address: Address): boolean
  account(address: Address): EncodedAccount | null
  setAccount(address: Address, account: EncodedAccount | null): void
  programAccounts(program: Address): readonly EncodedAccount[]
  /** `known` are the blocks that programs can read, oldest first. */
  setClock(clock: Clock, known: readonly { readonly slot: number; readonly blockhash: string }[]): void
  execute(transaction: WireTransaction): Execution
  simulate(transaction: WireTransaction, options: { readonly verifySignatures: boolean }): Simulation
  rent(size: number): bigint
}

export const SLOTS_PER_EPOCH = 432_000
const addressBytes = getAddressEncoder()
const addressOf = getAddressDecoder()
const bytesOf = (address: Address) => Uint8Array.from(addressBytes.encode(address))
const removed = new Account(0n, new Uint8Array(0), new Uint8Array(32), false, 0n)

/** The node checks blockhashes and repeated signatures, because it knows the blocks. */
export function createSvm(): Svm {
  const svm = new LiteSvm()
  svm.setBlockhashCheck(false)
  svm.setTransactionHistory(0n)
  const programs = new Set<Address>()

  function simulated({ message, bytes }: WireTransaction): SimulatedTransactionInfo | FailedTransactionMetadata {
    return message.version === 'legacy' ? svm.simulateLegacyTransaction(bytes) : svm.simulateVersionedTransaction(bytes)
  }

  return {
    balance: (address) => svm.getBalance(bytesOf(address)) ?? 0n,
    isProgram: (address) => programs.has(address),
    account(address) {
      const found = svm.getAccount(bytesOf(address))
      if (found === null || found.lamports() === 0n) return null
      if (found.executable()) programs.add(address)
      return encoded(address, found)
    },
    setAccount(address, account) {
      svm.setAccount(
        bytesOf(address),
        account === null
          ? removed
          : new Account(account.lamports, Uint8Array.from(account.data), bytesOf(account.programAddress), account.executable, 0n),
      )
    },
    programAccounts: (program) =>
      svm.getProgramAccounts(bytesOf(program)).flatMap((found) => existing(addressOf.decode(found.address), found.account())),
    setClock({ slot, time }, known) {
      const epoch = BigInt(Math.floor(slot / SLOTS_PER_EPOCH))
      svm.setClock(new SvmClock(BigInt(slot), 0n, epoch, epoch + 1n, BigInt(time)))
      svm.setSlotHashes(known.map((block) => ({ slot: BigInt(block.slot), hash: block.blockhash })).reverse())
    },
    execute({ message, bytes }) {
      const result = message.version === 'legacy' ? svm.sendLegacyTransaction(bytes) : svm.sendVersionedTransaction(bytes)
      return result instanceof FailedTransactionMetadata ? { error: errorJson(result), meta: result.meta() } : { error: null, meta: result }
    },
    simulate(wire, { verifySignatures }) {
      svm.setSigverify(verifySignatures)
      try {
        const result = simulated(wire)
        if (result instanceof FailedTransactionMetadata) return { error: errorJson(result), meta: result.meta(), accountsAfter: [] }
        const accountsAfter = result.postAccounts().flatMap((after) => existing(addressOf.decode(after.address), after.account()))
        return { error: null, meta: result.meta(), accountsAfter }
      } finally {
        svm.setSigverify(true)
      }
    },
    rent: (size) => svm.minimumBalanceForRentExemption(BigInt(size)),
  }
}

function encoded(address: Address, account: Account): EncodedAccount {
  const data = account.data()
  const programAddress = addressOf.decode(account.owner())
  return {
    address,
    data,
    executable: account.executable(),
    lamports: lamports(account.lamports()),
    programAddress,
    space: BigInt(data.length),
  }
}

function existing(address: Address, account: Account): readonly EncodedAccount[] {
  return account.lamports() > 0n ? [encoded(address, account)] : []
}
