/** Simulates a payout without the secret: the same transfer, sent by the HTLC itself. */
import {
  type Address,
  concat,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  hexToBigInt,
  pad,
  prepareEncodeFunctionData,
  size,
  slice,
  toHex,
} from 'viem'
import type { HtlcTerms } from '../../../protocol/htlc.ts'
import { ChainFailure } from '../../port/failure.ts'
import { MAX_PAYOUT_GAS } from '../fees/gas.ts'
import { canonicalTerms, type HtlcContract } from '../htlc.ts'
import type { EvmNode, NodeCall } from '../nodes/node.ts'
import { NodeRefusal } from '../nodes/rpc.ts'
import { asChainFailure } from './revert.ts'

/** Throws `would-fail` if the payout cannot succeed, or takes more gas than we pay for. */
export async function verifyPayout(node: EvmNode, contract: HtlcContract, terms: HtlcTerms): Promise<void> {
  const [, gas] = await Promise.all([
    tryPayout(node, contract, terms),
    orChainFailure(() => node.estimateGas(transferOf(contract, terms)), terms),
  ])
  if (gas > MAX_PAYOUT_GAS) throw failure(terms, `it would take ${gas} gas, and we pay for ${MAX_PAYOUT_GAS}`)
}

/** The transaction that will make the payout. */
type Sending = { readonly sender: Address; readonly gas: bigint; readonly gasPrice: bigint }

/** The same without a gas limit. */
async function tryPayout(node: EvmNode, contract: HtlcContract, terms: HtlcTerms): Promise<void> {
  const answer = await orChainFailure(() => node.call(transferOf(contract, terms)), terms)
  if (contract.token !== null && !isAccepted(answer)) throw failure(terms, 'the token answered false')
}

export interface PayoutTrial {
  /** Simulates the payout as that transaction would make it; where the node does not support that, as a plain transfer of the HTLC. */
  try(contract: HtlcContract, terms: HtlcTerms, sending: Sending): Promise<void>
}

export function createPayoutTrial(node: EvmNode): PayoutTrial {
  /** By its last answer. If it does not, both simulations are asked for at once. */
  let supportsOverrides = true
  return {
    async try(contract, terms, sending) {
      const plain = () => tryPayout(node, contract, terms)
      const [result] = await Promise.all([payoutAsSent(node, contract, terms, sending), supportsOverrides ? null : plain()])
      if (result === null && supportsOverrides) await plain()
      supportsOverrides = result !== null
      if (result === null) return
      if (!result.succeeded) throw asChainFailure(new NodeRefusal(3, 'execution reverted', result.answer), payoutOf(terms))
      if (contract.token !== null && !isAccepted(result.answer)) throw failure(terms, 'the token answered false')
    },
  }
}

/**
 * Code in place of the HTLC's (a state override). It makes the call that it is given (address, amount, data), and returns MARKER, plus 1 if the
 * call succeeded, then what the call returned: PUSH1 0, PUSH1 0, CALLDATASIZE - 64, copy that much from 64, PUSH1 0, CALLDATALOAD(32), CALLDATALOAD(0), GAS, CALL,
 * PUSH4 MARKER, ADD, store at 0, copy what was returned to 32, return both.
 */
const FORWARDER: Hex = '0x600060006040360380604060003760006020356000355af16374616e64016000523d600060203e60203d016000f3'
const MARKER = 0x74616e64n

/**
 * Simulates the payout inside a transaction of the sender. This finds a recipient that accepts the money only in a simulation (no gas price, or no
 * contract in between) before the secret is shown. Null where the node does not support it.
 */
async function payoutAsSent(
  node: EvmNode,
  contract: HtlcContract,
  terms: HtlcTerms,
  { sender, gas, gasPrice }: Sending,
): Promise<{ readonly succeeded: boolean; readonly answer: Hex } | null> {
  const { to, data = '0x', value = 0n } = transferOf(contract, terms)
  const script = concat([pad(to), toHex(value, { size: 32 }), data])
  const answer = await orNull(() => node.call({ from: sender, to: contract.address, data: script, gas, gasPrice, code: FORWARDER }))
  if (answer === null || size(answer) < 32) return null
  const status = hexToBigInt(slice(answer, 0, 32)) - MARKER
  if (status !== 0n && status !== 1n) return null
  return { succeeded: status === 1n, answer: size(answer) > 32 ? slice(answer, 32) : '0x' }
}

/** Null on any failure: not every node supports this, and there is the plain simulation. */
async function orNull(question: () => Promise<Hex>): Promise<Hex | null> {
  try {
    return await question()
  } catch (error) {
    if (error instanceof NodeRefusal || error instanceof ChainFailure) return null
    throw error
  }
}

const transfer = prepareEncodeFunctionData({ abi: erc20Abi, functionName: 'transfer' })

function transferOf({ address, token }: HtlcContract, terms: HtlcTerms): NodeCall {
  const { redeemer, amount } = canonicalTerms(terms)
  if (token === null) return { from: address, to: redeemer, value: amount }
  return { from: address, to: token, data: encodeFunctionData({ ...transfer, args: [redeemer, amount] }) }
}

async function orChainFailure<T>(question: () => Promise<T>, terms: HtlcTerms): Promise<T> {
  try {
    return await question()
  } catch (error) {
    throw asChainFailure(error, payoutOf(terms))
  }
}

function failure(terms: HtlcTerms, why: string): ChainFailure {
  return new ChainFailure('would-fail', `${payoutOf(terms)}: ${why}`)
}

function payoutOf({ redeemer }: HtlcTerms): string {
  return `paying ${redeemer} out of the HTLC`
}

/** As `Transfers.sol` reads it: no data, or the word 1. */
function isAccepted(answer: Hex): boolean {
  return size(answer) === 0 || (size(answer) >= 32 && hexToBigInt(answer.slice(0, 66) as Hex) === 1n)
}
