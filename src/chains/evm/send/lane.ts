/**
 * The nonce lane of one signer on one chain: which unmined transaction holds which nonce, and how to take the next. Nonces are mined in order, so a nonce that
 * no transaction fills (a gap) blocks all later ones.
 */
import type { Chain } from '../../../protocol/chain.ts'
import type { ContractTypes, Duty, Followed, Lane, Refused } from '../../contract/lane.ts'
import { ChainFailure } from '../../port/failure.ts'
import type { Outbox } from '../../port/outbox.ts'
import { accountOf } from '../address.ts'
import { evmDataOf } from '../chain-data.ts'
import { dataFeeOf } from '../fees/data-fee.ts'
import { type Fees, feeCapOf, feeModelOf, higherFees, raiseFees, suggestFees } from '../fees/fees.ts'
import { chainIdOf } from '../htlc.ts'
import type { EvmNode } from '../nodes/node.ts'
import { broadcast, type Refusal } from './broadcast.ts'
import { findNonceHolders, type Holder, lowestFreeNonce } from './nonce.ts'
import { readAttempt, type Signed, signTransaction, type TransactionCall } from './transaction.ts'

export interface EvmTypes extends ContractTypes {
  readonly call: TransactionCall
  readonly signed: Signed
  /** The gas limit. */
  readonly cost: bigint
  readonly refusal: Refusal
}

