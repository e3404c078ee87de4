// Converts transactions to messages of gRPC, as answers show them, and back, as a wallet sends one for resolution.
import type { bcs } from '@mysten/sui/bcs'
import { GrpcTypes } from '@mysten/sui/grpc'
import { fromBase64, toBase64 } from '@mysten/sui/utils'
import type { Command } from '../execution/commands.ts'
import { invalidArgument } from '../grpc/status.ts'
import type { CallArg, Transaction, TransactionData } from './transaction.ts'

type Argument = typeof bcs.Argument.$inferType
type Expiration = TransactionData['expiration']

const { Input_InputKind: InputKind, Argument_ArgumentKind: ArgumentKind } = GrpcTypes
const { TransactionExpiration_TransactionExpirationKind: ExpirationKind } = GrpcTypes

export function transactionMessage({ bytes, digest, data }: Transaction): GrpcTypes.Transaction {
  const { sender, gas, expiration, program } = data
  return {
    bcs: { name: 'TransactionData', value: bytes },
    digest,
    version: 1,
    kind: {
      kind: GrpcTypes.TransactionKind_Kind.PROGRAMMABLE_TRANSACTION,
      data: {
        oneofKind: 'programmableTransaction',
        programmableTransaction: { inputs: program.inputs.map(inputMessage), commands: program.commands.map(commandMessage) },
      },
    },
    sender,
    gasPayment: {
      objects: gas.payment.map(({ objectId, version, digest: objectDigest }) => ({
        objectId,
        version: BigInt(version),
        digest: objectDigest,
      })),
      owner: gas.owner,
      price: gas.price,
      budget: gas.budget,
    },
    expiration: expirationMessage(expiration),
  }
}

function inputMessage(input: CallArg): GrpcTypes.Input {
  if (input.$kind === 'Pure') return { kind: InputKind.PURE, pure: fromBase64(input.Pure.bytes) }
  if (input.$kind !== 'Object') throw invalidArgument('withdrawals from address balances are not supported by this simulator')
  const reference = input.Object
  if (reference.$kind === 'SharedObject') {
    const { objectId, initialSharedVersion, mutable } = reference.SharedObject
    const mutability = mutable ? GrpcTypes.Input_Mutability.MUTABLE : GrpcTypes.Input_Mutability.IMMUTABLE
    return { kind: InputKind.SHARED, objectId, version: BigInt(initialSharedVersion), mutable, mutability }
  }
  const kind = reference.$kind === 'Receiving' ? InputKind.RECEIVING : InputKind.IMMUTABLE_OR_OWNED
  const { objectId, version, digest } = reference.$kind === 'Receiving' ? reference.Receiving : reference.ImmOrOwnedObject
  return { kind, objectId, version: BigInt(version), digest }
}

function argumentMessage(argument: Argument): GrpcTypes.Argument {
  switch (argument.$kind) {
    case 'GasCoin':
      return { kind: ArgumentKind.GAS }
    case 'Input':
      return { kind: ArgumentKind.INPUT, input: argument.Input }
    case 'Result':
      return { kind: ArgumentKind.RESULT, result: argument.Result }
    case 'NestedResult':
      return { kind: ArgumentKind.RESULT, result: argument.NestedResult[0], subresult: argument.NestedResult[1] }
  }
}

function commandMessage(command: Command): GrpcTypes.Command {
  switch (command.$kind) {
    case 'MoveCall': {
      const { package: packageId, module, function: name, typeArguments, arguments: args } = command.MoveCall
      const moveCall = { package: packageId, module, function: name, typeArguments, arguments: args.map(argumentMessage) }
      return { command: { oneofKind: 'moveCall', moveCall } }
    }
    case 'TransferObjects': {
      const { objects, address } = command.TransferObjects
      const transferObjects = { objects: objects.map(argumentMessage), address: argumentMessage(address) }
      return { command: { oneofKind: 'transferObjects', transferObjects } }
    }
    case 'SplitCoins': {
      const { coin, amounts } = command.SplitCoins
      return { command: { oneofKind: 'splitCoins', splitCoins: { coin: argumentMessage(coin), amounts: amounts.map(argumentMessage) } } }
    }
    case 'MergeCoins': {
      const { destination, sources } = command.MergeCoins
      const mergeCoins = { coin: argumentMessage(destination), coinsToMerge: sources.map(argumentMessage) }
      return { command: { oneofKind: 'mergeCoins', mergeCoins } }
    }
    case 'Publish': {
      const { modules, dependencies } = command.Publish
      return { command: { oneofKind: 'publish', publish: { modules: modules.map(fromBase64), dependencies } } }
    }
    case 'MakeMoveVec': {
      const { type, elements } = command.MakeMoveVec
      const makeMoveVector = { ...(type !== null && { elementType: type }), elements: elements.map(argumentMessage) }
      return { command: { oneofKind: 'makeMoveVector', makeMoveVector } }
    }
    case 'Upgrade': {
      const { modules, dependencies, package: packageId, ticket } = command.Upgrade
      const upgrade = { modules: modules.map(fromBase64), dependencies, package: packageId, ticket: argumentMessage(ticket) }
      return { command: { oneofKind: 'upgrade', upgrade } }
    }
  }
}

