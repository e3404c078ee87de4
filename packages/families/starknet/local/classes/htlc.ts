// A TypeScript re-implementation of our HTLC, packages/families/starknet/contract. The simulator runs no Cairo: the vectors of the contract's own tests run against this too.
import { createHash } from 'node:crypto'
import { type HtlcError, htlcErrors } from '../../contract/client/errors.ts'
import { encodeEvent, type OrderEvent } from '../../contract/client/events.ts'
import { type Deployment, hexOfWords, maxTimelock, type OrderTerms, orderId, orderMarks } from '../../contract/client/order.ts'
import { domainName, initiateDigest, refundDigest } from '../../contract/client/typed-data.ts'
import type { Calldata } from '../execution/calldata.ts'
import { panic } from '../execution/panic.ts'
import { type Felts, hex, shortString, u256Felts } from '../felt.ts'
import { remember } from '../hashes.ts'
import { VALID } from './account.ts'
import type { ContractClass, ContractEnv, EntryPoint } from './contract-class.ts'
import { htlcAbi, htlcClassFields, htlcClassHash } from './htlc-artifact.ts'

const knownHashes = remember<bigint>()

function assertThat(condition: boolean, error: HtlcError): void {
  if (!condition) throw panic(error)
}

/** Ids are of the chain of the deployment, digests of the current one. */
function hashOf(of: typeof orderId, env: ContractEnv, terms: OrderTerms): bigint {
  const { initiator, redeemer, timelock, amount, secretHash } = terms
  const deployment: Deployment = { chainId: hex(of === orderId ? env.read('chain id') : env.chainId), address: hex(env.address) }
  const question = [of.name, deployment.chainId, env.address, initiator, redeemer, timelock, amount, secretHash].join()
  return knownHashes(question, () => BigInt(of(deployment, terms)))
}

const stateName = (id: bigint) => `order ${hex(id)}`

type Order = { readonly initiator: bigint; readonly redeemer: bigint; readonly terms: OrderTerms; readonly signature: Felts }

function termsOf(initiator: bigint, redeemer: bigint, timelock: bigint, amount: bigint, words: Felts): OrderTerms {
  return { initiator: hex(initiator), redeemer: hex(redeemer), timelock, amount, secretHash: hexOfWords(words) ?? '' }
}

/** The parameters of an order, with the initiator, and a signature where the entry point has one. */
function readOrder(calldata: Calldata, isSigned = false): Order {
  const [initiator, redeemer] = [calldata.address(), calldata.address()]
  const terms = termsOf(initiator, redeemer, calldata.u128(), calldata.u256(), calldata.words())
  const signature = isSigned ? calldata.felts() : []
  calldata.end()
  return { initiator, redeemer, terms, signature }
}

function emit(env: ContractEnv, event: OrderEvent): void {
  const { keys, data } = encodeEvent(event)
  env.emit(keys.map(BigInt), data.map(BigInt))
}

function assertTransferred(answer: Felts): void {
  assertThat(answer[0] === 1n, htlcErrors.transferFailed)
}

function ownBalance(env: ContractEnv): bigint {
  const [low = 0n, high = 0n] = env.call(env.read('token'), 'balance_of', [env.address])
  return low + high * 2n ** 128n
}

/** Opens the order and takes the money from the payer. */
function open(env: ContractEnv, { initiator, redeemer, terms }: Order, payer: bigint): void {
  const { timelock, amount } = terms
  assertThat(initiator !== 0n, htlcErrors.zeroInitiator)
  assertThat(redeemer !== 0n, htlcErrors.zeroRedeemer)
  assertThat(initiator !== redeemer, htlcErrors.sameParties)
  assertThat(initiator !== env.address && redeemer !== env.address, htlcErrors.partyIsContract)
  assertThat(timelock >= 1n && timelock <= maxTimelock, htlcErrors.invalidTimelock)
  assertThat(amount > 0n, htlcErrors.zeroAmount)
  const id = hashOf(orderId, env, terms)
  assertThat(env.read(stateName(id)) === orderMarks.neverInitiated, htlcErrors.duplicateOrder)
  env.write(stateName(id), BigInt(env.block.timestamp))
  emit(env, { kind: 'initiated', orderId: hex(id), terms })
  assertThat(env.read('collecting') === 0n, htlcErrors.reentrantInitiation)
  env.write('collecting', 1n)
  const before = ownBalance(env)
  assertTransferred(env.call(env.read('token'), 'transfer_from', [payer, env.address, ...u256Felts(amount)]))
  assertThat(ownBalance(env) - before >= amount, htlcErrors.amountNotReceived)
  env.write('collecting', 0n)
}

