/**
 * Initiates, redeems and refunds by escrow transactions, in the steps of `contract/execute.ts`. Nodes simulate nothing, so the checks are
 * made on the ledger's state. The chain allows any number of escrows with the same terms, so an initiation is signed again only if none
 * before it can be validated.
 */
import { assertSecret, type ContractAction, type HtlcState } from '@tandem/chain-kit/contract/action.ts'
import { createContractExecutor, type Executor } from '@tandem/chain-kit/contract/execute.ts'
import type { ContractFamily, SideCall } from '@tandem/chain-kit/contract/family.ts'
import { ChainFailure, payoutRefused } from '@tandem/chain-kit/port/failure.ts'
import type { Attempt, Outbox } from '@tandem/chain-kit/port/outbox.ts'
import type { SpendableDeposit } from '@tandem/chain-kit/port/spend.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { Hex32 } from '@tandem/protocol/secret.ts'
import { accountOf, assertInitiator } from '../terms/address.ts'
import { conditionOf, type Escrow, type EscrowId, escrowOf, isEscrowOf, parseDeposit } from '../terms/htlc.ts'
import { obstacleToFinishing } from './accounts.ts'
import { LIFETIME_LEDGERS } from './fees.ts'
import type { XrplNode } from './nodes/node.ts'
import { newestOf } from './nodes/shared-node.ts'
import { createLanes, type XrplTypes } from './send/lane.ts'
import { type Call, cancelCall, createCall, finishCall, isSameCall, readAttempt, type Signed, unitsOf } from './send/transaction.ts'

type Action = ContractAction<Call> & {
  readonly escrow: EscrowId | null
  readonly attempts: readonly Attempt[]
}

export interface XrplExecutor extends Pick<Executor<Action>, 'cancelUnmined'> {
  initiate(terms: HtlcTerms, outbox: Outbox): Promise<string>
  redeem(terms: HtlcTerms, deposits: readonly SpendableDeposit[], secret: Hex32, outbox: Outbox): Promise<string>
  /** Each deposit needs a transaction of its own, so the action is repeated while any deposit is left. */
  refund(terms: HtlcTerms, deposits: readonly SpendableDeposit[], outbox: Outbox): Promise<string>
}

export function createExecutor(chain: Chain, node: XrplNode): XrplExecutor {
  const openLane = createLanes(node, chain)
  const family = familyOf(node, openLane)
  const executor = createContractExecutor(family)
  const send = (action: Action, outbox: Outbox) => withResult(node, executor.send(action, outbox))
  // A transaction in the open ledger cannot be replaced. It is validated or expired after some ledgers, so cancelling means waiting.
  const { cancelUnmined } = createContractExecutor({
    ...family,
    openLane: async (outbox, duty) => ({ ...(await openLane(outbox, duty)), replacement: null }),
  })

  return {
    async initiate(terms, outbox) {
      assertInitiator(terms.initiator, null)
      if (accountOf(outbox.key) !== terms.initiator) throw new Error(`the key of ${terms.initiator} is needed to initiate for it`)
      const { time } = await newestOf(node)
      const call = createCall(escrowOf(terms, time))
      return send({ verb: 'initiate', terms, call, paysAmount: true, escrow: null, attempts: outbox.attempts }, outbox)
    },
    async redeem(terms, deposits, secret, outbox) {
      assertSecret(secret, terms)
      const [deposit, ...more] = deposits
      if (deposit === undefined || more.length > 0)
        throw new ChainFailure('would-fail', `redeem: an escrow is redeemed by itself, and ${deposits.length} are asked for`)
      const escrow = escrowIdOf(terms, deposit)
      const call = finishCall(escrow, conditionOf(terms.secretHash), secret)
      return send({ verb: 'redeem', terms, call, paysAmount: false, escrow, attempts: outbox.attempts }, outbox)
    },
    async refund(terms, deposits, outbox) {
      const escrow = await nextToRefund(node, terms, deposits)
      return send({ verb: 'refund', terms, call: cancelCall(escrow), paysAmount: false, escrow, attempts: outbox.attempts }, outbox)
    },
    cancelUnmined,
  }
}

/** The error gets the code with which the ledger refused the last attempt, e.g. tecNO_PERMISSION. */
async function withResult(node: Pick<XrplNode, 'outcome'>, sending: Promise<string>): Promise<string> {
  try {
    return await sending
  } catch (error) {
    if (!(error instanceof ChainFailure) || error.revertedTx === null) throw error
    const { kind, message, revertedTx, refusal, retryAfterMs } = error
    const outcome = await node.outcome(revertedTx)
    if (outcome?.kind !== 'failed') throw error
    throw new ChainFailure(kind, `${message} (${outcome.result})`, {
      cause: error,
      revertedTx,
      ...(refusal !== null && { refusal }),
      ...(retryAfterMs !== null && { retryAfterMs }),
    })
  }
}

function escrowIdOf({ initiator }: HtlcTerms, { id }: SpendableDeposit): EscrowId {
  const escrow = parseDeposit(id)
  if (escrow.owner !== initiator) throw new ChainFailure('would-fail', `the escrow ${id} is not of ${initiator}`)
  return escrow
}

