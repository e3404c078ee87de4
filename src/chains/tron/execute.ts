/** Carries out initiate, redeem and refund on Tron so that asking again is harmless: first it looks, then it sends. */
import { type Address, maxUint256 } from 'viem'
import type { Chain } from '../../protocol/chain.ts'
import type { HtlcTerms, HtlcVerb } from '../../protocol/htlc.ts'
import { relayLimits } from '../../protocol/relay-limits.ts'
import { accountOf as evmAccountOf } from '../evm/address.ts'
import { approvalCall, isApprovalTaken } from '../evm/approval.ts'
import type { ContractState, HtlcState } from '../evm/contract-state.ts'
import type { HtlcContract } from '../evm/htlc.ts'
import type { EvmNode } from '../evm/nodes/node.ts'
import { asChainFailure } from '../evm/send/revert.ts'
import { assertPatience } from '../evm/send/reverts.ts'
import { ChainFailure } from '../port/failure.ts'
import type { Outbox } from '../port/outbox.ts'
import { fromEvmAddress } from './address.ts'
import { energyAfterTrial, energyFor, isAtCap } from './fees.ts'
import { tokenOf } from './htlc.ts'
import { type Lane, newestBlock, openLane } from './lane.ts'
import type { WalletApi } from './nodes/wallet-api.ts'
import { tryPayout } from './payout.ts'
import { relayEnergy } from './relay-energy.ts'
import { expiresMsOf, type SignedCall, type TronCall } from './transaction.ts'

export type Action = {
  readonly verb: HtlcVerb
  readonly contract: HtlcContract
  /** With the parties as the contract knows them. */
  readonly terms: HtlcTerms
  readonly call: TronCall
  /** The amount comes out of the sender's own pocket, and needs an allowance. */
  readonly paysAmount: boolean
  /** Of someone else's initiation: after how many that failed on the chain no more is paid for. */
  readonly revertsPaidFor?: number
}

export interface Executor {
  /** While an allowance is still to be made, the hash is that of the approval: without nonces the one cannot be queued behind the other. */
  send(action: Action, outbox: Outbox): Promise<string>
  /** Null once nothing of what was signed can get into a block. Until then there is only waiting: the hash is of what is waited for. */
  cancel(outbox: Outbox): Promise<string | null>
}

/** An initiation that fails on the chain each time although its trial passes is made to fail by somebody: each costs energy. */
const MAX_FAILED_INITIATIONS = 3

/** Either way all that was allowed for is charged. Time is what a producer of blocks has for a call, and it is up when that is slow or the call is long. */
const lackings: ReadonlySet<string> = new Set(['OUT_OF_ENERGY', 'OUT_OF_TIME'])

