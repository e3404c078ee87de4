// Re-implements the module packages/families/sui/contract/sources/htlc.move in TypeScript. The module's scenarios run on both.
import { type BcsType, bcs } from '@mysten/sui/bcs'
import { Ed25519PublicKey } from '@mysten/sui/keypairs/ed25519'
import { normalizeSuiAddress } from '@mysten/sui/utils'
import { sha256 } from '@noble/hashes/sha2.js'
import { isEd25519Signature } from '@tandem/chain-kit/local/ed25519.ts'
import { fail } from '../execution/failure.ts'
import { balanceIn } from '../objects/coin.ts'
import { CLOCK_TYPE, coinOf } from '../objects/types.ts'
import { transferTo } from './abilities.ts'
import { clockTime, idOf, newCoin, readU64, u64Value } from './framework.ts'
import type { Argument, CallContext, MoveFunction, MoveModule, Parameter } from './function.ts'
import {
  type Abort,
  abortCode,
  events,
  HTLC,
  MAX_TIMELOCK,
  NEVER_INITIATED,
  orderId,
  REDEEMED,
  REFUNDED,
  refundDigest,
  type Terms,
} from './htlc-source.ts'

const OrderContents = bcs.struct('Order', {
  initiator: bcs.Address,
  redeemer: bcs.Address,
  secretHash: bcs.byteVector(),
  initiatedAt: bcs.u64(),
  timelock: bcs.u64(),
  funds: bcs.u64(),
})

const LENGTH = 32

type Order = ReturnType<typeof OrderContents.parse>
type Run = (call: HtlcCall, args: readonly Argument[]) => ReturnType<MoveFunction['run']>
type HtlcCall = { readonly context: CallContext; readonly coinType: string; readonly registry: string }

/** `packageId` is part of the names of the module's types. */
export function htlcModule(packageId: string): MoveModule {
  const registryType = `${packageId}::${HTLC}::Registry<$0>`
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
    create_registry: { typeParameters: 1, parameters: [], returns: [], takesContext: true, run: createRegistry },
    initiate: changing([address, address, bytes, u64, u64, coin, clock], false, initiate),
    redeem: changing([bytes, bytes], true, redeem),
    refund: changing([bytes, clock], true, refund),
    instant_refund: changing([bytes], true, instantRefund),
    instant_refund_with_signature: changing([bytes, bytes, bytes], true, instantRefundWithSignature),
    assert_before: { typeParameters: 0, parameters: [clock, u64], returns: [], takesContext: false, run: assertBefore },
    state: reading([bytes], 'u64', (call, [id]) => [u64Value(stateOf(call, bytesIn(id)))]),
    order_id: reading([address, address, bytes, u64, u64], 'vector<u8>', ({ registry }, args) => [
      bytesValue(orderId(registry, termsIn(args))),
    ]),
    refund_digest: reading([bytes], 'vector<u8>', ({ registry }, [id]) => [bytesValue(refundDigest(registry, bytesIn(id)))]),
  }
}

function createRegistry(context: CallContext, [coinType = '']: readonly string[]) {
  const { scratch, packageId } = context
  const id = scratch.freshId()
  emit(context, events.RegistryCreated, { registry: id })
  const contents = bcs.Address.serialize(id).toBytes()
  const type = `${packageId}::${HTLC}::Registry<${coinType}>`
  // The object is shared from the version of the transaction on, which is filled in when the transaction ends.
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
  require(context, timelock !== 0n && timelock <= MAX_TIMELOCK, 'InvalidTimelock')
  require(context, amount !== 0n, 'ZeroAmount')
  require(context, secretHash.length === LENGTH, 'InvalidSecretHash')
  require(context, balanceIn(coin.bytes) === amount, 'WrongCoinValue')
  const id = orderId(registry, terms)
  require(context, stateOf(call, id) === NEVER_INITIATED, 'DuplicateOrder')
  const initiatedAt = clockTime(clock)
  context.scratch.remove(idOf(coin))
  const value = OrderContents.serialize({ initiator, redeemer, secretHash, initiatedAt, timelock, funds: amount }).toBytes()
  context.scratch.setField(registry, id, { valueType: orderType(context, coinType), value })
  const order = { registry, order_id: id, initiator, redeemer, secret_hash: secretHash }
  emit(context, events.Initiated, { ...order, amount, timelock, initiated_at: initiatedAt })
  return []
}

