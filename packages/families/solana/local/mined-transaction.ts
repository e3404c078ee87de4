// Executes a transaction in a block, and keeps what a node shows of it later.
import { type Address, getAddressDecoder, getBase58Decoder } from '@solana/kit'
import type { TransactionMetadata } from 'litesvm'
import { feeOf } from './fees.ts'
import { loadAddresses } from './lookup-tables.ts'
import type { AccountsBefore, Svm } from './svm.ts'
import { readMint, readTokenAccount } from './token-accounts.ts'
import type { TransactionErrorJson } from './transaction-error.ts'
import { isWritable, type LoadedAddresses, type WireTransaction } from './wire-transaction.ts'

export type TokenBalance = {
  readonly accountIndex: number
  readonly mint: Address
  readonly owner: Address
  readonly programId: Address
  readonly amount: bigint
  readonly decimals: number
}

export type InnerInstructions = {
  readonly index: number
  readonly instructions: readonly {
    readonly programIdIndex: number
    readonly accounts: readonly number[]
    /** The text is base58. */
    readonly data: string
    readonly stackHeight: number
  }[]
}

export type ReturnData = { readonly programId: Address; readonly data: Uint8Array }

export interface MinedTransaction {
  readonly wire: WireTransaction
  readonly slot: number
  /** The accounts of the message come first, then those of lookup tables. */
  readonly addresses: readonly Address[]
  readonly loaded: LoadedAddresses
  readonly writable: readonly Address[]
  readonly error: TransactionErrorJson | null
  readonly fee: bigint
  readonly balancesBefore: readonly bigint[]
  readonly balancesAfter: readonly bigint[]
  readonly tokensBefore: readonly TokenBalance[]
  readonly tokensAfter: readonly TokenBalance[]
  readonly logs: readonly string[]
  readonly inner: readonly InnerInstructions[]
  readonly units: bigint
  readonly returnData: ReturnData | null
}

const base58 = getBase58Decoder()
const addressOf = getAddressDecoder()

/** The result is null if the transaction cannot be in a block, because nobody can be charged for it. */
export function mineTransaction(svm: Svm, wire: WireTransaction, slot: number): { mined: MinedTransaction; before: AccountsBefore } | null {
  const { staticAccounts } = wire.message
  const loaded = loadAddresses(wire.message, (table) => svm.account(table))
  if (typeof loaded === 'string') return null
  const addresses = [...staticAccounts, ...loaded.writable, ...loaded.readonly]
  const writable = [...staticAccounts.filter((_, index) => isWritable(wire.message, index)), ...loaded.writable]
  const before = new Map(writable.map((address) => [address, svm.account(address)]))
  const [balancesBefore, tokensBefore] = [addresses.map(svm.balance), tokenBalances(svm, addresses)]
  const { error, meta } = svm.execute(wire)
  const balancesAfter = addresses.map(svm.balance)
  if (error !== null && balancesBefore[0] === balancesAfter[0]) return null
  return {
    before,
    mined: {
      wire,
      slot,
      addresses,
      loaded,
      writable,
      error,
      fee: feeOf(wire.message),
      balancesBefore,
      balancesAfter,
      tokensBefore,
      tokensAfter: tokenBalances(svm, addresses),
      logs: meta.logs(),
      inner: innerInstructions(meta),
      units: meta.computeUnitsConsumed(),
      returnData: returnDataOf(meta),
    },
  }
}

export function innerInstructions(meta: TransactionMetadata): readonly InnerInstructions[] {
  return meta
    .innerInstructions()
    .map((list, index) => ({
      index,
      instructions: list.map((inner) => {
        const compiled = inner.instruction()
        return {
          programIdIndex: compiled.programIdIndex(),
          accounts: [...compiled.accounts()],
          data: base58.decode(compiled.data()),
          stackHeight: inner.stackHeight(),
        }
      }),
    }))
    .filter(({ instructions }) => instructions.length > 0)
}

export function returnDataOf(meta: TransactionMetadata): ReturnData | null {
  const returned = meta.returnData()
  const data = returned.data()
  return data.length === 0 ? null : { programId: addressOf.decode(returned.programId()), data }
}

/** Programs are not read: they hold no tokens, and their data is long. */
function tokenBalances(svm: Svm, addresses: readonly Address[]): readonly TokenBalance[] {
  return addresses.flatMap((address, accountIndex) => {
    const account = svm.isProgram(address) ? null : svm.account(address)
    const tokens = account && readTokenAccount(account)
    if (!tokens) return []
    const mint = svm.account(tokens.mint)
    const decimals = (mint && readMint(mint)?.decimals) ?? 0
    return [{ accountIndex, mint: tokens.mint, owner: tokens.owner, programId: account.programAddress, amount: tokens.amount, decimals }]
  })
}
