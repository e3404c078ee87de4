// Re-implements our HTLC, packages/families/starknet/contract/src, in TypeScript, because the simulator runs no Cairo. The contract's own
// vectors run against it. It judges contract/client, so it uses nothing of that: errors, hashes and events follow the Cairo source.
import { createHash } from 'node:crypto'
import type { Calldata } from '../execution/calldata.ts'
import { panic } from '../execution/panic.ts'
import { type Felts, selectorOf, shortString, u256Felts } from '../felt.ts'
import { poseidon } from '../hashes.ts'
import { VALID } from './account.ts'
import type { ContractClass, ContractEnv, EntryPoint } from './contract-class.ts'
import { htlcAbi, htlcClassFields, htlcClassHash } from './htlc-artifact.ts'

type Order = {
  readonly initiator: bigint
  readonly redeemer: bigint
  /** The timelock is in seconds. */
  readonly timelock: bigint
  readonly amount: bigint
  readonly words: Felts
}

const MAX_TIMELOCK = 30n * 24n * 60n * 60n
/** `initiated_at` answers with these for an order that is not open. */
const [NEVER_INITIATED, REDEEMED, REFUNDED] = [0n, 1n, 2n]

const u256Type = '"u256"("low":"u128","high":"u128")'
const typeHashes = {
  domain: selectorOf('"StarknetDomain"("name":"shortstring","version":"shortstring","chainId":"shortstring","revision":"shortstring")'),
  u256: selectorOf(u256Type),
  initiate: selectorOf(`"Initiate"("redeemer":"ContractAddress","amount":"u256","timelock":"u128","secretHash":"u128*")${u256Type}`),
  refund: selectorOf('"Refund"("orderId":"felt")'),
}

function assertThat(condition: boolean, error: string): void {
  if (!condition) throw panic(`HTLC: ${error}`)
}

const orderFelts = ({ initiator, redeemer, timelock, amount, words }: Order): Felts => [
  ...[initiator, redeemer, timelock],
  ...u256Felts(amount),
  ...words,
]

/** The id names the chain of the deployment, even if the chain has another id now. */
function orderId(env: ContractEnv, order: Order): bigint {
  return poseidon([env.read('chain id'), env.address, ...orderFelts(order)])
}

/** The name has five characters, and as many digits of the address as fit into a short string. */
function domainName({ address }: ContractEnv): bigint {
  return shortString(`HTLC-${address.toString(16).padStart(64, '0').slice(-26)}`)
}

/** The SNIP-12 hash of a message names the current chain. */
function digest(env: ContractEnv, signer: bigint, message: Felts): bigint {
  const domain = poseidon([typeHashes.domain, domainName(env), shortString('1'), env.chainId, 1n])
  return poseidon([shortString('StarkNet Message'), domain, signer, poseidon(message)])
}

function initiateDigest(env: ContractEnv, { initiator, redeemer, timelock, amount, words }: Order): bigint {
  const amountHash = poseidon([typeHashes.u256, ...u256Felts(amount)])
  return digest(env, initiator, [typeHashes.initiate, redeemer, amountHash, timelock, poseidon(words)])
}

const stateName = (id: bigint) => `order ${id}`

function readTerms(calldata: Calldata): Omit<Order, 'initiator'> {
  return { redeemer: calldata.address(), timelock: calldata.u128(), amount: calldata.u256(), words: calldata.words() }
}

function readOrder(calldata: Calldata): Order {
  const order = { initiator: calldata.address(), ...readTerms(calldata) }
  calldata.end()
  return order
}

function readSignedOrder(calldata: Calldata): { readonly order: Order; readonly signature: Felts } {
  const signed = { order: { initiator: calldata.address(), ...readTerms(calldata) }, signature: calldata.felts() }
  calldata.end()
  return signed
}

function emit(env: ContractEnv, name: 'Initiated' | 'Redeemed' | 'Refunded', id: bigint, data: Felts): void {
  env.emit([selectorOf(name), id], data)
}

function assertTransferred(answer: Felts): void {
  assertThat(answer[0] === 1n, 'transfer failed')
}

function ownBalance(env: ContractEnv): bigint {
  const [low = 0n, high = 0n] = env.call(env.read('token'), 'balance_of', [env.address])
  return low + high * 2n ** 128n
}