export async function openLane(node: EvmNode, chain: Chain, outbox: Outbox, duty: Duty): Promise<Lane<EvmTypes>> {
  const model = feeModelOf(chain)
  const format = { chainId: chainIdOf(chain), gasPrice: model.gasPrice }
  const account = accountOf(outbox.signer)
  const urgent = outbox.secondsLeft !== null && outbox.secondsLeft < chain.feeBumpSeconds * 10n
  const noop: TransactionCall = { to: account, data: '0x', value: 0n }
  let count = await node.transactionCount(account)
  const holders = await findNonceHolders(node, chain, outbox, count)
  const firstGap = lowestFreeNonce(count, holders)
  const isMineable = (holder: Holder) => holder.wanted && holder.signed.nonce < firstGap
  const mine = [...holders.values()].filter((holder) => holder.mine)
  let isPartlyAccepted = false
  const onPartlyAccepted = () => {
    isPartlyAccepted = true
  }

  async function sign(call: TransactionCall, nonce: bigint, gas: bigint, fees: Fees): Promise<Signed> {
    const attempt = signTransaction(format, outbox.signer, { call, nonce, gas, fees })
    await outbox.record(attempt)
    const signed = readAttempt({ ...attempt, at: outbox.now })
    holders.set(nonce, { signed, mine: true, wanted: true })
    return signed
  }

  /** Checked before signing: nodes would refuse it too, but only after it was recorded and they have seen its calldata. */
  async function requireFunds(cost: bigint): Promise<void> {
    const balance = await node.balance(account)
    if (balance < cost) {
      throw new ChainFailure('would-fail', `${account} holds ${balance} of the native coin of ${chain.id}, needs ${cost} with all fees`)
    }
  }

  async function allocate(call: TransactionCall, gas: bigint, refused: Refused<EvmTypes> | null): Promise<Signed> {
    assertOtherGas(gas, refused)
    if (refused?.why === 'nonce-used') count = atLeast(await node.transactionCount(account), refused.signed.nonce + 1n)
    const isOutbid = refused?.why === 'underpriced'
    const nonce = isOutbid ? refused.signed.nonce : lowestFreeNonce(count, holders)
    const replaced = isOutbid ? refused.signed : holders.get(nonce)?.signed
    const suggested = await suggestFees(node, model)
    const cap = feeCapOf(suggested, model, duty)
    const raised = replaced === undefined ? suggested : raiseFees(replaced.fees, { urgent: urgent || isOutbid, cap })
    if (raised === null) throw feeCapReached(nonce)
    const fees = higherFees(raised, suggested)
    await requireFunds(call.value + gas * fees.maxFeePerGas + (await dataFeeOf(node, chain, call)))
    return sign(call, nonce, gas, fees)
  }

  async function replace(old: Signed, call: TransactionCall, gas: bigint, refused: Refused<EvmTypes> | null): Promise<Signed> {
    if (refused?.why === 'nonce-used') throw nonceUsed(old.nonce)
    assertOtherGas(gas, refused)
    const last = refused?.signed ?? old
    const suggested = await suggestFees(node, model)
    const cap = feeCapOf(suggested, model, duty)
    const raised = raiseFees(last.fees, { urgent: urgent || last !== old, cap })
    if (raised === null) throw feeCapReached(old.nonce)
    return sign(call, old.nonce, gas, higherFees(raised, suggested))
  }

  /** A fee bump does not help while the chain makes no blocks. */
  async function hasChainMovedSince({ at }: Signed): Promise<boolean> {
    const tip = await node.block('latest')
    return tip !== null && tip.time > at
  }

  async function follow(signed: Signed): Promise<Followed<EvmTypes>> {
    if (!(await node.isKnown(signed.tx))) {
      const verdict = await broadcast(node, signed.raw, onPartlyAccepted)
      if (verdict === 'nonce-used') throw nonceUsed(signed.nonce)
      // Nodes that hide their mempool say "underpriced" for a transaction that they have already. The fee bump below still comes in time.
      const mayBeKnown = evmDataOf(chain).hidesUnmined && verdict === 'underpriced'
      if (verdict !== 'accepted' && !mayBeKnown)
        return { kind: 'replace', cost: verdict === 'wrong-gas' ? null : signed.gas, refused: { signed, why: verdict } }
    }
    // Only the next nonce can be mined: a fee bump of a later one would be wasted.
    const waitsForBlock = signed.nonce === count
    // Also after a rebroadcast: a node that accepts it may not relay it to its peers.
    const isOverdue = outbox.now - signed.at >= chain.feeBumpSeconds
    if (!waitsForBlock || !isOverdue || !(await hasChainMovedSince(signed))) return { kind: 'waits' }
    const cap = feeCapOf(await suggestFees(node, model), model, duty)
    if (raiseFees(signed.fees, { urgent, cap }) === null) return { kind: 'waits' }
    return { kind: 'replace', cost: signed.gas, refused: null }
  }

  return {
    pending: mine.filter(isMineable).map((holder) => holder.signed),
    unmined: async () => mine.map((holder) => holder.signed),
    findPending: async (call) =>
      [...holders.values()].find((holder) => isMineable(holder) && isSameCall(holder.signed.call, call))?.signed ?? null,
    follow,
    broadcast: ({ raw }) => broadcast(node, raw, onPartlyAccepted),
    isPartlyAccepted: () => isPartlyAccepted,
    allocate,
    replacement: { noop, isNoop: ({ to }) => to === account, replace },
  }
}

function isSameCall(a: TransactionCall, b: TransactionCall): boolean {
  return a.to === b.to && a.data === b.data && a.value === b.value
}

/** The same gas limit would be refused again. */
function assertOtherGas(gas: bigint, refused: Refused<EvmTypes> | null): void {
  if (refused?.why !== 'wrong-gas' || refused.signed.gas !== gas) return
  throw new ChainFailure('would-fail', `the node refuses the gas limit ${gas} of the transaction at nonce ${refused.signed.nonce}`)
}

function nonceUsed(nonce: bigint): ChainFailure {
  return new ChainFailure('superseded', `nonce ${nonce} was used by another transaction`)
}

function feeCapReached(nonce: bigint): ChainFailure {
  return new ChainFailure('would-fail', `nonce ${nonce} is held by a transaction at our fee cap`)
}

function atLeast(value: bigint, minimum: bigint): bigint {
  return value > minimum ? value : minimum
}