/** Accounts answer VALID, older ones 1. Any other answer, none, several, and a panic mean no. */
function assertSigned(env: ContractEnv, signer: bigint, digest: bigint, signature: Felts): void {
  const answer = env.tryCall(signer, 'is_valid_signature', [digest, BigInt(signature.length), ...signature])
  assertThat(answer?.length === 1 && (answer[0] === VALID || answer[0] === 1n), htlcErrors.invalidSignature)
}

/** Returns when the order was initiated. */
function requireOpen(env: ContractEnv, id: bigint): bigint {
  const state = env.read(stateName(id))
  assertThat(state !== orderMarks.neverInitiated, htlcErrors.orderNotInitiated)
  assertThat(state !== orderMarks.redeemed && state !== orderMarks.refunded, htlcErrors.orderSettled)
  return state
}

function pay(env: ContractEnv, to: bigint, amount: bigint): void {
  assertTransferred(env.call(env.read('token'), 'transfer', [to, ...u256Felts(amount)]))
}

function refundTo(env: ContractEnv, { initiator, terms }: Order, id: bigint): Felts {
  env.write(stateName(id), orderMarks.refunded)
  emit(env, { kind: 'refunded', orderId: hex(id) })
  pay(env, initiator, terms.amount)
  return []
}

const initiate: EntryPoint = (env, calldata) => {
  const redeemer = calldata.address()
  const terms = termsOf(env.caller, redeemer, calldata.u128(), calldata.u256(), calldata.words())
  calldata.end()
  open(env, { initiator: env.caller, redeemer, terms, signature: [] }, env.caller)
  return []
}

const initiateOnBehalf: EntryPoint = (env, calldata) => {
  open(env, readOrder(calldata), env.caller)
  return []
}

const initiateWithSignature: EntryPoint = (env, calldata) => {
  const order = readOrder(calldata, true)
  assertSigned(env, order.initiator, hashOf(initiateDigest, env, order.terms), order.signature)
  open(env, order, order.initiator)
  return []
}

const redeem: EntryPoint = (env, calldata) => {
  const { redeemer, terms } = readOrder(calldata)
  const secret = terms.secretHash
  const secretHash = createHash('sha256').update(secret, 'hex').digest('hex')
  const id = hashOf(orderId, env, { ...terms, secretHash })
  requireOpen(env, id)
  env.write(stateName(id), orderMarks.redeemed)
  emit(env, { kind: 'redeemed', orderId: hex(id), secret })
  pay(env, redeemer, terms.amount)
  return []
}

const refund: EntryPoint = (env, calldata) => {
  const order = readOrder(calldata)
  const id = hashOf(orderId, env, order.terms)
  const initiatedAt = requireOpen(env, id)
  assertThat(BigInt(env.block.timestamp) - initiatedAt >= order.terms.timelock, htlcErrors.orderNotExpired)
  return refundTo(env, order, id)
}

const instantRefund: EntryPoint = (env, calldata) => {
  const order = readOrder(calldata, true)
  const id = hashOf(orderId, env, order.terms)
  if (env.caller !== order.redeemer) assertSigned(env, order.redeemer, hashOf(refundDigest, env, order.terms), order.signature)
  requireOpen(env, id)
  return refundTo(env, order, id)
}

export const htlcClass: ContractClass = {
  name: 'HTLC',
  classHash: htlcClassHash,
  construct(env, calldata) {
    const token = calldata.address()
    calldata.end()
    assertThat(token !== 0n, htlcErrors.zeroToken)
    env.write('token', token)
    env.write('chain id', env.chainId)
    return []
  },
  entryPoints: {
    initiate,
    initiate_on_behalf: initiateOnBehalf,
    initiate_with_signature: initiateWithSignature,
    redeem,
    refund,
    instant_refund: instantRefund,
    token(env, calldata) {
      calldata.end()
      return [env.read('token')]
    },
    order_id: (env, calldata) => [hashOf(orderId, env, readOrder(calldata).terms)],
    initiated_at(env, calldata) {
      const id = calldata.felt()
      calldata.end()
      return [env.read(stateName(id))]
    },
    domain_name(env, calldata) {
      calldata.end()
      return [shortString(domainName({ chainId: hex(env.chainId), address: hex(env.address) }))]
    },
  },
  abi: htlcAbi,
  compiled: htlcClassFields,
}
