// Defines a built-in class: a Cairo contract, re-implemented in TypeScript. The simulator runs no Cairo.
import type { Calldata } from '../execution/calldata.ts'
import type { Felts } from '../felt.ts'
import type { ClassFields } from '../transactions/declared-class.ts'

export interface ContractClass {
  readonly name: string
  readonly classHash: bigint
  readonly construct?: EntryPoint
  readonly entryPoints: Readonly<Record<string, EntryPoint>>
  /** The form is that of Cairo's compiler. */
  readonly abi: readonly unknown[]
  readonly compiled?: () => ClassFields
}

export type EntryPoint = (env: ContractEnv, calldata: Calldata) => Felts

export interface ContractEnv {
  readonly address: bigint
  /** The caller is zero if a transaction calls the contract itself. */
  readonly caller: bigint
  readonly block: BlockInfo
  readonly transaction: TransactionInfo
  readonly chainId: bigint
  read(name: string): bigint
  write(name: string, value: bigint): void
  /** If the called contract fails, the caller fails too. */
  call(to: bigint, entryPoint: string | bigint, calldata: Felts): Felts
  /** The result is null if the called contract panics: then none of its changes is kept. */
  tryCall(to: bigint, entryPoint: string, calldata: Felts): Felts | null
  emit(keys: Felts, data: Felts): void
  deploy(classHash: bigint, salt: bigint, calldata: Felts, deployer: bigint): bigint
}

export type BlockInfo = { readonly number: number; readonly timestamp: number }

export type TransactionInfo = {
  readonly hash: bigint
  readonly signature: Felts
  /** Estimates and simulations have such a version, which never enters a block. */
  readonly isQuery: boolean
}
