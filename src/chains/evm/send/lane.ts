/**
 * The nonce lane of one signer on one chain: which unmined transaction holds which nonce, and how to take the next. Nonces are mined in order, so a nonce that
 * no transaction fills (a gap) blocks all later ones.
 */
import type { Chain } from '../../../protocol/chain.ts'
import type { Allocated, ContractTypes, Duty, Followed, Lane, Refused, Sharing } from '../../contract/lane.ts'
import { ChainFailure } from '../../port/failure.ts'
import type { Attempt, HeldKey, Outbox } from '../../port/outbox.ts'
import { accountOf } from '../address.ts'
import { evmDataOf } from '../chain-data.ts'
import { dataFeeOf } from '../fees/data-fee.ts'
import { type Fees, feeCapOf, feeModelOf, higherFees, raiseFees, suggestFees } from '../fees/fees.ts'
import { chainIdOf } from '../htlc.ts'
import type { EvmNode } from '../nodes/node.ts'
import { broadcast, type Refusal } from './broadcast.ts'
import { findAbandoned, type Holder, type Holders, holdersOf, lowestFreeNonce, mayBeAbandoned } from './nonce.ts'
import { readAttempt, type Signed, signTransaction, type TransactionCall } from './transaction.ts'

export interface EvmTypes extends ContractTypes {
  readonly call: TransactionCall
  readonly signed: Signed
  /** The gas limit. */
  readonly cost: bigint
  readonly refusal: Refusal
}

/** An action that is alive broadcasts what it recorded sooner than this. */
const BROADCAST_SECONDS = 2n

