/**
 * One signer's sequence of nonces on one chain: which transactions still hold a place in it, and how to add to it.
 * Nonces are mined in order, so a place that nobody fills blocks all that come after it.
 */
import type { Chain } from '../../../protocol/chain.ts'
import { ChainFailure } from '../../port/failure.ts'
import type { Outbox } from '../../port/outbox.ts'
import { accountOf } from '../address.ts'
import { dataFeeOf } from '../fees/data-fee.ts'
import { type Fees, feeCapOf, feeModelOf, higherFees, raiseFees, suggestFees } from '../fees/fees.ts'
import { chainIdOf } from '../htlc.ts'
import type { EvmNode } from '../nodes/node.ts'
import { broadcast, type Verdict } from './broadcast.ts'
import { findHolders, type Holder, lowestFree } from './nonce.ts'
import { readAttempt, type Signed, signTransaction, type TransactionCall } from './transaction.ts'

export interface Lane {
  /** Transactions of this action without a block, lowest nonce first. */
  readonly unmined: readonly Signed[]
  /** Those of them that are next in line, with no gap before them. */
  readonly pending: readonly Signed[]
  /** Some action's unmined transaction that will be mined before whatever is added now. */
  isUnderWay(call: TransactionCall): boolean
  /**
   * Makes sure the node has it, and raises its fee when it has waited too long. Returns the hash now in force.
   * `gasNow` is asked when the node refuses the gas limit of old.
   */
  keep(signed: Signed, gasNow: (call: TransactionCall) => Promise<bigint>): Promise<string>
  /** Puts another call in its place, so that it can no longer be mined. */
  displace(signed: Signed, call: TransactionCall, gas: bigint): Promise<string>
  /** Signs, records and broadcasts at the lowest free nonce. */
  append(call: TransactionCall, gas: bigint): Promise<string>
}

/** Each try is recorded, and doubles the fee when the one before was refused for it; a node that refuses this often needs a person. */
const MAX_TRIES = 6

