/** Carries out initiate, redeem and refund so that asking again is harmless: first it looks, then it sends. */
import { type Address, maxUint256 } from 'viem'
import type { Chain } from '../../protocol/chain.ts'
import type { HtlcTerms, HtlcVerb } from '../../protocol/htlc.ts'
import { ChainFailure, type Outbox } from '../family.ts'
import { accountOf } from './address.ts'
import { approvalCall, isApprovalTaken } from './approval.ts'
import type { ContractState, HtlcState } from './contract-state.ts'
import { gasFor, safeGas } from './gas.ts'
import type { HtlcContract } from './htlc.ts'
import { type Lane, openLane } from './lane.ts'
import type { EvmNode } from './node.ts'
import { tryPayout } from './payout.ts'
import { relayGas } from './relay-gas.ts'
import { asChainFailure } from './revert.ts'
import { readAttempt, type Signed, type TransactionCall } from './transaction.ts'

export type Action = {
  readonly verb: HtlcVerb
  readonly contract: HtlcContract
  readonly terms: HtlcTerms
  readonly call: TransactionCall
  /** The amount comes out of the sender's own pocket; a token needs an allowance for it. */
  readonly paysAmount: boolean
}

export interface Executor {
  send(action: Action, outbox: Outbox): Promise<string>
  /** Null when nothing that was signed for the action can be mined any more. */
  cancel(outbox: Outbox): Promise<string | null>
}

/** Whoever takes the allowance away while a relay is on its way makes it fail at our expense. */
const MAX_REVERTED_RELAYS = 3

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
    try {
      return await sendAnew(action, outbox, lane, reverted.length)
    } catch (error) {
      throw remembering(reverted.at(-1), error)
    }
  }

  async function sendAnew(action: Action, outbox: Outbox, lane: Lane, reverts: number): Promise<string> {
    const sender = accountOf(outbox.signer)
    if (isRelay(action) && reverts >= MAX_REVERTED_RELAYS)
      throw new ChainFailure('would-fail', `initiate: ${reverts} transactions failed already, and no more are paid for`)
    const isApproved = action.paysAmount ? await preparePayment(action, sender, lane) : true
    if (!isApproved) return lane.append(action.call, await safeGas(node, chain, action.call, action.verb))
    if (action.verb === 'redeem' && outbox.attempts.length === 0) {
      // Its call data hold the secret, which nobody may see before it is on record that they might have.
      await tryPayout(node, action.contract, action.terms)
      return lane.append(action.call, await safeGas(node, chain, action.call, 'redeem'))
    }
    await simulate(action.call, sender, action.verb)
    return lane.append(action.call, await gasOf(action, sender))
  }

  function gasOf(action: Action, sender: Address): Promise<bigint> {
    const call = { ...action.call, from: sender }
    return isRelay(action) ? relayGas(node, chain, call) : gasFor(node, chain, call, action.verb)
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
    for (const signed of lane.unmined) {
      const isCancelled = signed.call.to === sender
      last = isCancelled ? await lane.keep(signed, gasNow) : await lane.displace(signed, nothing, await gasNow(nothing))
    }
    return last
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

/** What was mined and failed must not be taken for what is still on its way. */
function remembering(reverted: Signed | undefined, error: unknown): unknown {
  if (reverted === undefined || !(error instanceof ChainFailure) || error.kind !== 'would-fail') return error
  return new ChainFailure(error.kind, `${error.message}; ${reverted.tx} is mined and reverted`, { cause: error, revertedTx: reverted.tx })
}

/** Why there is nothing to send; null when there is. */
function obstacleTo(verb: HtlcVerb, state: HtlcState): ChainFailure | null {
  if (verb === 'initiate') return state === 'absent' ? null : new ChainFailure('superseded', `initiate: the swap is ${state} on the chain`)
  if (state === 'open') return null
  if (state === 'absent') return new ChainFailure('would-fail', `${verb}: the swap is not initiated on the chain`)
  return new ChainFailure('superseded', `${verb}: the swap is ${state} on the chain`)
}
