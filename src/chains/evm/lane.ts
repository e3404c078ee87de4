/**
 * One signer's sequence of nonces on one chain: which transactions still hold a place in it, and how to add to it.
 * Nonces are mined in order, so a place that nobody fills blocks all that come after it.
 */
import type { Chain } from '../../protocol/chain.ts'
import { ChainFailure, type Outbox } from '../family.ts'
import { accountOf } from './address.ts'
import { broadcast } from './broadcast.ts'
import { type Fees, higherFees, raiseFees, suggestFees } from './fees.ts'
import { chainIdOf } from './htlc.ts'
import type { EvmNode } from './node.ts'
import { readAttempt, type Signed, signTransaction, type TransactionCall } from './transaction.ts'

export interface Lane {
  /** Unmined transactions of this action that can still be mined, lowest nonce first. */
  readonly pending: readonly Signed[]
  /** Any unmined transaction that can be counted on to be mined before what is added now, of whichever action. */
  isUnderWay(call: TransactionCall): boolean
  /** Makes sure the node has it, and raises its fee when it has waited too long. Returns the hash now in force. */
  keep(signed: Signed): Promise<string>
  /** Signs, records and broadcasts at the lowest free nonce. */
  append(call: TransactionCall, gas: bigint): Promise<string>
}

type Holder = { readonly signed: Signed; readonly mine: boolean; readonly wanted: boolean }

/** Each try is recorded; a node that refuses this often needs a person. */
const MAX_TRIES = 6

export async function openLane(node: EvmNode, chain: Chain, outbox: Outbox): Promise<Lane> {
  const chainId = chainIdOf(chain)
  const account = accountOf(outbox.signer)
  let count = await node.transactionCount(account)
  const holders = holdersFrom(count, outbox)
  const firstGap = lowestFree(count, holders)
  const urgent = outbox.secondsLeft !== null && outbox.secondsLeft < chain.feeBumpSeconds * 10n

  async function put(call: TransactionCall, nonce: bigint, gas: bigint, fees: Fees) {
    const attempt = signTransaction(chainId, outbox.signer, { call, nonce, gas, fees })
    await outbox.record(attempt)
    const signed = readAttempt({ ...attempt, at: outbox.now })
    return { signed, verdict: await broadcast(node, signed.raw) }
  }

  async function replace(old: Signed): Promise<string> {
    const suggested = await suggestFees(node)
    let last = old
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const raised = raiseFees(last.fees, { urgent })
      if (raised === null) return last.tx
      const { signed, verdict } = await put(old.call, old.nonce, old.gas, higherFees(raised, suggested))
      if (verdict === 'accepted') return signed.tx
      if (verdict === 'nonce-used') throw nonceUsed(old.nonce)
      last = signed
    }
    throw new ChainFailure('would-fail', `the node takes no replacement at nonce ${old.nonce}, whatever the fee`)
  }

  return {
    pending: [...holders.values()].filter((h) => h.mine && h.signed.nonce < firstGap).map((h) => h.signed),

    isUnderWay: (call) => [...holders.values()].some((h) => h.wanted && h.signed.nonce < firstGap && isSameCall(h.signed.call, call)),

    async keep(signed) {
      if (!(await node.isKnown(signed.tx))) {
        const verdict = await broadcast(node, signed.raw)
        if (verdict === 'nonce-used') throw nonceUsed(signed.nonce)
        return verdict === 'accepted' ? signed.tx : replace(signed)
      }
      // Only the next nonce can be mined: raising a later one would pay for nothing.
      const waitsForBlock = signed.nonce === count
      return waitsForBlock && outbox.now - signed.at >= chain.feeBumpSeconds ? replace(signed) : signed.tx
    },

    async append(call, gas) {
      const suggested = await suggestFees(node)
      let refused: Signed | null = null
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const nonce = lowestFree(count, holders)
        const inTheWay: Signed | undefined = refused?.nonce === nonce ? refused : holders.get(nonce)?.signed
        const raised = inTheWay === undefined ? suggested : raiseFees(inTheWay.fees, { urgent })
        if (raised === null) throw new ChainFailure('would-fail', `nonce ${nonce} is held by a transaction at the highest fee we pay`)
        const { signed, verdict } = await put(call, nonce, gas, higherFees(raised, suggested))
        if (verdict === 'accepted') {
          holders.set(nonce, { signed, mine: true, wanted: true })
          return signed.tx
        }
        if (verdict === 'underpriced') refused = signed
        else count = atLeast(await node.transactionCount(account), nonce + 1n)
      }
      throw new ChainFailure('would-fail', `the node took none of ${MAX_TRIES} transactions in a row`)
    },
  }
}

/** Who holds each unmined nonce: of several transactions for one, the node keeps the one with the highest fee. */
function holdersFrom(count: bigint, outbox: Outbox): Map<bigint, Holder> {
  const all: Holder[] = [
    ...outbox.others.map((attempt) => ({ signed: readAttempt(attempt), mine: false, wanted: attempt.wanted })),
    ...outbox.attempts.map((attempt) => ({ signed: readAttempt(attempt), mine: true, wanted: true })),
  ]
  const holders = new Map<bigint, Holder>()
  for (const holder of all.sort((a, b) => Number(a.signed.nonce - b.signed.nonce))) {
    const { nonce, fees } = holder.signed
    if (nonce < count) continue
    const known = holders.get(nonce)
    if (known === undefined || fees.maxFeePerGas >= known.signed.fees.maxFeePerGas) holders.set(nonce, holder)
  }
  // What we signed above a gap cannot be mined as it stands, so it does not keep its nonce from being used again.
  const gap = lowestFree(count, holders)
  for (const [nonce, holder] of holders) {
    if (nonce > gap && holder.mine) holders.set(nonce, { ...holder, wanted: false })
  }
  return holders
}

function lowestFree(count: bigint, holders: ReadonlyMap<bigint, Holder>): bigint {
  let nonce = count
  while (holders.get(nonce)?.wanted === true) nonce += 1n
  return nonce
}

function isSameCall(a: TransactionCall, b: TransactionCall): boolean {
  return a.to === b.to && a.data === b.data && a.value === b.value
}

function nonceUsed(nonce: bigint): ChainFailure {
  return new ChainFailure('superseded', `nonce ${nonce} was used meanwhile`)
}

function atLeast(value: bigint, minimum: bigint): bigint {
  return value > minimum ? value : minimum
}
