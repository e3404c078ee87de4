// The module packages/families/sui/contract/sources/htlc.move in TypeScript. The scenarios of packages/families/sui/contract run on both.
import { bcs } from '@mysten/sui/bcs'
import { normalizeSuiAddress } from '@mysten/sui/utils'
import { blake2b } from '@noble/hashes/blake2.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js'
import { ed25519PublicKey, isEd25519Signature } from '@tandem/keys/ed25519-native.ts'
import { functionNames, moduleName, viewNames } from '../../contract/client/calls.ts'
import { type AbortName, abortCodes } from '../../contract/client/errors.ts'
import { encodeEvent, type HtlcEvent } from '../../contract/client/events.ts'
import { instantRefundDigest, maxTimelock, orderId, orderMarks } from '../../contract/client/order.ts'
import { fail } from '../execution/failure.ts'
import { balanceIn } from '../objects/coin.ts'
import { CLOCK_TYPE, coinOf } from '../objects/types.ts'
import { transferTo } from './abilities.ts'
import { clockTime, idOf, newCoin, readU64, u64Value } from './framework.ts'
import type { Argument, CallContext, MoveFunction, MoveModule, Parameter } from './function.ts'

const OrderContents = bcs.struct('Order', {
  initiator: bcs.Address,
  redeemer: bcs.Address,
  secretHash: bcs.byteVector(),
  initiatedAt: bcs.u64(),
  timelock: bcs.u64(),
  funds: bcs.u64(),
})

const LENGTH = 32
const ED25519_FLAG = 0

type Order = ReturnType<typeof OrderContents.parse>
type Run = (call: HtlcCall, args: readonly Argument[]) => ReturnType<MoveFunction['run']>
type HtlcCall = { readonly context: CallContext; readonly coinType: string; readonly registry: string }

/** `packageId`: types of the module are named after it. */
export function htlcModule(packageId: string): MoveModule {
  const registryType = `${packageId}::${moduleName}::Registry<$0>`
  const bytes: Parameter = { pass: 'value', type: 'vector<u8>' }
  const clock: Parameter = { pass: 'reference', type: CLOCK_TYPE }
  const address: Parameter = { pass: 'value', type: 'address' }
  const u64: Parameter = { pass: 'value', type: 'u64' }
  const coin: Parameter = { pass: 'value', type: coinOf('$0') }

  const onRegistry = (pass: Parameter['pass'], parameters: readonly Parameter[], takesContext: boolean, run: Run): MoveFunction => ({
    typeParameters: 1,
    parameters: [{ pass, type: registryType }, ...parameters],
    returns: [],
    takesContext,
    run(context, [coinType = ''], [registry, ...args]) {
      return registry === undefined ? fail('ArityMismatch') : run({ context, coinType, registry: idOf(registry) }, args)
    },
  })
  const changing = (parameters: readonly Parameter[], takesContext: boolean, run: Run) =>
    onRegistry('mutable reference', parameters, takesContext, run)
  const reading = (parameters: readonly Parameter[], returns: string, run: Run) => ({
    ...onRegistry('reference', parameters, false, run),
    returns: [returns],
  })

  return {
    [functionNames.createRegistry]: { typeParameters: 1, parameters: [], returns: [], takesContext: true, run: createRegistry },
    [functionNames.initiate]: changing([address, address, bytes, u64, u64, coin, clock], false, initiate),
    [functionNames.redeem]: changing([bytes, bytes], true, redeem),
    [functionNames.refund]: changing([bytes, clock], true, refund),
    [functionNames.instantRefund]: changing([bytes], true, instantRefund),
    [functionNames.instantRefundWithSignature]: changing([bytes, bytes, bytes], true, instantRefundWithSignature),
    [viewNames.assertBefore]: { typeParameters: 0, parameters: [clock, u64], returns: [], takesContext: false, run: assertBefore },
    [viewNames.state]: reading([bytes], 'u64', (call, [id]) => [u64Value(stateOf(call, bytesIn(id)))]),
    [viewNames.orderId]: reading([address, address, bytes, u64, u64], 'vector<u8>', (call, args) => [
      bytesValue(idOfTerms(call, termsIn(args))),
    ]),
    [viewNames.refundDigest]: reading([bytes], 'vector<u8>', ({ registry }, [id]) => [
      bytesValue(instantRefundDigest(registry, hexOf32(bytesIn(id)))),
    ]),
  }
}

