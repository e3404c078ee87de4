/**
 * Tries a payout before the secret is shown: the redeem itself, in the code of the HTLC, with the sender, the gas and the fees of the transaction. Only its
 * secret is another one. In the state of the trial the order of that secret is open, and the real one is redeemed, as it is while the recipient is
 * paid. A recipient can distinguish the trial from the transaction by nothing but the block.
 *
 * Where the fee for data is charged as gas, nodes charge it in a call with fees too: the calldata of the trial has the same size.
 */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { type Hex32, hashSecret } from '@tandem/protocol/secret.ts'
import { type Address, bytesToHex, type Hex, hexToBytes, pad, toFunctionSelector, toHex } from 'viem'
import {
  type HtlcContract,
  isRedeemBatch,
  isRedeemWithGas,
  orderIdOf,
  redeemBatchData,
  redeemData,
  redeemWithGasData,
  secretsIn,
} from '../../terms/htlc.ts'
import type { OfferedFees } from '../fees/fees.ts'
import type { EvmNode } from '../nodes/node.ts'
import { NodeRefusal } from '../nodes/rpc.ts'
import { payoutFailure, payoutProblem, tryTransfer } from './payout.ts'
import { isInsufficientFunds, isOutOfGas, isRevert } from './revert.ts'
import type { TransactionCall } from './transaction.ts'

/** This transaction will make the payout, with these `fees`. */
export type Sending = {
  readonly sender: Address
  readonly call: Pick<TransactionCall, 'data' | 'value'>
  readonly gas: bigint
  readonly fees: OfferedFees
}

export interface PayoutTrial {
  /** `orders` are in the order of the calldata, all of one redeemer. Throws `would-fail` if the payout would fail. */
  try(contract: HtlcContract, orders: readonly TriedOrder[], sending: Sending): Promise<void>
}

/** A batch skips orders that are not open. */
export type TriedOrder = { readonly terms: HtlcTerms; readonly isOpen: boolean }

export function createPayoutTrial(node: EvmNode): PayoutTrial {
  /** The last answer of the node decides. While it does not support overrides, both simulations are asked for at once. */
  let supportsOverrides = true
  return {
    async try(contract, orders, sending) {
      const terms = openTerms(orders)
      const plain = () => tryWithoutOverride(node, contract, terms)
      const [isTried] = await Promise.all([tryAsSent(node, contract, orders, sending), supportsOverrides ? null : plain()])
      if (!isTried && supportsOverrides) await plain()
      supportsOverrides = isTried
    },
  }
}

function openTerms(orders: readonly TriedOrder[]): HtlcTerms {
  const [first] = orders
  if (first === undefined) throw new Error('a payout without orders')
  return { ...first.terms, amount: orders.reduce((sum, { terms, isOpen }) => (isOpen ? sum + terms.amount : sum), 0n) }
}

/** A slot has these values: see `Htlc.sol`. An open one has the time of its block, which no recipient can read. */
const REDEEMED = pad('0x01', { size: 32 })
export const OPEN_ORDER = pad('0x03', { size: 32 })

/** An access list takes this gas (EIP-2930). It is added, so that the same gas is left. */
const LISTED_ADDRESS_GAS = 2_400n
const LISTED_SLOT_GAS = 1_900n

/** Nodes that do not support state overrides cannot prove a payout to a contract. */
export const UNPROVABLE = 'it is a contract, and the nodes of this chain cannot simulate its payout'

const NOT_INITIATED = toFunctionSelector('HTLC__OrderNotInitiated()')

/** False means that the node does not support state overrides. */
async function tryAsSent(
  node: EvmNode,
  contract: HtlcContract,
  orders: readonly TriedOrder[],
  { sender, call: { data, value }, gas, fees }: Sending,
): Promise<boolean> {
  const terms = openTerms(orders)
  const standIns = orders.map(({ terms }, index) => withOtherSecret(terms, secretsIn(data)[index]))
  // The contract has read the slot of the order when it pays, so reading the slot again is cheap.
  const readSlots = orders.map(({ terms }) => orderIdOf(contract, terms))
  const slots = Object.fromEntries([
    ...orders.flatMap(({ isOpen }, index) => (isOpen ? [[readSlots[index], REDEEMED]] : [])),
    ...standIns.flatMap(({ terms }, index) => (orders[index]?.isOpen ? [[orderIdOf(contract, terms), OPEN_ORDER]] : [])),
  ]) as Readonly<Record<Hex, Hex>>
  try {
    const answer = await node.call({
      from: sender,
      to: contract.address,
      data: dataOf(standIns, data),
      value,
      gas: gas + LISTED_ADDRESS_GAS + LISTED_SLOT_GAS * BigInt(readSlots.length),
      ...fees,
      readSlots,
      overrides: { [contract.address]: { slots } },
    })
    // A batch without an open order pays nothing, and does not fail.
    return !isRedeemBatch(data) || answer === toHex(terms.amount, { size: 32 })
  } catch (error) {
    if (isWithoutOverrides(error)) return false
    throw payoutProblem(error, terms)
  }
}

/** The node, or one of several providers, does not support state overrides. Without them the order of the trial does not exist. */
export function isWithoutOverrides(error: unknown): boolean {
  if (isRevert(error)) return error.data?.startsWith(NOT_INITIATED) === true
  if (error instanceof NodeRefusal) return !isInsufficientFunds(error) && !isOutOfGas(error)
  return error instanceof ChainFailure && error.kind === 'unreachable'
}

/**
 * The HTLC makes a plain transfer, and a contract sees that this is no redeem. So it proves nothing about a contract that is paid in the
 * native coin, while tokens do not ask the recipient.
 */
async function tryWithoutOverride(node: EvmNode, contract: HtlcContract, terms: HtlcTerms): Promise<void> {
  const [code] = await Promise.all([
    contract.token === null ? node.code(terms.redeemer as Address) : '0x',
    tryTransfer(node, contract, terms),
  ])
  if (code !== '0x') throw payoutFailure(terms, UNPROVABLE)
}

type Redeem = { readonly terms: HtlcTerms; readonly secret: Hex32 }

function withOtherSecret(terms: HtlcTerms, secret: Hex32 | undefined): Redeem {
  if (secret === undefined) throw new Error('a redeem without a secret')
  const other = otherSecret(secret)
  return { terms: { ...terms, secretHash: hashSecret(other) }, secret: other }
}

/** The secret is random with as many zero bytes, which take less gas than others. Nodes learn no more than their number. */
function otherSecret(secret: Hex32): Hex32 {
  const zeros = hexToBytes(`0x${secret}`).filter((byte) => byte === 0).length
  const random = crypto.getRandomValues(new Uint8Array(32)).map((byte, index) => (index < zeros ? 0 : byte === 0 ? 1 : byte))
  return bytesToHex(random).slice(2)
}

function dataOf(redeems: readonly Redeem[], real: Hex): Hex {
  const [first] = redeems
  if (first === undefined) throw new Error('a payout without orders')
  if (isRedeemBatch(real)) return redeemBatchData(redeems)
  return isRedeemWithGas(real) ? redeemWithGasData(first.terms, first.secret) : redeemData(first.terms, first.secret)
}
