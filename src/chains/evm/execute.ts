/** Carries out initiate, redeem and refund so that asking again is harmless: first it looks, then it sends. */
import { type Address, maxUint256 } from 'viem'
import type { Chain } from '../../protocol/chain.ts'
import type { HtlcTerms, HtlcVerb } from '../../protocol/htlc.ts'
import { relayLimits } from '../../protocol/relay-limits.ts'
import { ChainFailure } from '../port/failure.ts'
import type { Outbox } from '../port/outbox.ts'
import { accountOf } from './address.ts'
import { approvalCall, isApprovalTaken } from './approval.ts'
import type { ContractState, HtlcState } from './contract-state.ts'
import { feeModelOf, suggestFees } from './fees/fees.ts'
import { gasFor, safeGas } from './fees/gas.ts'
import { relayGas } from './fees/relay-gas.ts'
import type { HtlcContract } from './htlc.ts'
import type { EvmNode } from './nodes/node.ts'
import { NodeRefusal } from './nodes/rpc.ts'
import { type Lane, openLane } from './send/lane.ts'
import { tryPayout } from './send/payout.ts'
import { asChainFailure, isRevert } from './send/revert.ts'
import { assertPatience } from './send/reverts.ts'
import { readAttempt, type Signed, type TransactionCall } from './send/transaction.ts'

export type Action = {
  readonly verb: HtlcVerb
  readonly contract: HtlcContract
  readonly terms: HtlcTerms
  readonly call: TransactionCall
  /** The amount comes out of the sender's own pocket; a token needs an allowance for it. */
  readonly paysAmount: boolean
  /** Of someone else's initiation: after how many reverts no more is paid for. */
  readonly revertsPaidFor?: number
  /** Of someone else's initiation: beyond what it takes now, for what others can make dearer before it is mined. */
  readonly spareGas?: bigint
}

export interface Executor {
  send(action: Action, outbox: Outbox): Promise<string>
  /** Null when nothing that was signed for the action can be mined any more. */
  cancel(outbox: Outbox): Promise<string | null>
}