export async function openLane(node: EvmNode, chain: Chain, outbox: Outbox, duty: Duty): Promise<Lane<EvmTypes>> {
  const model = feeModelOf(chain)
  const format = { chainId: chainIdOf(chain), gasPrice: model.gasPrice }
  const account = accountOf(outbox.key)
  const urgent = outbox.secondsLeft !== null && outbox.secondsLeft < chain.feeBumpSeconds * 10n
  const noop: TransactionCall = { to: account, data: '0x', value: 0n }
  const own: Attempt[] = [...outbox.attempts]
  // A first attempt needs the balance too: asked in the same batch.
  const [nextNonce, balanceAtOpening] = await Promise.all([
    node.transactionCount(account),
    outbox.attempts.length === 0 ? node.balance(account) : null,
  ])
  let count = nextNonce
  /** Without the key; null before. */
  let holders: Holders | null = null
  let abandoned: ReadonlySet<string> = new Set()

  async function readHolders(): Promise<Holders> {
    const others = await outbox.readOthers({ fromNonce: count })
    abandoned = await findAbandoned(node, chain, outbox.now, count, holdersOf(count, own, others))
    holders = holdersOf(count, own, others, abandoned)
    return holders
  }

  // A first attempt has nothing to follow. It reads the others under the key, as it must anyway.
  const atOpening: Holders = outbox.attempts.length === 0 ? new Map() : await readHolders()
  const mine = [...atOpening.values()].filter((holder) => holder.mine)
  let isPartlyAccepted = false
  const onPartlyAccepted = () => {
    isPartlyAccepted = true
  }

  /** Under the key: more attempts may have been recorded since the lane was opened. */
  const holdersNow = async (held: HeldKey) => holdersOf(count, own, await held.readOthers({ fromNonce: count }), abandoned)

  async function sign(held: HeldKey, call: TransactionCall, nonce: bigint, gas: bigint, fees: Fees): Promise<Signed> {
    const attempt = signTransaction(format, held.signer, { call, nonce, gas, fees })
    await held.record(attempt)
    const recorded = { ...attempt, at: outbox.now }
    own.push(recorded)
    return readAttempt(recorded)
  }

  /** Every node would refuse it, but only after it was recorded and shown. */
  function requireFunds(balance: bigint, cost: bigint): void {
    if (balance < cost) {
      throw new ChainFailure('would-fail', `${account} holds ${balance} of the native coin of ${chain.id}, needs ${cost} with all fees`)
    }
  }

  async function allocate(
    call: TransactionCall,
    gas: bigint,
    refused: Refused<EvmTypes> | null,
    { mayShare }: Sharing,
  ): Promise<Allocated<EvmTypes>> {
    assertOtherGas(gas, refused)
    if (refused?.why === 'nonce-used') count = atLeast(await node.transactionCount(account), refused.signed.nonce + 1n)
    const [suggested, balance, dataFee] = await Promise.all([
      suggestFees(node, model),
      refused === null && balanceAtOpening !== null ? balanceAtOpening : node.balance(account),
      dataFeeOf(node, chain, call),
    ])
    const cap = feeCapOf(suggested, model, duty)
    const isOutbid = refused?.why === 'underpriced'
    const allocateOnce = () =>
      outbox.withKey(async (held): Promise<Allocated<EvmTypes> | null> => {
        let current = await holdersNow(held)
        // Whether nodes still know it is asked without the key.
        if (holders === null && mayBeAbandoned(chain, outbox.now, current)) return null
        const same = refused === null ? findInLine(count, current, call, mayShare) : null
        if (same !== null) return { signed: same, isNew: false }
        let nonce = isOutbid ? refused.signed.nonce : lowestFreeNonce(count, current)
        if (!isOutbid && current.has(nonce)) {
          // Nobody wants the transaction at this nonce any more: perhaps because it was mined meanwhile.
          count = atLeast(await node.transactionCount(account), count)
          current = await holdersNow(held)
          nonce = lowestFreeNonce(count, current)
        }
        const inTheWay = isOutbid ? refused.signed : current.get(nonce)?.signed
        const raised = inTheWay === undefined ? suggested : raiseFees(inTheWay.fees, { urgent: urgent || isOutbid, cap })
        if (raised === null) throw feeCapReached(nonce)
        const fees = higherFees(raised, suggested)
        requireFunds(balance, call.value + gas * fees.maxFeePerGas + dataFee)
        return { signed: await sign(held, call, nonce, gas, fees), isNew: true }
      })
    for (;;) {
      const allocated = await allocateOnce()
      if (allocated !== null) return allocated
      await readHolders()
    }
  }

  async function replace(old: Signed, call: TransactionCall, gas: bigint, refused: Refused<EvmTypes> | null): Promise<Signed> {
    if (refused?.why === 'nonce-used') throw nonceUsed(old.nonce)
    assertOtherGas(gas, refused)
    const last = refused?.signed ?? old
    const suggested = await suggestFees(node, model)
    const cap = feeCapOf(suggested, model, duty)
    const raised = raiseFees(last.fees, { urgent: urgent || last !== old, cap })
    if (raised === null) throw feeCapReached(old.nonce)
    return outbox.withKey(async (held) => {
      // Another action may have taken over the nonce of a transaction that it found abandoned.
      if ((await holdersNow(held)).get(old.nonce)?.mine !== true) throw nonceUsed(old.nonce)
      return sign(held, call, old.nonce, gas, higherFees(raised, suggested))
    })
  }

  /** A fee bump does not help while the chain makes no blocks. */
  async function hasChainMovedSince({ at }: Signed): Promise<boolean> {
    const tip = await node.block('latest')
    return tip !== null && tip.time > at
  }

  /** The next nonce is another action's, which may have ended between the record and the broadcast. All behind it wait. */
  async function hurryNext(): Promise<void> {
    const next = holders?.get(count)
    if (next === undefined || next.mine || !next.wanted || outbox.now - next.signed.at < BROADCAST_SECONDS) return
    if (!(await node.isKnown(next.signed.tx))) await outbox.hurry(next.signed.tx)
  }

  async function follow(signed: Signed): Promise<Followed<EvmTypes>> {
    const isSent = !(await node.isKnown(signed.tx))
    if (isSent) {
      const verdict = await broadcast(node, signed.raw, onPartlyAccepted)
      if (verdict === 'nonce-used') throw nonceUsed(signed.nonce)
      // Nodes that hide their mempool say "underpriced" for a transaction that they have already. The fee bump below still comes in time.
      const mayBeKnown = evmDataOf(chain).hidesUnmined && verdict === 'underpriced'
      if (verdict !== 'accepted' && !mayBeKnown)
        return { kind: 'replace', cost: verdict === 'wrong-gas' ? null : signed.gas, refused: { signed, why: verdict }, isSent: false }
    }
    // Only the next nonce can be mined: a fee bump of a later one would be wasted.
    const waitsForBlock = signed.nonce === count
    if (!waitsForBlock) await hurryNext()
    // Also after a rebroadcast: a node that accepts it may not pass it on.
    const isOverdue = outbox.now - signed.at >= chain.feeBumpSeconds
    if (!waitsForBlock || !isOverdue || !(await hasChainMovedSince(signed))) return { kind: 'waits' }
    const cap = feeCapOf(await suggestFees(node, model), model, duty)
    if (raiseFees(signed.fees, { urgent, cap }) === null) return { kind: 'waits' }
    return { kind: 'replace', cost: signed.gas, refused: null, isSent }
  }

  return {
    pending: mine.filter(isBefore(lowestFreeNonce(count, atOpening))).map((holder) => holder.signed),
    unmined: async () => mine.map((holder) => holder.signed),
    findPending: async (call) => findInLine(count, holders ?? (await readHolders()), call, true),
    follow,
    broadcast: ({ raw }) => broadcast(node, raw, onPartlyAccepted),
    isPartlyAccepted: () => isPartlyAccepted,
    allocate,
    replacement: { noop, isNoop: ({ to }) => to === account, replace },
  }
}

/** The same call, if it will be mined before the next free nonce. */
function findInLine(count: bigint, holders: Holders, call: TransactionCall, ofAnyAction: boolean): Signed | null {
  const candidates = [...holders.values()].filter(isBefore(lowestFreeNonce(count, holders)))
  return candidates.find(({ mine, signed }) => (mine || ofAnyAction) && isSameCall(signed.call, call))?.signed ?? null
}

/** A nonce that nobody fills blocks all after it. */
function isBefore(firstGap: bigint): (holder: Holder) => boolean {
  return ({ wanted, signed }) => wanted && signed.nonce < firstGap
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