export async function openLane(node: EvmNode, chain: Chain, outbox: Outbox, duty: { readonly isObligatory: boolean }): Promise<Lane> {
  const model = feeModelOf(chain)
  const format = { chainId: chainIdOf(chain), gasPrice: model.gasPrice }
  const account = accountOf(outbox.signer)
  const urgent = outbox.secondsLeft !== null && outbox.secondsLeft < chain.feeBumpSeconds * 10n
  let count = await node.transactionCount(account)
  const holders = await findHolders(node, chain, outbox, count)
  const firstGap = lowestFree(count, holders)
  const inLine = (holder: Holder) => holder.wanted && holder.signed.nonce < firstGap
  let isTaken = false
  const onTaken = () => {
    isTaken = true
  }

  /** Whoever took what the others refused can bring it into a block, or show what is in it: that is no refusal. */
  function telling<A extends readonly unknown[]>(send: (...args: A) => Promise<string>): (...args: A) => Promise<string> {
    return async (...args) => {
      try {
        return await send(...args)
      } catch (error) {
        if (!isTaken || !(error instanceof ChainFailure)) throw error
        throw new ChainFailure('unreachable', `${error.message}; some have taken it all the same`, { cause: error })
      }
    }
  }

  async function put(
    call: TransactionCall,
    nonce: bigint,
    gas: bigint,
    fees: Fees,
  ): Promise<{ readonly signed: Signed; readonly verdict: Verdict }> {
    const attempt = signTransaction(format, outbox.signer, { call, nonce, gas, fees })
    await outbox.record(attempt)
    const signed = readAttempt({ ...attempt, at: outbox.now })
    const verdict = await broadcast(node, signed.raw, onTaken)
    if (verdict === 'accepted') holders.set(nonce, { signed, mine: true, wanted: true })
    return { signed, verdict }
  }

  /** Every node would refuse it, but only after it was recorded and shown. */
  async function requireFunds(cost: bigint): Promise<void> {
    const balance = await node.balance(account)
    if (balance < cost) {
      throw new ChainFailure('would-fail', `${account} holds ${balance} of the native coin of ${chain.id}, needs ${cost} with all fees`)
    }
  }

  async function displace(old: Signed, call: TransactionCall, gas: bigint): Promise<string> {
    const suggested = await suggestFees(node, model)
    const cap = feeCapOf(suggested, model, duty)
    let last = old
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const raised = raiseFees(last.fees, { urgent: urgent || last !== old, cap })
      if (raised === null) throw feeCapReached(old.nonce)
      const { signed, verdict } = await put(call, old.nonce, gas, higherFees(raised, suggested))
      if (verdict === 'accepted') return signed.tx
      if (verdict === 'nonce-used') throw nonceUsed(old.nonce)
      if (verdict === 'wrong-gas') throw gasRefused(signed)
      last = signed
    }
    throw new ChainFailure('would-fail', `the node takes no replacement at nonce ${old.nonce}, whatever the fee`)
  }

  /** A chain that stands still mines nothing at any fee. */
  async function hadItsChance({ at }: Signed): Promise<boolean> {
    const tip = await node.block('latest')
    return tip !== null && tip.time > at
  }

  async function keep(signed: Signed, gasNow: (call: TransactionCall) => Promise<bigint>): Promise<string> {
    if (!(await node.isKnown(signed.tx))) {
      const verdict = await broadcast(node, signed.raw, onTaken)
      if (verdict === 'nonce-used') throw nonceUsed(signed.nonce)
      // Where nodes do not show what waits, this may be how they say that they have it: time tells.
      const mayBeKnown = chain.hidesUnmined === true && verdict === 'underpriced'
      if (verdict !== 'accepted' && !mayBeKnown) {
        const gas = verdict === 'wrong-gas' ? await gasNow(signed.call) : signed.gas
        if (verdict === 'wrong-gas' && gas === signed.gas) throw gasRefused(signed)
        return displace(signed, signed.call, gas)
      }
    }
    // Only the next nonce can be mined: raising a later one would pay for nothing.
    const waitsForBlock = signed.nonce === count
    // Even one that was just sent again: whoever takes it may not pass it on, and too few may show what they have.
    const isOverdue = outbox.now - signed.at >= chain.feeBumpSeconds
    if (!waitsForBlock || !isOverdue || !(await hadItsChance(signed))) return signed.tx
    const cap = feeCapOf(await suggestFees(node, model), model, duty)
    return raiseFees(signed.fees, { urgent, cap }) === null ? signed.tx : displace(signed, signed.call, signed.gas)
  }

  async function append(call: TransactionCall, gas: bigint): Promise<string> {
    const suggested = await suggestFees(node, model)
    const cap = feeCapOf(suggested, model, duty)
    const dataFee = await dataFeeOf(node, chain, call)
    let refused: Signed | null = null
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const nonce = lowestFree(count, holders)
      const inTheWay: Signed | undefined = refused?.nonce === nonce ? refused : holders.get(nonce)?.signed
      const raised = inTheWay === undefined ? suggested : raiseFees(inTheWay.fees, { urgent: urgent || inTheWay === refused, cap })
      if (raised === null) throw feeCapReached(nonce)
      const fees = higherFees(raised, suggested)
      await requireFunds(call.value + gas * fees.maxFeePerGas + dataFee)
      const { signed, verdict } = await put(call, nonce, gas, fees)
      if (verdict === 'accepted') return signed.tx
      if (verdict === 'wrong-gas') throw gasRefused(signed)
      if (verdict === 'underpriced') refused = signed
      else count = atLeast(await node.transactionCount(account), nonce + 1n)
    }
    throw new ChainFailure('would-fail', `the node took none of ${MAX_TRIES} transactions in a row`)
  }

  const mine = [...holders.values()].filter((holder) => holder.mine)

  return {
    unmined: mine.map((holder) => holder.signed),
    pending: mine.filter(inLine).map((holder) => holder.signed),

    isUnderWay: (call) => [...holders.values()].some((holder) => inLine(holder) && isSameCall(holder.signed.call, call)),

    keep: telling(keep),
    displace: telling(displace),
    append: telling(append),
  }
}

function isSameCall(a: TransactionCall, b: TransactionCall): boolean {
  return a.to === b.to && a.data === b.data && a.value === b.value
}

function nonceUsed(nonce: bigint): ChainFailure {
  return new ChainFailure('superseded', `nonce ${nonce} was used meanwhile`)
}

function gasRefused({ gas, nonce }: Signed): ChainFailure {
  return new ChainFailure('would-fail', `the node refuses the gas limit ${gas} of the transaction at nonce ${nonce}`)
}

function feeCapReached(nonce: bigint): ChainFailure {
  return new ChainFailure('would-fail', `nonce ${nonce} is held by a transaction at the highest fee we pay for this`)
}

function atLeast(value: bigint, minimum: bigint): bigint {
  return value > minimum ? value : minimum
}