const redeem: Run = (call, args) => {
  const [id, secret] = args.map(bytesIn)
  if (id === undefined || secret === undefined) return fail('ArityMismatch')
  const { context, registry } = call
  const order = settle(call, id, REDEEMED)
  require(context, secret.length === LENGTH && same(sha256(secret), order.secretHash), 'WrongSecret')
  emit(context, events.Redeemed, { registry, order_id: id, secret })
  return pay(call, order, order.redeemer)
}

const refund: Run = (call, [idArgument, clock]) => {
  const id = bytesIn(idArgument)
  const order = settle(call, id, REFUNDED)
  require(call.context, clockTime(clock) >= BigInt(order.initiatedAt) + BigInt(order.timelock), 'OrderNotExpired')
  return payBack(call, id, order)
}

const instantRefund: Run = (call, [idArgument]) => {
  const id = bytesIn(idArgument)
  const order = settle(call, id, REFUNDED)
  require(call.context, call.context.sender === order.redeemer, 'NotRedeemer')
  return payBack(call, id, order)
}

const instantRefundWithSignature: Run = (call, args) => {
  const [id, publicKey, signature] = args.map(bytesIn)
  if (id === undefined || publicKey === undefined || signature === undefined) return fail('ArityMismatch')
  const order = settle(call, id, REFUNDED)
  const isKey = publicKey.length === LENGTH && new Ed25519PublicKey(publicKey).toSuiAddress() === order.redeemer
  const digest = refundDigest(call.registry, id)
  const isSigned = isKey && signature.length === 2 * LENGTH && isEd25519Signature(publicKey, digest, signature)
  require(call.context, isSigned, 'InvalidSignature')
  return payBack(call, id, order)
}

const assertBefore: MoveFunction['run'] = (context, _types, [clock, deadline]) => {
  if (deadline === undefined) return fail('ArityMismatch')
  require(context, clockTime(clock) < readU64(deadline), 'TooLate')
  return []
}

/** If a later check of the caller fails, the replacement of the order by the mark is undone. */
function settle(call: HtlcCall, id: Uint8Array, mark: bigint): Order {
  const { context, registry } = call
  const state = stateOf(call, id)
  require(context, state !== NEVER_INITIATED, 'OrderNotInitiated')
  require(context, state !== REDEEMED && state !== REFUNDED, 'OrderSettled')
  const field = context.scratch.field(registry, id)
  if (field === null) throw new Error('an open order has a field')
  context.scratch.setField(registry, id, { valueType: settledType(context), value: u64Value(mark).bytes })
  return OrderContents.parse(field.value)
}

function payBack(call: HtlcCall, id: Uint8Array, order: Order) {
  emit(call.context, events.Refunded, { registry: call.registry, order_id: id })
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
  return NEVER_INITIATED
}

const settledType = ({ packageId }: CallContext) => `${packageId}::${HTLC}::Settled`
const orderType = ({ packageId }: CallContext, coinType: string) => `${packageId}::${HTLC}::Order<${coinType}>`

function termsIn([initiator, redeemer, secretHash, amount, timelock]: readonly Argument[]): Terms {
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

function emit<Event>({ scratch, packageId, sender }: CallContext, layout: BcsType<unknown, Event>, event: Event): void {
  const { name } = layout
  const contents = layout.serialize(event).toBytes()
  scratch.emit({ packageId, module: HTLC, sender, type: `${packageId}::${HTLC}::${name}`, contents })
}

function require(context: CallContext, condition: boolean, abort: Abort): void {
  if (!condition) context.abort(abortCode(abort))
}

function same(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.compare(left, right) === 0
}
