// Builds and signs the transactions by which an account makes calls.
import { ec } from 'starknet'
import type { Gas, GasPrices, ResourceBounds } from '../execution/gas.ts'
import { type Felts, hex, hexes } from '../felt.ts'
import type { Fields } from './fields.ts'
import { readTransaction, signed, type WireTransaction } from './wire-transaction.ts'

export type RawCall = { readonly to: bigint; readonly selector: bigint; readonly calldata: Felts }

export type Invocation = {
  readonly sender: bigint
  readonly calls: readonly RawCall[]
  readonly nonce: bigint
  readonly tip: bigint
  readonly bounds: ResourceBounds
}

const common = {
  version: '0x3',
  signature: [],
  paymaster_data: [],
  account_deployment_data: [],
  nonce_data_availability_mode: 'L1',
  fee_data_availability_mode: 'L1',
} as const

/** The form is that of nodes, without a signature. */
export function invokeFields({ sender, calls, nonce, tip, bounds }: Invocation): Fields {
  return {
    ...common,
    type: 'INVOKE',
    sender_address: hex(sender),
    calldata: hexes([BigInt(calls.length), ...calls.flatMap(callFelts)]),
    nonce: hex(nonce),
    tip: hex(tip),
    resource_bounds: boundsFields(bounds),
  }
}

export function signedInvoke(invocation: Invocation, chainId: bigint, privateKey: string): WireTransaction {
  return signTransaction(readTransaction(invokeFields(invocation), chainId, noClass), privateKey)
}

export type AccountDeployment = Omit<Invocation, 'sender' | 'calls' | 'nonce'> & {
  readonly classHash: bigint
  readonly publicKey: bigint
}

export function signedAccountDeployment(deployment: AccountDeployment, chainId: bigint, privateKey: string): WireTransaction {
  const { classHash, publicKey, tip, bounds } = deployment
  const { account_deployment_data: _, ...fields } = common
  const transaction = {
    ...fields,
    type: 'DEPLOY_ACCOUNT',
    class_hash: hex(classHash),
    contract_address_salt: hex(publicKey),
    constructor_calldata: [hex(publicKey)],
    nonce: '0x0',
    tip: hex(tip),
    resource_bounds: boundsFields(bounds),
  }
  return signTransaction(readTransaction(transaction, chainId, noClass), privateKey)
}

/** The bounds allow this much gas at twice the prices. */
export function boundsFor(gas: Gas, prices: GasPrices): ResourceBounds {
  const bound = (resource: keyof Gas) => ({ maxAmount: gas[resource], maxPrice: prices[resource] * 2n })
  return { l1Gas: bound('l1Gas'), l1DataGas: bound('l1DataGas'), l2Gas: bound('l2Gas') }
}

export function signHash(privateKey: string, messageHash: bigint): Felts {
  const { r, s } = ec.starkCurve.sign(hex(messageHash), privateKey)
  return [r, s]
}

function signTransaction(transaction: WireTransaction, privateKey: string): WireTransaction {
  return signed(transaction, signHash(privateKey, transaction.hash))
}

function boundsFields({ l1Gas, l1DataGas, l2Gas }: ResourceBounds): Fields {
  const bound = ({ maxAmount, maxPrice }: ResourceBounds['l1Gas']) => ({ max_amount: hex(maxAmount), max_price_per_unit: hex(maxPrice) })
  return { l1_gas: bound(l1Gas), l1_data_gas: bound(l1DataGas), l2_gas: bound(l2Gas) }
}

function callFelts({ to, selector, calldata }: RawCall): Felts {
  return [to, selector, BigInt(calldata.length), ...calldata]
}

function noClass(): never {
  throw new Error('this transaction declares no class')
}