export function createExecutor(chain: Chain, node: EvmNode, state: ContractState): Executor {
  async function send(action: Action, outbox: Outbox): Promise<string> {
    const mine = outbox.attempts.map(readAttempt).filter((signed) => signed.call.to === action.call.to)
    const obstacle = obstacleTo(action.verb, await state.htlc(action.contract, action.terms))
    if (obstacle !== null) {
      const done = await findSuccess(mine)
      if (done !== null) return done
      throw obstacle
    }
    const sender = accountOf(outbox.signer)
    const isOwn = (call: TransactionCall) => call.to === action.call.to
    const gasNow = (call: TransactionCall) =>
      isOwn(call) ? gasOf(action, sender) : gasFor(node, chain, { ...call, from: sender }, 'approve')
    // An initiation that is not made loses nothing but the deal.
    const lane = await openLane(node, chain, outbox, { isObligatory: action.verb !== 'initiate' })
    let live: string | null = null
    for (const signed of lane.pending) {
      const tx = await lane.keep(signed, gasNow)
      if (isOwn(signed.call)) live = tx
    }
    if (live !== null) return live
    // It may have been mined since we asked for the state.
    const fates = await Promise.all(mine.map(({ tx }) => node.outcome(tx)))
    const done = mine.find((_, index) => fates[index] === 'success')
    if (done !== undefined) return done.tx
    const reverted = mine.filter((_, index) => fates[index] === 'reverted')
    for (const { tx } of reverted) await outbox.noteReverted(tx)
    try {
      return await sendAnew(action, outbox, lane, reverted)
    } catch (error) {
      throw remembering(reverted.at(-1), error)
    }
  }

  async function sendAnew(action: Action, outbox: Outbox, lane: Lane, reverted: readonly Signed[]): Promise<string> {
    const sender = accountOf(outbox.signer)
    if (isRelay(action)) assertPaidFor(action, outbox, reverted.length)
    // What is ours to lose or to have is never put off.
    else if (payeeOf(action) !== sender) assertPatience(`${action.verb} to ${payeeOf(action)}`, reverted, outbox.now)
    const isApproved = action.paysAmount ? await preparePayment(action, sender, lane) : true
    if (!isApproved) return lane.append(action.call, await safeGas(node, chain, action.call, action.verb))
    if (action.verb === 'redeem' && outbox.attempts.length === 0) {
      // Its call data hold the secret, which nobody may see before it is on record that they might have.
      await tryPayout(node, action.contract, action.terms, { sender, ...(await offerFor(action)) })
      return lane.append(action.call, await safeGas(node, chain, action.call, 'redeem'))
    }
    await simulateAsSent(action, sender)
    return lane.append(action.call, await gasOf(action, sender))
  }

  async function gasOf(action: Action, sender: Address): Promise<bigint> {
    const call = { ...action.call, from: sender }
    return isRelay(action) ? (await relayGas(node, chain, call)) + (action.spareGas ?? 0n) : gasFor(node, chain, call, action.verb)
  }

  async function findSuccess(mined: readonly Signed[]): Promise<string | null> {
    for (const { tx } of mined) if ((await node.outcome(tx)) === 'success') return tx
    return null
  }

  /** A payment of nothing to oneself takes the place of each transaction. */
  async function cancel(outbox: Outbox): Promise<string | null> {
    const sender = accountOf(outbox.signer)
    const nothing: TransactionCall = { to: sender, data: '0x', value: 0n }
    const gasNow = (call: TransactionCall) => gasFor(node, chain, { ...call, from: sender }, 'cancel')
    const lane = await openLane(node, chain, outbox, { isObligatory: true })
    let last: string | null = null
    for (const { tx } of outbox.attempts) {
      if (lane.unmined.every((signed) => signed.tx !== tx) && (await node.outcome(tx)) === 'reverted') await outbox.noteReverted(tx)
    }
    for (const signed of lane.unmined) {
      const isCancelled = signed.call.to === sender
      last = isCancelled ? await lane.keep(signed, gasNow) : await lane.displace(signed, nothing, await gasNow(nothing))
    }
    return last
  }

  /** The same with what a transaction offers: contracts that are called by it may look at that. */
  async function simulateAsSent(action: Action, sender: Address): Promise<void> {
    const { call, verb } = action
    try {
      await node.call({ ...call, from: sender, ...(await offerFor(action)) })
    } catch (error) {
      if (isRevert(error)) throw asChainFailure(error, verb)
      if (!(error instanceof NodeRefusal)) throw error
      // Not every node takes it, and none for a sender that could not pay for so much.
      await simulate(call, sender, verb)
    }
  }

  /** Ample, since what a trial lacks in gas would look like a refusal; how much it takes is judged elsewhere. */
  async function offerFor({ call, verb }: Action): Promise<{ readonly gas: bigint; readonly gasPrice: bigint }> {
    const { maxFeePerGas } = await suggestFees(node, feeModelOf(chain))
    return { gas: 2n * (await safeGas(node, chain, call, verb)), gasPrice: maxFeePerGas }
  }

  /** Rejects with the contract's reason if the call would revert now. */
  async function simulate(call: TransactionCall, sender: Address, what: string): Promise<void> {
    try {
      await node.call({ ...call, from: sender })
    } catch (error) {
      throw asChainFailure(error, what)
    }
  }

  /** False while an approval is still on its way: the call that needs it cannot be simulated, only queued behind it. */
  async function preparePayment({ contract, terms }: Action, sender: Address, lane: Lane): Promise<boolean> {
    const { token, address: spender } = contract
    const balance = await (token === null ? node.balance(sender) : state.tokenBalance(token, sender))
    if (balance < terms.amount) {
      throw new ChainFailure('would-fail', `initiate: ${sender} holds ${balance} of ${terms.asset}, needs ${terms.amount}`)
    }
    if (token === null) return true
    const allowance = await state.allowance(token, sender, spender)
    if (allowance >= terms.amount) return true
    await approve(token, spender, sender, allowance, lane)
    return false
  }

  /** Unlimited and once, because the HTLC cannot be changed and takes only what the sender itself initiates or signs for. */
  async function approve(token: Address, spender: Address, sender: Address, allowance: bigint, lane: Lane): Promise<void> {
    const unlimited = approvalCall(token, spender, maxUint256)
    if (lane.isUnderWay(unlimited)) return
    if (allowance > 0n && !(await isApprovalTaken(node, unlimited, sender))) {
      const gas = await safeGas(node, chain, unlimited, 'approve')
      await lane.append(approvalCall(token, spender, 0n), gas)
      await lane.append(unlimited, gas)
      return
    }
    await simulate(unlimited, sender, 'approve')
    await lane.append(unlimited, await gasFor(node, chain, { ...unlimited, from: sender }, 'approve'))
  }

  return { send, cancel }
}

/** Someone else's initiation, at our expense. */
function isRelay({ verb, paysAmount }: Action): boolean {
  return verb === 'initiate' && !paysAmount
}

/** Whoever takes the allowance away while a relay is on its way, or judges otherwise in a block, makes it fail at our expense. */
function assertPaidFor({ revertsPaidFor = relayLimits.reverted }: Action, { revertedRelays = 0 }: Outbox, reverts: number): void {
  const failed = Math.max(reverts, revertedRelays)
  if (failed < revertsPaidFor) return
  const refusal = `${failed} relayed transactions for this initiator failed on the chain, and no more are paid for`
  throw new ChainFailure('would-fail', `initiate: ${refusal}`, { refusal })
}

/** Who gets the money, or has it locked for themselves: the contract pays the parties of the terms, whoever asks it to. */
function payeeOf({ verb, terms }: Action): string {
  return (verb === 'redeem' ? terms.redeemer : terms.initiator).toLowerCase()
}

/** What was mined and failed must not be taken for what is still on its way. */
function remembering(reverted: Signed | undefined, error: unknown): unknown {
  if (reverted === undefined || !(error instanceof ChainFailure) || error.kind !== 'would-fail') return error
  if (error.revertedTx !== null) return error
  return new ChainFailure(error.kind, `${error.message}; ${reverted.tx} is mined and reverted`, {
    cause: error,
    revertedTx: reverted.tx,
    ...(error.refusal !== null && { refusal: error.refusal }),
  })
}

/** Why there is nothing to send; null when there is. */
function obstacleTo(verb: HtlcVerb, state: HtlcState): ChainFailure | null {
  if (verb === 'initiate') return state === 'absent' ? null : new ChainFailure('superseded', `initiate: the swap is ${state} on the chain`)
  if (state === 'open') return null
  if (state === 'absent') return new ChainFailure('would-fail', `${verb}: the swap is not initiated on the chain`)
  return new ChainFailure('superseded', `${verb}: the swap is ${state} on the chain`)
}
