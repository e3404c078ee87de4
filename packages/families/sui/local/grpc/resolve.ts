// Completes a transaction that a wallet sends without versions, gas price or budget.
import { GrpcTypes } from '@mysten/sui/grpc'
import { toBase64 } from '@mysten/sui/utils'
import type { SuiNode } from '../chain/node.ts'
import type { Command } from '../execution/commands.ts'
import { MAX_GAS_BUDGET } from '../execution/gas.ts'
import { findFunction } from '../move/packages.ts'
import { readCoin } from '../objects/coin.ts'
import type { SuiObject } from '../objects/object.ts'
import type { ObjectReader } from '../objects/store.ts'
import { readCommand, readExpiration } from '../transactions/proto-transaction.ts'
import type { CallArg, ObjectRef, TransactionData } from '../transactions/transaction.ts'
import { refOf } from './gas-selection.ts'
import { addressParam } from './ledger-service.ts'
import { GrpcError, invalidArgument } from './status.ts'

const { Input_InputKind: InputKind } = GrpcTypes

export function resolveTransaction({ store, epochs }: SuiNode, message: GrpcTypes.Transaction): TransactionData {
  const program = message.kind?.data
  if (program?.oneofKind !== 'programmableTransaction') throw invalidArgument('transaction.kind.programmable_transaction is missing')
  const sender = addressParam('sender', message.sender)
  const commands = program.programmableTransaction.commands.map(readCommand)
  const { objects = [], owner, price, budget } = message.gasPayment ?? {}
  const payment = objects.map(({ objectId, version, digest }) => matching(present(store, objectId), version, digest))
  const balance = payment.reduce((sum, { objectId }) => sum + (readCoin(present(store, objectId))?.balance ?? 0n), 0n)
  const most = payment.length === 0 || balance > MAX_GAS_BUDGET ? MAX_GAS_BUDGET : balance
  return {
    sender,
    gas: {
      payment,
      owner: owner === undefined ? sender : addressParam('owner', owner),
      price: price ?? epochs.current().gasPrice,
      budget: budget ?? most,
    },
    expiration: readExpiration(message.expiration),
    program: {
      inputs: program.programmableTransaction.inputs.map((input, index) => resolveInput(store, input, index, commands)),
      commands,
    },
  }
}

function resolveInput(objects: ObjectReader, input: GrpcTypes.Input, index: number, commands: readonly Command[]): CallArg {
  if (input.pure !== undefined) return { $kind: 'Pure', Pure: { bytes: toBase64(input.pure) } }
  if (input.kind === InputKind.RECEIVING || input.kind === InputKind.FUNDS_WITHDRAWAL || input.literal !== undefined)
    throw invalidArgument('this kind of input is not supported by this simulator')
  const object = present(objects, input.objectId)
  if (object.owner.kind !== 'shared') {
    const ref = matching(object, input.version, input.digest)
    return { $kind: 'Object', Object: { $kind: 'ImmOrOwnedObject', ImmOrOwnedObject: ref } }
  }
  const mutable = isChanged(objects, commands, index)
  const SharedObject = { objectId: object.id, initialSharedVersion: String(object.owner.initialVersion), mutable }
  return { $kind: 'Object', Object: { $kind: 'SharedObject', SharedObject } }
}

function isChanged(objects: ObjectReader, commands: readonly Command[], input: number): boolean {
  return commands.some((command) => {
    if (command.$kind !== 'MoveCall') return false
    const { package: packageId, module, function: name, arguments: args } = command.MoveCall
    const parameters = findFunction(objects, packageId, module, name)?.parameters ?? []
    return args.some((argument, index) => argument.$kind === 'Input' && argument.Input === input && parameters[index]?.pass !== 'reference')
  })
}

function matching(object: SuiObject, version: bigint | undefined, digest: string | undefined): ObjectRef {
  if (object.owner.kind === 'shared' || object.owner.kind === 'object')
    throw invalidArgument(`object ${object.id} is not Immutable or AddressOwned`)
  if (version !== undefined && version !== object.version)
    throw invalidArgument(`provided version doesn't match, provided: ${version} actual: ${object.version}`)
  if (digest !== undefined && digest !== object.digest)
    throw invalidArgument(`provided digest doesn't match, provided: ${digest} actual: ${object.digest}`)
  return refOf(object)
}

function present(objects: ObjectReader, id: string | undefined): SuiObject {
  const object = objects.get(addressParam('object_id', id))
  if (object === null) throw new GrpcError('NOT_FOUND', `Object ${id} not found`)
  return object
}