export function createExecutor(chain: Chain, node: EvmNode, api: WalletApi, state: ContractState): Executor {
  async function send(action: Action, outbox: Outbox): Promise<string> {
    const { verb, contract, terms, call } = action
    const lane = await openLane(node, api, outbox)
    const own = [...lane.live, ...lane.past].filter((signed) => signed.call.to === call.to)
    const obstacle = obstacleTo(verb, await state.htlc(contract, terms))
    if (obstacle !== null) {
      const done = await findSuccess(own)
      if (done !== null) return done
      throw obstacle
    }
    const failed: SignedCall[] = []
    for (const signed of own) {
      const outcome = await node.outcome(`0x${signed.tx}`)
      // Mined since we asked for the state.
      if (outcome === 'success') return signed.tx
      if (outcome === 'reverted') failed.push(signed)
      else if (lane.live.includes(signed) && (await lane.keep(signed))) return signed.tx
    }
    for (const { tx } of failed) await outbox.noteReverted(tx)
    try {
      return await sendAnew(action, outbox, lane, failed)
    } catch (error) {
      throw remembering(failed[0], error)
    }
  }

  async function sendAnew(action: Action, outbox: Outbox, lane: Lane, failed: readonly SignedCall[]): Promise<string> {
    const { verb, contract, terms, call } = action
    const sender = evmAccountOf(outbox.signer)
    const lacking = await ranOut(failed)
    if (isRelay(action)) assertPaidFor(action, outbox, failed.length)
    // What is ours to lose or to have is never put off.
    else if (payeeOf(action) !== sender) assertPatience(`${verb} to ${payeeOf(action)}`, without(failed, lacking), outbox.now)
    const dearest = lacking.filter((signed) => isAtCap(verb, signed))
    assertPatience(`${verb} at the highest fee limit`, dearest, outbox.now)
    if (action.paysAmount) {
      const approval = await preparePayment(action, sender, lane)
      if (approval !== null) return approval
    }
    // Its call data hold the secret, which nobody may see before it is on record that they might have. Who redeems for itself has it from the chain.
    if (verb === 'redeem' && outbox.attempts.length === 0 && payeeOf(action) !== sender)
      return lane.send(call, verb, energyAfterTrial(await tryPayout(api, contract, terms)))
    await simulate(call, sender, verb)
    // More would be burned by the initiator's account if it can, whatever the limit was before.
    if (isRelay(action)) return lane.send(call, verb, await relayEnergy(node, { ...call, from: sender }))
    const need = await energyFor(node, { ...call, from: sender }, verb)
    return lane.send(call, verb, need, await limitAfter(verb, failed, lacking))
  }

  async function findSuccess(signed: readonly SignedCall[]): Promise<string | null> {
    for (const { tx } of signed) if ((await node.outcome(`0x${tx}`)) === 'success') return tx
    return null
  }

  /** The least fee limit for the next try, or a failure when there should be none. `failed`: newest first. */
  async function limitAfter(verb: HtlcVerb, failed: readonly SignedCall[], lacking: readonly SignedCall[]): Promise<bigint> {
    const [last] = failed
    if (last === undefined) return 0n
    if (verb !== 'initiate' || failed.length < MAX_FAILED_INITIATIONS) return lacking.includes(last) ? 2n * last.feeLimitSun : 0n
    const result = (await api.result(last.tx))?.result ?? 'an unknown result'
    throw new ChainFailure(
      'would-fail',
      `${verb}: it failed ${failed.length} times on the chain, the last time with ${result} in ${last.tx}`,
    )
  }

  /** Those that failed for lack of energy or time. A contract that they called can make that look like a revert, with next to nothing left. */
  async function ranOut(failed: readonly SignedCall[]): Promise<readonly SignedCall[]> {
    const lacking: SignedCall[] = []
    for (const signed of failed) {
      const known = await api.result(signed.tx)
      if (known === null || known.result === 'SUCCESS') continue
      const isSpent = known.energy * (await api.energyPrice()) * 10n >= signed.feeLimitSun * 9n
      if (isSpent || lackings.has(known.result)) lacking.push(signed)
    }
    return lacking
  }

  /** Rejects with the contract's reason if the call would revert now. */
  async function simulate(call: TronCall, sender: Address, what: string): Promise<void> {
    try {
      await node.call({ ...call, from: sender })
    } catch (error) {
      throw asChainFailure(error, what)
    }
  }

  /** Null when the amount can be taken; else the approval that is under way. */
  async function preparePayment({ contract, terms }: Action, sender: Address, lane: Lane): Promise<string | null> {
    const [token, spender] = [tokenOf(contract), contract.address]
    const balance = await state.tokenBalance(token, sender)
    if (balance < terms.amount)
      throw new ChainFailure('would-fail', `initiate: ${fromEvmAddress(sender)} holds ${balance} of ${terms.asset}, needs ${terms.amount}`)
    const allowance = await state.allowance(token, sender, spender)
    if (allowance >= terms.amount) return null
    // Unlimited and once, because the HTLC cannot be changed and takes only what the sender itself initiates or signs for.
    const unlimited = approvalCall(token, spender, maxUint256)
    const needsReset = allowance > 0n && !(await isApprovalTaken(node, unlimited, sender))
    const { to, data } = needsReset ? approvalCall(token, spender, 0n) : unlimited
    const waiting = await lane.underWay({ to, data })
    if (waiting !== null && (await lane.keep(waiting))) return waiting.tx
    await simulate({ to, data }, sender, 'approve')
    return lane.send({ to, data }, 'approve', await energyFor(node, { to, data, from: sender }, 'approve'))
  }

  async function cancel(outbox: Outbox): Promise<string | null> {
    const tip = await newestBlock(node)
    // Measured where blocks stay: a reorg sets the clock of the chain back, too.
    const depth = BigInt(chain.requiredConfirmations)
    const settled = await node.block(tip.height > depth ? tip.height - depth : 0n)
    if (settled === null) throw new ChainFailure('unreachable', `${chain.id}: the node has lost a block below its newest`)
    let waiting: string | null = null
    for (const attempt of outbox.attempts) {
      const outcome = await node.outcome(`0x${attempt.tx}`)
      if (outcome === 'reverted') await outbox.noteReverted(attempt.tx)
      if (outcome === null && expiresMsOf(attempt) > settled.time * 1000n) waiting = attempt.tx
    }
    return waiting
  }

  return { send, cancel }
}

/** Someone else's initiation, at our expense. */
function isRelay({ verb, paysAmount }: Action): boolean {
  return verb === 'initiate' && !paysAmount
}

/** Whoever takes the allowance away while a relay is on its way makes it fail at our expense. */
function assertPaidFor({ revertsPaidFor = relayLimits.reverted }: Action, { revertedRelays = 0 }: Outbox, failures: number): void {
  const failed = Math.max(failures, revertedRelays)
  if (failed < revertsPaidFor) return
  const refusal = `${failed} relayed transactions for this initiator failed on the chain, and no more are paid for`
  throw new ChainFailure('would-fail', `initiate: ${refusal}`, { refusal })
}

/** Who gets the money, or has it locked for themselves: the contract pays the parties of the terms, whoever asks it to. */
function payeeOf({ verb, terms }: Action): string {
  return verb === 'redeem' ? terms.redeemer : terms.initiator
}

function without(all: readonly SignedCall[], some: readonly SignedCall[]): readonly SignedCall[] {
  return all.filter((signed) => !some.includes(signed))
}

/** What was mined and failed must not be taken for what is still on its way. */
function remembering(failed: SignedCall | undefined, error: unknown): unknown {
  if (failed === undefined || !(error instanceof ChainFailure) || error.kind !== 'would-fail') return error
  if (error.revertedTx !== null) return error
  return new ChainFailure(error.kind, `${error.message}; ${failed.tx} is mined and failed`, {
    cause: error,
    revertedTx: failed.tx,
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
