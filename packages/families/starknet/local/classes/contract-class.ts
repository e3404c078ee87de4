// What a built-in class is: a TypeScript re-implementation of a Cairo contract. The simulator runs no Cairo.
import type { Calldata } from '../execution/calldata.ts'
import type { Felts } from '../felt.ts'
import type { ClassFields } from '../transactions/declared-class.ts'

export interface ContractClass {
  readonly name: string
  readonly classHash: bigint
  /** Without one, the contract takes no calldata when it is deployed. */
  readonly construct?: EntryPoint
  readonly entryPoints: Readonly<Record<string, EntryPoint>>
  /** In the form of Cairo's compiler. */
  readonly abi: readonly unknown[]
  /** The class as nodes show it, if there is a compiled one. */
  readonly compiled?: () => ClassFields
}

export type EntryPoint = (env: ContractEnv, calldata: Calldata) => Felts

/** What a contract can ask the system for. */
export interface ContractEnv {
  readonly address: bigint
  /** Zero if a transaction calls the contract itself. */
  readonly caller: bigint
  readonly block: BlockInfo
  readonly transaction: TransactionInfo
  readonly chainId: bigint
  read(name: string): bigint
  write(name: string, value: bigint): void
  /** Fails the caller, too, if the called contract fails. */
  call(to: bigint, entryPoint: string | bigint, calldata: Felts): Felts
  /** Null if the called contract panics: then nothing of what it did is kept. */
  tryCall(to: bigint, entryPoint: string, calldata: Felts): Felts | null
  emit(keys: Felts, data: Felts): void
  /** `deployer` zero: the address does not depend on who deploys. Returns the address. */
  deploy(classHash: bigint, salt: bigint, calldata: Felts, deployer: bigint): bigint
}

export type BlockInfo = { readonly number: number; readonly timestamp: number }

export type TransactionInfo = {
  readonly hash: bigint
  readonly signature: Felts
  /** True for estimates and simulations: such a version never enters a block. */
  readonly isQuery: boolean
}
