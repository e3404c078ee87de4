// Makes orders for contract tests and gas measurements: parameters, calldata, and what the parties sign.
import { createHash, randomBytes } from 'node:crypto'
import {
  type Address,
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  type Hex,
  hexToBytes,
  keccak256,
  slice,
  toHex,
} from 'viem'
import { depositAccount } from './artifacts/deposit-account.ts'
import { htlcErc20 } from './artifacts/htlc-erc20.ts'

export interface HtlcOrder {
  readonly initiator: Address
  readonly redeemer: Address
  readonly timelock: bigint
  readonly amount: bigint
  readonly secret: Hex
  readonly secretHash: Hex
}

export interface HtlcDomain {
  readonly name: 'HTLC-ERC20' | 'HTLC-Native'
  readonly chainId: number
  readonly verifyingContract: Address
}

export function createOrder(terms: Pick<HtlcOrder, 'initiator' | 'redeemer'> & Partial<HtlcOrder>): HtlcOrder {
  const secret = terms.secret ?? toHex(randomBytes(32))
  const secretHash = toHex(createHash('sha256').update(hexToBytes(secret)).digest())
  return { timelock: 86_400n, amount: 100_000_000n, secretHash, ...terms, secret }
}

/** This implements the contract's formula independently: both parties must know the id before the initiation. */
export function computeOrderId({ chainId, verifyingContract }: HtlcDomain, order: HtlcOrder): Hex {
  const types = ['uint256', 'address', 'address', 'address', 'uint256', 'uint256', 'bytes32'].map((type) => ({ type }))
  const { initiator, redeemer, timelock, amount, secretHash } = order
  return keccak256(encodeAbiParameters(types, [BigInt(chainId), verifyingContract, initiator, redeemer, timelock, amount, secretHash]))
}

/** The order may be opened by a deposit on this chain, until the deadline. */
export interface OrderDeposit {
  readonly chainId: number
  readonly order: HtlcOrder
  readonly deadline: bigint
}

/** This implements the contract's formula independently, by EIP-1014; Tron's virtual machine has another prefix. */
export function computeDepositAddress(
  htlc: Address,
  { chainId, order, deadline }: OrderDeposit,
  { prefix = '0xff', accountCode = depositAccount.bytecode }: { readonly prefix?: Hex; readonly accountCode?: Hex } = {},
): Address {
  const types = ['uint256', 'address', 'address', 'uint256', 'uint256', 'bytes32', 'uint256'].map((type) => ({ type }))
  const salt = keccak256(encodeAbiParameters(types, [BigInt(chainId), ...byHash(order), deadline]))
  return getAddress(slice(keccak256(concat([prefix, htlc, salt, keccak256(accountCode)])), 12))
}

export function initiateTypedData(domain: HtlcDomain, { redeemer, timelock, amount, secretHash }: HtlcOrder) {
  return {
    domain: { ...domain, version: '1' },
    types: {
      Initiate: [
        { name: 'redeemer', type: 'address' },
        { name: 'timelock', type: 'uint256' },
        { name: 'amount', type: 'uint256' },
        { name: 'secretHash', type: 'bytes32' },
      ],
    },
    primaryType: 'Initiate',
    message: { redeemer, timelock, amount, secretHash },
  } as const
}

export function refundTypedData(domain: HtlcDomain, order: HtlcOrder) {
  return {
    domain: { ...domain, version: '1' },
    types: { Refund: [{ name: 'orderId', type: 'bytes32' }] },
    primaryType: 'Refund',
    message: { orderId: computeOrderId(domain, order) },
  } as const
}

/** All HTLCs have the same encoding of the functions that they share. */
export const htlcCall = {
  initiate: ({ redeemer, timelock, amount, secretHash }: HtlcOrder) =>
    encodeFunctionData({ abi: htlcErc20.abi, functionName: 'initiate', args: [redeemer, timelock, amount, secretHash] }),
  initiateOnBehalf: (order: HtlcOrder) => encodeFunctionData({ abi: htlcErc20.abi, functionName: 'initiateOnBehalf', args: byHash(order) }),
  initiateWithSignature: (order: HtlcOrder, signature: Hex) =>
    encodeFunctionData({ abi: htlcErc20.abi, functionName: 'initiateWithSignature', args: [...byHash(order), signature] }),
  initiateByAuthorization: (order: HtlcOrder, validBefore: bigint, signature: Hex) =>
    encodeFunctionData({
      abi: htlcErc20.abi,
      functionName: 'initiateByAuthorization',
      args: [...byHash(order), { deadline: validBefore, signature }],
    }),
  initiateByPermit: (order: HtlcOrder, signature: Hex, permit: { readonly deadline: bigint; readonly signature: Hex }) =>
    encodeFunctionData({
      abi: htlcErc20.abi,
      functionName: 'initiateByPermit',
      args: [...byHash(order), { deadline: permit.deadline, permit: permit.signature, terms: signature }],
    }),
  initiateBySignatureTransfer: (order: HtlcOrder, deadline: bigint, signature: Hex) =>
    encodeFunctionData({
      abi: htlcErc20.abi,
      functionName: 'initiateBySignatureTransfer',
      args: [...byHash(order), { deadline, signature }],
    }),
  redeem: ({ initiator, redeemer, timelock, amount, secret }: HtlcOrder) =>
    encodeFunctionData({ abi: htlcErc20.abi, functionName: 'redeem', args: [initiator, redeemer, timelock, amount, secret] }),
  /** Those for tokens have it, except that of HyperCore. */
  redeemWithGas: ({ initiator, redeemer, timelock, amount, secret }: HtlcOrder) =>
    encodeFunctionData({
      abi: htlcErc20.abi,
      functionName: 'redeemOfferingCoinForGas',
      args: [initiator, redeemer, timelock, amount, secret],
    }),
  redeemBatch: (redeemer: Address, orders: readonly HtlcOrder[]) =>
    encodeFunctionData({ abi: htlcErc20.abi, functionName: 'redeemBatch', args: [redeemer, orders] }),
  refund: (order: HtlcOrder) => encodeFunctionData({ abi: htlcErc20.abi, functionName: 'refund', args: byHash(order) }),
  revoke: ({ redeemer, timelock, amount, secretHash }: HtlcOrder) =>
    encodeFunctionData({ abi: htlcErc20.abi, functionName: 'revoke', args: [redeemer, timelock, amount, secretHash] }),
  depositAddressFrom: (deposit: OrderDeposit) =>
    encodeFunctionData({ abi: htlcErc20.abi, functionName: 'depositAddressFrom', args: [depositTuple(deposit)] }),
  initiateDeposit: (deposit: OrderDeposit) =>
    encodeFunctionData({ abi: htlcErc20.abi, functionName: 'initiateDeposit', args: [depositTuple(deposit)] }),
  reclaimDeposited: (deposit: OrderDeposit, token: Address) =>
    encodeFunctionData({ abi: htlcErc20.abi, functionName: 'reclaimDeposited', args: [depositTuple(deposit), token] }),
  instantRefund: (order: HtlcOrder, signature: Hex) =>
    encodeFunctionData({ abi: htlcErc20.abi, functionName: 'instantRefund', args: [...byHash(order), signature] }),
} as const

function byHash({ initiator, redeemer, timelock, amount, secretHash }: HtlcOrder) {
  return [initiator, redeemer, timelock, amount, secretHash] as const
}

function depositTuple({ chainId, order, deadline }: OrderDeposit) {
  const { initiator, redeemer, timelock, amount, secretHash } = order
  return { chainId: BigInt(chainId), initiator, redeemer, timelock, amount, secretHash, deadline }
}