function open(env: ContractEnv, order: Order, payer: bigint): void {
  const { initiator, redeemer, timelock, amount } = order
  assertThat(initiator !== 0n, 'zero initiator')
  assertThat(redeemer !== 0n, 'zero redeemer')
  assertThat(initiator !== redeemer, 'same parties')
  assertThat(initiator !== env.address && redeemer !== env.address, 'party is the contract')
  assertThat(timelock >= 1n && timelock <= MAX_TIMELOCK, 'invalid timelock')
  assertThat(amount > 0n, 'zero amount')
  const id = orderId(env, order)
  assertThat(env.read(stateName(id)) === NEVER_INITIATED, 'duplicate order')
  env.write(stateName(id), BigInt(env.block.timestamp))
  emit(env, 'Initiated', id, orderFelts(order))
  assertThat(env.read('collecting') === 0n, 'reentrant initiation')
  env.write('collecting', 1n)
  const before = ownBalance(env)
  assertTransferred(env.call(env.read('token'), 'transfer_from', [payer, env.address, ...u256Felts(amount)]))
  assertThat(ownBalance(env) - before >= amount, 'amount not received')
  env.write('collecting', 0n)
}

/** Accounts answer VALID, older ones 1. Any other answer, none, several, or a panic mean no. */
function assertSigned(env: ContractEnv, signer: bigint, digest: bigint, signature: Felts): void {
  const answer = env.tryCall(signer, 'is_valid_signature', [digest, BigInt(signature.length), ...signature])
  assertThat(answer?.length === 1 && (answer[0] === VALID || answer[0] === 1n), 'invalid signature')
}

function requireOpen(env: ContractEnv, id: bigint): bigint {
  const state = env.read(stateName(id))
  assertThat(state !== NEVER_INITIATED, 'order not initiated')
  assertThat(state !== REDEEMED && state !== REFUNDED, 'order settled')
  return state
}

function pay(env: ContractEnv, to: bigint, amount: bigint): void {
  assertTransferred(env.call(env.read('token'), 'transfer', [to, ...u256Felts(amount)]))
}

function refundTo(env: ContractEnv, { initiator, amount }: Order, id: bigint): Felts {
  env.write(stateName(id), REFUNDED)
  emit(env, 'Refunded', id, [])
  pay(env, initiator, amount)
  return []
}

const initiate: EntryPoint = (env, calldata) => {
  const terms = readTerms(calldata)
  calldata.end()
  open(env, { initiator: env.caller, ...terms }, env.caller)
  return []
}

const initiateOnBehalf: EntryPoint = (env, calldata) => {
  open(env, readOrder(calldata), env.caller)
  return []
}

const initiateWithSignature: EntryPoint = (env, calldata) => {
  const { order, signature } = readSignedOrder(calldata)
  assertSigned(env, order.initiator, initiateDigest(env, order), signature)
  open(env, order, order.initiator)
  return []
}

function hashOfSecret(words: Felts): Felts {
  const secret = Buffer.alloc(32)
  for (const [index, word] of words.entries()) secret.writeUInt32BE(Number(word), 4 * index)
  const hash = createHash('sha256').update(secret).digest()
  return words.map((_, index) => BigInt(hash.readUInt32BE(4 * index)))
}

const redeem: EntryPoint = (env, calldata) => {
  const shown = readOrder(calldata)
  const id = orderId(env, { ...shown, words: hashOfSecret(shown.words) })
  requireOpen(env, id)
  env.write(stateName(id), REDEEMED)
  emit(env, 'Redeemed', id, shown.words)
  pay(env, shown.redeemer, shown.amount)
  return []
}

const refund: EntryPoint = (env, calldata) => {
  const order = readOrder(calldata)
  const id = orderId(env, order)
  const initiatedAt = requireOpen(env, id)
  assertThat(BigInt(env.block.timestamp) - initiatedAt >= order.timelock, 'order not expired')
  return refundTo(env, order, id)
}

const instantRefund: EntryPoint = (env, calldata) => {
  const { order, signature } = readSignedOrder(calldata)
  const id = orderId(env, order)
  const { redeemer } = order
  if (env.caller !== redeemer) assertSigned(env, redeemer, digest(env, redeemer, [typeHashes.refund, id]), signature)
  requireOpen(env, id)
  return refundTo(env, order, id)
}

export const htlcClass: ContractClass = {
  name: 'HTLC',
  classHash: htlcClassHash,
  construct(env, calldata) {
    const token = calldata.address()
    calldata.end()
    assertThat(token !== 0n, 'zero token')
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
    order_id: (env, calldata) => [orderId(env, readOrder(calldata))],
    initiated_at(env, calldata) {
      const id = calldata.felt()
      calldata.end()
      return [env.read(stateName(id))]
    },
    domain_name(env, calldata) {
      calldata.end()
      return [domainName(env)]
    },
  },
  abi: htlcAbi,
  compiled: htlcClassFields,
}
