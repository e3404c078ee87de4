/** Implements the solver as a party of the engine: its keys, the last check before it pays, and how long a redeem waits for a batch. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Keyring } from '@tandem/keys/keyring.ts'
import type { Party, Step } from '@tandem/party/engine/party.ts'
import { noGuard, type RollbackGuard } from '@tandem/party/engine/rollback/rollback-guard.ts'
import { readAttempts } from '@tandem/party/store/actions/attempts.ts'
import { findCosigned } from '@tandem/party/store/actions/batches.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { findOrder } from '@tandem/party/store/orders/orders.ts'
import { commitTo, isCommittedTo } from '@tandem/party/store/solver/commitments.ts'
import { actionKey } from '@tandem/protocol/order.ts'
import { maySolverPay, redeemable } from '@tandem/protocol/playbook.ts'
import { isSecretFor } from '@tandem/protocol/secret.ts'
import type { OrderState } from '@tandem/protocol/state.ts'
import { minSeconds } from '@tandem/protocol/timelock.ts'
import { onceSigned, type PayCheck, whyNotPay } from './pay-checks.ts'

export type SolverPartyOptions = {
  readonly db: Database
  readonly keys: Keyring
  /** A redeem waits this long for a batch, counted from when the secret is known. */
  readonly redeemWaitSeconds: bigint
  /** The checks run before each payment, until one is signed. */
  readonly payChecks: readonly PayCheck[]
  readonly onStates?: (states: readonly OrderState[]) => void
  /** It is absent only in tests and benches. */
  readonly guard?: RollbackGuard
  readonly now: () => bigint
}

export function createSolverParty({ db, keys, redeemWaitSeconds, payChecks, onStates, guard = noGuard, now }: SolverPartyOptions): Party {
  const isOnRecord = async (orderId: string) => (await readAttempts(db, actionKey(orderId, 'destination', 'initiate'))).length > 0

  /** A signed payment may be mined at any time, so the solver must go on. Only a payment that a forged row asks for is still refused. */
  async function assertWillingToPay(state: OrderState): Promise<void> {
    const [asked] = await Promise.allSettled([whyNotPay(payChecks, state)])
    if (asked.status === 'fulfilled' && asked.value === null) return
    const isSigned = await isOnRecord(state.order.id)
    if (asked.status === 'rejected' && !isSigned) throw asked.reason
    if (isSigned || asked.status === 'rejected') return assertWorth(state)
    throw new ChainFailure('would-fail', `the solver does not pay: ${asked.value?.reason}`)
  }

  async function assertWorth(state: OrderState): Promise<void> {
    const refusal = await whyNotPay(onceSigned(payChecks), state)
    if (refusal !== null) throw new ChainFailure('would-fail', `the solver does not pay: ${refusal.reason}`)
  }

  /** A recorded payment may be sent again: its nonces or UTXOs are used once, whatever the database has lost. */
  async function assertNothingLost(state: OrderState): Promise<void> {
    const reason = await guard.whyUnsafe(state)
    if (reason === null || (await isOnRecord(state.order.id))) return
    throw new ChainFailure('would-fail', reason)
  }

  return {
    role: 'solver',
    keyFor: async ({ client }) => keys.of(client),
    // The family then pays the address of the solver's key.
    payoutAddress: () => null,
    async authorize({ state, leg, verb, evidence }) {
      if (verb !== 'initiate' || leg !== 'destination') return
      if (evidence?.legs.source === undefined) throw new Error('a payment needs evidence of its source')
      const { id } = state.order
      const paidWith = state.source.counted.map((deposit) => deposit.id)
      // The release log counts, whatever the rows say.
      if (guard.hasSignedRefund(id, paidWith)) throw refundSigned()
      await assertNothingLost(state)
      const signed = guard.locksOf(actionKey(id, 'destination', 'initiate'))
      if (signed.length > 0 && !signed.includes(state.order.destination.swapId))
        throw new ChainFailure('would-fail', 'the payment of this order was signed for other terms: its row was changed')
      // The source may be redeemed to the solver although it never committed to pay: it must not pay at an old price now.
      if (maySolverPay(state)) await assertWillingToPay(state)
      else if (!(await isCommittedTo(db, id, 'locked')))
        throw new ChainFailure('would-fail', 'the solver never committed to pay for this order: it must not initiate it now')
      // The solver owes what it signed, at any price. Here only the database says what that was, so the worth is checked.
      else if (signed.length === 0) await assertWorth(state)
      if (!(await commitTo(db, id, 'locked'))) throw refundSigned()
    },
    assertNotable: guard.assertWritable,
    onRecorded: guard.noteAttempt,
    async secretFor({ state }) {
      const { secret } = state
      if (secret === null || !isSecretFor(secret, state.order.source.terms.secretHash))
        throw new Error(`order ${state.order.id}: the seen secret is missing or does not match the secret hash`)
      return secret
    },
    async waitMs(step) {
      const { client, leg, verb, state } = step
      if (verb !== 'redeem' || leg !== 'source' || client.cosignedRedeem === undefined) return 0
      if ((await findCosigned(db, state.order.id)) !== null) return 0
      const seenAt = (await findOrder(db, state.order.id))?.seenSecretAt ?? null
      if (seenAt === null) return 0
      const wait = seenAt + redeemWaitSeconds - now()
      const spare = spareSeconds(step)
      return Number(wait < spare ? wait : spare) * 1000
    },
    cosignedFor: ({ state }) => findCosigned(db, state.order.id),
    onReconciled(states) {
      onStates?.(states)
      return new Map()
    },
  }
}

function refundSigned(): ChainFailure {
  return new ChainFailure('would-fail', 'a refund of the source is signed already: the destination must not be initiated')
}

/** The time left of the timelock at the chain's fastest pace, less all margins twice: saving fees must never risk the timelock. */
function spareSeconds({ state, leg, client: { chain } }: Step): bigint {
  const { claimSeconds, reorgSeconds, feeSpikeSeconds } = chain.margins
  const minUnits = redeemable(state, leg).reduce<bigint | null>((units, { unitsLeft }) => {
    const left = unitsLeft ?? chain.timelocks[leg]
    return units === null || left < units ? left : units
  }, null)
  return minSeconds(chain.clock, minUnits ?? 0n) - 2n * (claimSeconds + reorgSeconds + feeSpikeSeconds)
}
