// Reads a transaction with its sender's signature.
import { bcs } from '@mysten/sui/bcs'
import { digestOf } from '../objects/digest.ts'

type DataV1 = NonNullable<(typeof bcs.TransactionData.$inferType)['V1']>
export type ProgrammableTransaction = typeof bcs.ProgrammableTransaction.$inferType
export type CallArg = typeof bcs.CallArg.$inferType
export type ObjectRef = typeof bcs.SuiObjectRef.$inferType

export type TransactionData = {
  readonly sender: string
  readonly gas: { readonly payment: readonly ObjectRef[]; readonly owner: string; readonly price: bigint; readonly budget: bigint }
  readonly expiration: DataV1['expiration']
  readonly program: ProgrammableTransaction
}

export type Transaction = {
  /** The bytes are BCS of the data. */
  readonly bytes: Uint8Array
  readonly digest: string
  readonly data: TransactionData
}

export function readTransaction(bytes: Uint8Array): Transaction {
  const { V1: data } = bcs.TransactionData.parse(bytes)
  const program = data.kind.ProgrammableTransaction
  if (program === undefined || program === null) throw new Error('only programmable transactions are accepted')
  const { payment, owner, price, budget } = data.gasData
  return {
    bytes,
    digest: digestOf('TransactionData', bytes),
    data: {
      sender: data.sender,
      gas: { payment, owner, price: BigInt(price), budget: BigInt(budget) },
      expiration: data.expiration,
      program,
    },
  }
}

export function encodeTransaction(data: TransactionData): Transaction {
  const { sender, gas, expiration, program } = data
  const gasData = { ...gas, payment: [...gas.payment] }
  const bytes = bcs.TransactionData.serialize({ V1: { kind: { ProgrammableTransaction: program }, sender, gasData, expiration } }).toBytes()
  return { bytes, digest: digestOf('TransactionData', bytes), data }
}

/** Nobody else can use a version of an object that this transaction names. */
export function ownedRefs({ program, gas }: TransactionData): readonly ObjectRef[] {
  const inputs = program.inputs.flatMap((input) => {
    if (input.$kind !== 'Object') return []
    return input.Object.ImmOrOwnedObject ?? input.Object.Receiving ?? []
  })
  return [...inputs, ...gas.payment]
}