function createRegistry(context: CallContext, [coinType = '']: readonly string[]) {
  const { scratch, packageId } = context
  const id = scratch.freshId()
  emit(context, { kind: 'registry created', registry: id })
  const contents = bcs.Address.serialize(id).toBytes()
  const type = `${packageId}::${moduleName}::Registry<${coinType}>`
  // The version from which on it is shared is that of the transaction: it is filled in when the transaction ends.
  scratch.write({ id, owner: { kind: 'shared', initialVersion: 0n }, data: { kind: 'move', type, hasPublicTransfer: false, contents } })
  return []
}

const initiate: Run = (call, args) => {
  const { context, registry, coinType } = call
  const [coin, clock] = args.slice(5)
  if (coin === undefined) return fail('ArityMismatch')
  const terms = termsIn(args)
  const { initiator, redeemer, secretHash, amount, timelock } = terms
  const zero = normalizeSuiAddress('0x0')
  require(context, initiator !== zero, 'ZeroInitiator')
  require(context, redeemer !== zero, 'ZeroRedeemer')
  require(context, initiator !== redeemer, 'SameParties')
  require(context, initiator !== registry && redeemer !== registry, 'PartyIsRegistry')
  require(context, timelock !== 0n && timelock <= maxTimelock, 'InvalidTimelock')
  require(context, amount !== 0n, 'ZeroAmount')
  require(context, secretHash.length === LENGTH, 'InvalidSecretHash')
  require(context, balanceIn(coin.bytes) === amount, 'WrongCoinValue')
  const id = idOfTerms(call, terms)
  require(context, stateOf(call, id) === orderMarks.neverInitiated, 'DuplicateOrder')
  const initiatedAt = clockTime(clock)
  context.scratch.remove(idOf(coin))
  const value = OrderContents.serialize({ initiator, redeemer, secretHash, initiatedAt, timelock, funds: amount }).toBytes()
  context.scratch.setField(registry, id, { valueType: orderType(context, coinType), value })
  const event = { kind: 'initiated', registry, orderId: bytesToHex(id), initiatedAt } as const
  emit(context, { ...event, terms: { initiator, redeemer, amount, timelock, secretHash: bytesToHex(secretHash) } })
  return []
}

const redeem: Run = (call, args) => {
  const [id, secret] = args.map(bytesIn)
  if (id === undefined || secret === undefined) return fail('ArityMismatch')
  const { context, registry } = call
  const order = settle(call, id, orderMarks.redeemed)
  require(context, secret.length === LENGTH && same(sha256(secret), order.secretHash), 'WrongSecret')
  emit(context, { kind: 'redeemed', registry, orderId: bytesToHex(id), secret: bytesToHex(secret) })
  return pay(call, order, order.redeemer)
}

const refund: Run = (call, [idArgument, clock]) => {
  const id = bytesIn(idArgument)
  const order = settle(call, id, orderMarks.refunded)
  require(call.context, clockTime(clock) >= BigInt(order.initiatedAt) + BigInt(order.timelock), 'OrderNotExpired')
  return payBack(call, id, order)
}

const instantRefund: Run = (call, [idArgument]) => {
  const id = bytesIn(idArgument)
  const order = settle(call, id, orderMarks.refunded)
  require(call.context, call.context.sender === order.redeemer, 'NotRedeemer')
  return payBack(call, id, order)
}

const instantRefundWithSignature: Run = (call, args) => {
  const [id, publicKey, signature] = args.map(bytesIn)
  if (id === undefined || publicKey === undefined || signature === undefined) return fail('ArityMismatch')
  const order = settle(call, id, orderMarks.refunded)
  const address = normalizeSuiAddress(bytesToHex(blake2b(concatBytes(Uint8Array.of(ED25519_FLAG), publicKey), { dkLen: LENGTH })))
  const digest = instantRefundDigest(call.registry, bytesToHex(id))
  require(call.context, address === order.redeemer && isSigned(signature, digest, publicKey), 'InvalidSignature')
  return payBack(call, id, order)
}