function expirationMessage(expiration: Expiration): GrpcTypes.TransactionExpiration {
  if (expiration.$kind === 'None') return { kind: ExpirationKind.NONE }
  if (expiration.$kind === 'Epoch') return { kind: ExpirationKind.EPOCH, epoch: BigInt(expiration.Epoch) }
  const window = expiration.$kind === 'ValidDuring' ? expiration.ValidDuring : expiration.Validity
  return {
    kind: expiration.$kind === 'ValidDuring' ? ExpirationKind.VALID_DURING : ExpirationKind.VALIDITY,
    ...(window.minEpoch !== null && { minEpoch: BigInt(window.minEpoch) }),
    ...(window.maxEpoch !== null && { epoch: BigInt(window.maxEpoch) }),
    chain: window.chain,
    nonce: window.nonce,
  }
}

export function readCommand({ command }: GrpcTypes.Command): Command {
  switch (command.oneofKind) {
    case 'moveCall': {
      const { package: packageId = '', module = '', function: name = '', typeArguments, arguments: args } = command.moveCall
      const MoveCall = { package: packageId, module, function: name, typeArguments, arguments: args.map(readArgument) }
      return { $kind: 'MoveCall', MoveCall }
    }
    case 'transferObjects': {
      const { objects, address } = command.transferObjects
      return { $kind: 'TransferObjects', TransferObjects: { objects: objects.map(readArgument), address: readArgument(address) } }
    }
    case 'splitCoins': {
      const { coin, amounts } = command.splitCoins
      return { $kind: 'SplitCoins', SplitCoins: { coin: readArgument(coin), amounts: amounts.map(readArgument) } }
    }
    case 'mergeCoins': {
      const { coin, coinsToMerge } = command.mergeCoins
      return { $kind: 'MergeCoins', MergeCoins: { destination: readArgument(coin), sources: coinsToMerge.map(readArgument) } }
    }
    case 'publish': {
      const { modules, dependencies } = command.publish
      return { $kind: 'Publish', Publish: { modules: modules.map(toBase64), dependencies } }
    }
    case 'makeMoveVector': {
      const { elementType = null, elements } = command.makeMoveVector
      return { $kind: 'MakeMoveVec', MakeMoveVec: { type: elementType, elements: elements.map(readArgument) } }
    }
    default:
      throw invalidArgument('invalid command: unknown kind, or not supported by this simulator')
  }
}

function readArgument(argument: GrpcTypes.Argument | undefined): Argument {
  if (argument?.kind === ArgumentKind.GAS) return { $kind: 'GasCoin', GasCoin: true }
  if (argument?.kind === ArgumentKind.INPUT) return { $kind: 'Input', Input: argument.input ?? 0 }
  if (argument?.kind !== ArgumentKind.RESULT) throw invalidArgument('invalid command: an argument has no kind')
  const { result = 0, subresult } = argument
  return subresult === undefined ? { $kind: 'Result', Result: result } : { $kind: 'NestedResult', NestedResult: [result, subresult] }
}

export function readExpiration(message: GrpcTypes.TransactionExpiration | undefined): Expiration {
  switch (message?.kind) {
    case undefined:
    case ExpirationKind.NONE:
      return { $kind: 'None', None: true }
    case ExpirationKind.EPOCH:
      return { $kind: 'Epoch', Epoch: Number(message.epoch ?? 0n) }
    case ExpirationKind.VALID_DURING:
      return {
        $kind: 'ValidDuring',
        ValidDuring: {
          minEpoch: message.minEpoch === undefined ? null : String(message.minEpoch),
          maxEpoch: message.epoch === undefined ? null : String(message.epoch),
          minTimestamp: null,
          maxTimestamp: null,
          chain: message.chain ?? '',
          nonce: message.nonce ?? 0,
        },
      }
    default:
      throw invalidArgument('invalid expiration')
  }
}
