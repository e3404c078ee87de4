/** Signs and records transactions, and reads them back from the record. */

import { memoize } from '@tandem/chain-kit/contract/memoize.ts'
import type { Attempt } from '@tandem/chain-kit/port/outbox.ts'
import { onCurve, type PublicKey, type Signer } from '@tandem/keys/key.ts'
import { isStarkSignature } from '@tandem/keys/stark.ts'
import { type Felt, felt, selectorOf } from '../../contract/client/felt.ts'
import { addressOfFelt } from '../../terms/address.ts'
import { bytesOfFelt } from '../account.ts'
import { type Fees, feeRateOf } from '../fees/fees.ts'
import type { GasAmounts, NodeCall, WireTransaction } from '../nodes/node.ts'
import { starknetSigning } from '../signing.ts'
import { type Envelope, invokeHash } from './transaction-hash.ts'

/** All calls of one transaction happen in order, or none does. */
export type Multicall = { readonly calls: readonly NodeCall[] }

export type Signed = {
  readonly tx: string
  readonly at: bigint
  readonly call: Multicall
  readonly nonce: bigint
  readonly gas: GasAmounts
  readonly fees: Fees
  readonly wire: WireTransaction
}

export async function signInvoke(signer: Signer, envelope: Envelope, call: Multicall): Promise<Omit<Attempt, 'at'>> {
  const { envelope: signed, hash, signature } = await starknetSigning.sign('invoke', signer, envelope, executeCalldata(call))
  const raw = rawOf(invokeWire(signed, call, signature))
  const slots = [`${addressOfFelt(envelope.sender)}:${envelope.nonce}`]
  return { tx: hash, raw, slots, nonce: envelope.nonce, feeRate: feeRateOf(signed.fees) }
}

/** `signature` is empty for estimates that do not validate. */
export function invokeWire(envelope: Envelope, call: Multicall, signature: readonly Felt[] = []): WireTransaction {
  const calldata = executeCalldata(call)
  return { type: 'INVOKE', sender_address: envelope.sender, calldata, account_deployment_data: [], ...wireFields(envelope, signature) }
}

export function wireFields({ nonce, gas, fees: { prices, tip } }: Omit<Envelope, 'chainId'>, signature: readonly Felt[]) {
  const bound = (amount: bigint, price: bigint) => ({ max_amount: felt(amount), max_price_per_unit: felt(price) })
  return {
    version: '0x3',
    signature,
    nonce: felt(nonce),
    resource_bounds: {
      l1_gas: bound(gas.l1Gas, prices.l1Gas),
      l1_data_gas: bound(gas.l1DataGas, prices.l1DataGas),
      l2_gas: bound(gas.l2Gas, prices.l2Gas),
    },
    tip: felt(tip),
    paymaster_data: [],
    nonce_data_availability_mode: 'L1',
    fee_data_availability_mode: 'L1',
  }
}

export function executeCalldata({ calls }: Multicall): readonly Felt[] {
  const parts = calls.flatMap(({ to, selector, calldata }) => [to, selector, felt(BigInt(calldata.length)), ...calldata])
  return [felt(BigInt(calls.length)), ...parts]
}

/** Null means that calls are incomplete. What follows the last one is left out. */
export function readCalls(calldata: readonly Felt[]): readonly NodeCall[] | null {
  const [count = '0x0'] = calldata
  const calls: NodeCall[] = []
  let at = 1
  for (let index = 0n; index < BigInt(count); index += 1n) {
    const [to, selector, length] = calldata.slice(at, at + 3)
    const end = at + 3 + Number(length)
    if (to === undefined || selector === undefined || !(end <= calldata.length)) return null
    calls.push({ to, selector, calldata: calldata.slice(at + 3, end) })
    at = end
  }
  return calls
}

/** All recorded transactions are in hex; this one is the wire form as JSON. */
function rawOf(wire: WireTransaction): string {
  return `0x${Buffer.from(JSON.stringify(wire)).toString('hex')}`
}

export function readAttempt({ tx, raw, at }: Attempt): Signed {
  return { tx, at, ...parseRaw(raw) }
}

export function isSignedBy(
  { tx, wire, call, nonce, gas, fees }: Signed,
  key: PublicKey,
  { chainId, sender }: Pick<Envelope, 'chainId' | 'sender'>,
): boolean {
  const hash = invokeHash({ chainId, sender, nonce, gas, fees }, executeCalldata(call))
  if (hash !== tx) return false
  const signature = (wire as RecordedInvoke).signature.map(bytesOfFelt)
  const parts = [onCurve('stark', key).publicKey, bytesOfFelt(hash), ...signature]
  return verdictOn(parts.map((part) => Buffer.from(part).toString('hex')).join()) === 'valid'
}

/** A verification takes tens of milliseconds, and every retry of an action needs it, so results are cached. */
const verdictOn = memoize(500, (text): 'valid' | 'invalid' => {
  const [publicKey, digest, ...signature] = text.split(',').map((part) => Buffer.from(part, 'hex'))
  const isKnown = publicKey !== undefined && digest !== undefined
  return isKnown && isStarkSignature(publicKey, digest, signature) ? 'valid' : 'invalid'
})

/** The record is our own: see `wireFields`. */
type RecordedInvoke = WireTransaction & { readonly calldata: readonly Felt[] } & ReturnType<typeof wireFields>

/** Every action reads all unmined transactions of its signer, several times, so they are cached. */
const parseRaw = memoize(500, (raw): Omit<Signed, 'tx' | 'at'> => {
  const wire = JSON.parse(Buffer.from(raw.slice(2), 'hex').toString()) as RecordedInvoke
  const { l1_gas: l1Gas, l1_data_gas: l1DataGas, l2_gas: l2Gas } = wire.resource_bounds
  const amount = (bound: typeof l1Gas) => BigInt(bound.max_amount)
  const price = (bound: typeof l1Gas) => BigInt(bound.max_price_per_unit)
  const calls = readCalls(wire.calldata)
  if (calls === null) throw new Error('a recorded transaction has incomplete calls')
  return {
    wire,
    call: { calls },
    nonce: BigInt(wire.nonce),
    gas: { l1Gas: amount(l1Gas), l1DataGas: amount(l1DataGas), l2Gas: amount(l2Gas) },
    fees: { prices: { l1Gas: price(l1Gas), l1DataGas: price(l1DataGas), l2Gas: price(l2Gas) }, tip: BigInt(wire.tip) },
  }
})

const balanceOfSelector = selectorOf('balance_of')

/** The call changes nothing: it reads the account's balance of the fee token. */
export function noopCall(feeToken: Felt, account: Felt): Multicall {
  return { calls: [{ to: feeToken, selector: balanceOfSelector, calldata: [account] }] }
}

export function isSameCall(a: Multicall, b: Multicall): boolean {
  return executeCalldata(a).join() === executeCalldata(b).join()
}