const assertBefore: MoveFunction['run'] = (context, _types, [clock, deadline]) => {
  if (deadline === undefined) return fail('ArityMismatch')
  require(context, clockTime(clock) < readU64(deadline), 'TooLate')
  return []
}

/** Leaves the mark in place of the order. What a caller requires afterwards undoes it when it is not so. */
function settle(call: HtlcCall, id: Uint8Array, mark: bigint): Order {
  const { context, registry } = call
  const state = stateOf(call, id)
  require(context, state !== orderMarks.neverInitiated, 'OrderNotInitiated')
  require(context, state !== orderMarks.redeemed && state !== orderMarks.refunded, 'OrderSettled')
  const field = context.scratch.field(registry, id)
  if (field === null) throw new Error('an open order has a field')
  context.scratch.setField(registry, id, { valueType: settledType(context), value: u64Value(mark).bytes })
  return OrderContents.parse(field.value)
}

function payBack(call: HtlcCall, id: Uint8Array, order: Order) {
  emit(call.context, { kind: 'refunded', registry: call.registry, orderId: bytesToHex(id) })
  return pay(call, order, order.initiator)
}

function pay({ context: { scratch }, coinType }: HtlcCall, order: Order, to: string) {
  scratch.write(transferTo(newCoin(scratch.freshId(), coinType, BigInt(order.funds)), to))
  return []
}

function stateOf({ context, registry, coinType }: HtlcCall, id: Uint8Array): bigint {
  const field = context.scratch.field(registry, id)
  if (field?.valueType === settledType(context)) return readU64({ type: 'u64', bytes: field.value })
  if (field?.valueType === orderType(context, coinType)) return BigInt(OrderContents.parse(field.value).initiatedAt)
  return orderMarks.neverInitiated
}

const settledType = ({ packageId }: CallContext) => `${packageId}::${moduleName}::Settled`
const orderType = ({ packageId }: CallContext, coinType: string) => `${packageId}::${moduleName}::Order<${coinType}>`

function idOfTerms({ registry }: HtlcCall, { secretHash, ...terms }: ReturnType<typeof termsIn>): Uint8Array {
  return Buffer.from(orderId(registry, { ...terms, secretHash: hexOf32(secretHash) }), 'hex')
}

/** The module hashes bytes of any length; the client, which this simulator uses, takes 32. Only the views can get others. */
function hexOf32(bytes: Uint8Array): string {
  return bytes.length === LENGTH ? bytesToHex(bytes) : fail('FeatureNotYetSupported')
}

function termsIn([initiator, redeemer, secretHash, amount, timelock]: readonly Argument[]) {
  if (initiator === undefined || redeemer === undefined || amount === undefined || timelock === undefined) return fail('ArityMismatch')
  return {
    initiator: bcs.Address.parse(initiator.bytes),
    redeemer: bcs.Address.parse(redeemer.bytes),
    secretHash: bytesIn(secretHash),
    amount: readU64(amount),
    timelock: readU64(timelock),
  }
}

function bytesIn(value: Argument | undefined): Uint8Array {
  return value === undefined ? fail('ArityMismatch') : bcs.byteVector().parse(value.bytes)
}

function bytesValue(bytes: Uint8Array) {
  return { type: 'vector<u8>', bytes: bcs.byteVector().serialize(bytes).toBytes() }
}

function emit({ scratch, packageId, sender }: CallContext, event: HtlcEvent): void {
  const { name, contents } = encodeEvent(event)
  scratch.emit({ packageId, module: moduleName, sender, type: `${packageId}::${moduleName}::${name}`, contents })
}

function require(context: CallContext, condition: boolean, name: AbortName): void {
  if (!condition) context.abort(abortCodes[name])
}

function isSigned(signature: Uint8Array, digest: Uint8Array, publicKey: Uint8Array): boolean {
  return signature.length === 64 && publicKey.length === LENGTH && isEd25519Signature(ed25519PublicKey(publicKey), digest, signature)
}

function same(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.compare(left, right) === 0
}