async function nextToRefund(node: XrplNode, terms: HtlcTerms, deposits: readonly SpendableDeposit[]): Promise<EscrowId> {
  const ids = deposits.map((deposit) => escrowIdOf(terms, deposit))
  const last = ids.at(-1)
  if (last === undefined) throw new ChainFailure('would-fail', 'refund: there is no escrow')
  if (ids.length === 1) return last
  const { height } = await newestOf(node)
  for (const id of ids) if ((await node.escrow(id.owner, id.sequence, height)) !== null) return id
  return last
}

function familyOf(node: XrplNode, openLane: ContractFamily<XrplTypes, Action>['openLane']): ContractFamily<XrplTypes, Action> {
  /** The escrow is read at the newest ledger. It is null if it has ended. */
  async function readEscrow({ escrow, terms }: Action): Promise<{ readonly open: Escrow | null; readonly time: bigint }> {
    if (escrow === null) throw new Error('an initiation has no escrow yet')
    const { height, time } = await newestOf(node)
    const found = await node.escrow(escrow.owner, escrow.sequence, height)
    if (found === 'other' || (found !== null && !isEscrowOf(terms, found)))
      throw new ChainFailure('would-fail', `the escrow ${escrow.sequence} of ${escrow.owner} has other terms than the swap`)
    return { open: found, time }
  }

  async function assertPossible(action: Action, sender: string): Promise<void> {
    const { verb, terms } = action
    if (verb === 'initiate') return assertNoneValidated(node, terms.initiator, action.attempts)
    const { open, time } = await readEscrow(action)
    if (open === null) throw new ChainFailure('superseded', `${verb}: the escrow has ended`)
    // The next ledger compares with the close time of this one.
    const isExpired = time > open.cancelAfter
    if (verb === 'refund' && !isExpired)
      throw new ChainFailure('would-fail', `refund: the escrow can be cancelled in ${open.cancelAfter - time + 1n} seconds`)
    if (verb === 'redeem') {
      if (isExpired) throw new ChainFailure('would-fail', 'redeem: the escrow is past its CancelAfter, and can only be cancelled')
      await assertPayable(node, terms, sender)
    }
  }

  return {
    senderOf: accountOf,
    read: async (attempt) => readAttempt(attempt),
    isOwn: ({ call }, signed) => isSameCall(call, signed),
    mayDoNothing: () => false,
    async htlcState(action): Promise<HtlcState> {
      // Our own attempts show whether there is one: see `assertPossible`.
      if (action.escrow === null) return 'absent'
      return (await readEscrow(action)).open === null ? 'settled' : 'open'
    },
    async outcome(tx) {
      const outcome = await node.outcome(tx)
      if (outcome?.kind === 'succeeded') return 'success'
      return outcome?.kind === 'failed' ? 'reverted' : null
    },
    openLane,
    sortReverts: async (_, reverted) => ({ all: reverted, byOthers: reverted, atFeeCap: [] }),
    approvals: async () => [],
    async simulate(step, sender) {
      if (isAction(step)) await assertPossible(step, sender)
    },
    estimate: async ({ call }) => unitsOf(call),
    async tryPayout(action, sender) {
      await assertPossible(action, sender)
      return unitsOf(action.call)
    },
    simulatesOwnRedeem: true,
    // The result is not null: transactions are validated in the order of their sequences.
    queuedCost: async () => Promise.reject(new Error('nothing waits for an approval')),
  }
}

function isAction(step: Action | SideCall<XrplTypes>): step is Action {
  return 'terms' in step
}

/** The promise rejects with `would-fail` if `sender` (null if not known yet) cannot pay the redeemer. */
export async function assertPayable(node: XrplNode, { redeemer }: HtlcTerms, sender: string | null): Promise<void> {
  const obstacle = await obstacleToFinishing(node, redeemer, sender)
  if (obstacle !== null) throw payoutRefused(`paying ${redeemer}: ${obstacle}`)
}

type ProofNode = Pick<XrplNode, 'block' | 'account' | 'isAbsent'>

/**
 * Each attempt must be impossible: its sequence is unused at a validated ledger after its last one; or its sequence is used,
 * and it is in none of the ledgers that it could be in, all of which were searched. A second escrow would be paid twice.
 */
export async function assertNoneValidated(node: ProofNode, owner: string, attempts: readonly Attempt[]): Promise<void> {
  if (attempts.length === 0) return
  const { height } = await newestOf(node)
  const account = await node.account(owner, height)
  for (const signed of attempts.map(readAttempt)) await assertImpossible(node, signed, account?.sequence ?? 0n, height)
}

/** `next` is the sequence of the next transaction at the newest ledger. */
async function assertImpossible(node: ProofNode, { tx, nonce, fees }: Signed, next: bigint, newest: bigint): Promise<void> {
  if (next <= nonce) {
    if (fees.lastLedger <= newest) return
    throw new ChainFailure('unreachable', `${tx} may still be validated, until ledger ${fees.lastLedger}`)
  }
  const last = fees.lastLedger < newest ? fees.lastLedger : newest
  // The transaction was signed at this ledger or later.
  const first = fees.lastLedger - LIFETIME_LEDGERS
  if (!(await node.isAbsent(tx, first < last ? first : last, last)))
    throw new ChainFailure('superseded', `${tx} is validated: another one would pay twice`)
}
