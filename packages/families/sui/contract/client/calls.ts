// Adds calls of the module to a transaction. Shared objects are named with their versions, so that no node is asked while building.
import {
  Inputs,
  type Transaction,
  type TransactionArgument,
  type TransactionObjectArgument,
  type TransactionResult,
} from '@mysten/sui/transactions'
import { SUI_CLOCK_OBJECT_ID } from '@mysten/sui/utils'
import { bytes32, type OrderTerms } from './order.ts'

/** One registry locks coins of one type. */
export interface Deployment {
  readonly packageId: string
  readonly registry: string
  readonly initialSharedVersion: string
  /** The form is `0x…::module::NAME`. */
  readonly coinType: string
}

export const moduleName = 'htlc'

export const functionNames = {
  createRegistry: 'create_registry',
  initiate: 'initiate',
  redeem: 'redeem',
  refund: 'refund',
  instantRefund: 'instant_refund',
  instantRefundWithSignature: 'instant_refund_with_signature',
} as const

export const viewNames = { state: 'state', orderId: 'order_id', refundDigest: 'refund_digest', assertBefore: 'assert_before' } as const

/** The sender pays with `coin`, which must be worth exactly the amount. */
export function initiateCall(
  tx: Transaction,
  htlc: Deployment,
  { initiator, redeemer, secretHash, amount, timelock }: OrderTerms,
  coin: TransactionObjectArgument,
): TransactionResult {
  return callFunction(tx, htlc, functionNames.initiate, [
    registryArgument(tx, htlc, true),
    tx.pure.address(initiator),
    tx.pure.address(redeemer),
    bytesArgument(tx, bytes32(secretHash)),
    tx.pure.u64(amount),
    tx.pure.u64(timelock),
    coin,
    clockArgument(tx),
  ])
}

export function redeemCall(tx: Transaction, htlc: Deployment, order: string, secret: string): TransactionResult {
  return callFunction(tx, htlc, functionNames.redeem, [...orderArguments(tx, htlc, order), bytesArgument(tx, bytes32(secret))])
}

export function refundCall(tx: Transaction, htlc: Deployment, order: string): TransactionResult {
  return callFunction(tx, htlc, functionNames.refund, [...orderArguments(tx, htlc, order), clockArgument(tx)])
}

/** The redeemer sends this call. */
export function instantRefundCall(tx: Transaction, htlc: Deployment, order: string): TransactionResult {
  return callFunction(tx, htlc, functionNames.instantRefund, orderArguments(tx, htlc, order))
}

/** `publicKey` and `signature` are the 32 bytes of the redeemer's ed25519 key and the 64 of its signature of `instantRefundMessage`. */
export function instantRefundWithSignatureCall(
  tx: Transaction,
  htlc: Deployment,
  order: string,
  publicKey: Uint8Array,
  signature: Uint8Array,
): TransactionResult {
  const proof = [bytesArgument(tx, publicKey), bytesArgument(tx, signature)]
  return callFunction(tx, htlc, functionNames.instantRefundWithSignature, [...orderArguments(tx, htlc, order), ...proof])
}

export function stateCall(tx: Transaction, htlc: Deployment, order: string): TransactionResult {
  return callFunction(tx, htlc, viewNames.state, [registryArgument(tx, htlc, false), bytesArgument(tx, bytes32(order))])
}

/** From `deadline` on, a time of the chain's clock in milliseconds, the whole transaction fails. */
export function assertBeforeCall(tx: Transaction, packageId: string, deadline: bigint): TransactionResult {
  return tx.moveCall({
    package: packageId,
    module: moduleName,
    function: viewNames.assertBefore,
    arguments: [clockArgument(tx), tx.pure.u64(deadline)],
  })
}

/** The effects have one created shared object, the registry. */
export function createRegistryCall(tx: Transaction, packageId: string, coinType: string): TransactionResult {
  return callFunction(tx, { packageId, coinType }, functionNames.createRegistry, [])
}

/** Tests need calls with arguments that the functions above do not accept. */
export function callFunction(
  tx: Transaction,
  { packageId, coinType }: Pick<Deployment, 'packageId' | 'coinType'>,
  name: string,
  arguments_: TransactionArgument[],
): TransactionResult {
  return tx.moveCall({ package: packageId, module: moduleName, function: name, typeArguments: [coinType], arguments: arguments_ })
}

function orderArguments(tx: Transaction, htlc: Deployment, order: string): TransactionArgument[] {
  return [registryArgument(tx, htlc, true), bytesArgument(tx, bytes32(order))]
}

export function registryArgument(tx: Transaction, { registry, initialSharedVersion }: Deployment, mutable: boolean) {
  return tx.object(Inputs.SharedObjectRef({ objectId: registry, initialSharedVersion, mutable }))
}

export function clockArgument(tx: Transaction) {
  return tx.object(Inputs.SharedObjectRef({ objectId: SUI_CLOCK_OBJECT_ID, initialSharedVersion: 1, mutable: false }))
}

function bytesArgument(tx: Transaction, bytes: Uint8Array) {
  return tx.pure.vector('u8', bytes)
}
