/** Deposits that the solver does not pay for are refunded instantly: wrong amounts, late or declined ones, and strays. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { clientFor } from '@tandem/party/engine/facts.ts'
import { lockRefundAddress } from '@tandem/party/store/orders/change-refund-address.ts'
import { addInstantRefunds } from '@tandem/party/store/orders/grants.ts'
import { findOrder, type StoredOrder } from '@tandem/party/store/orders/orders.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { depositsToRefundInstantly } from '@tandem/protocol/playbook.ts'
import { isStray, type OrderState } from '@tandem/protocol/state.ts'
import type { Deposit } from '@tandem/protocol/swap-state.ts'
import type { SyncContext, SyncResult, SyncTaskSource } from '../solver-sync/solver-sync.ts'
import { signExclusively, signInParts, signWithSolver } from './sign-with-solver.ts'

/** Anyone may send one deposit after the other. The cooldown between signings of one order doubles, so that more deposits share a signing. */
const MIN_COOLDOWN_MS = 1_000
const MAX_COOLDOWN_MS = 30_000
const MAX_REMEMBERED = 100_000

type Cooldown = { readonly untilMs: number; readonly ms: number }

/** Cooldowns are only in memory: after a restart the first signing of an order is not delayed. */
export function createAutomaticRefundTasks(context: SyncContext, nowMs: () => number = Date.now): SyncTaskSource {
  const cooldowns = new Map<string, Cooldown>()

  function coolDown(orderId: string): void {
    const last = cooldowns.get(orderId)
    const isRepeated = last !== undefined && nowMs() < last.untilMs + last.ms
    const ms = isRepeated ? Math.min(last.ms * 2, MAX_COOLDOWN_MS) : MIN_COOLDOWN_MS
    if (cooldowns.size >= MAX_REMEMBERED) cooldowns.clear()
    cooldowns.set(orderId, { untilMs: nowMs() + ms, ms })
  }

  return (states) =>
    states.flatMap((state) => {
      const { id, solverId, source } = state.order
      // Users with a key of their own, or without a refund address, must ask for the refund.
      if (source.userAddress === null || source.clientKey || depositsToRefundInstantly(state).length === 0) return []
      const run = async () => {
        const result = await refundAutomatically(context, state)
        if (result === 'done') coolDown(id)
        return result
      }
      return [{ key: `instant refund ${id}`, solverId, orderIds: [id], dueAtMs: cooldowns.get(id)?.untilMs ?? 0, run }]
    })
}

async function refundAutomatically(context: SyncContext, state: OrderState): Promise<SyncResult> {
  const result = await signExclusively(context.db, state.order.id, 0, () => signDue(context, state))
  // Another call signs for this order and stores the same refunds.
  return result === 'joined' || result === 'busy' ? 'soon' : result
}

async function signDue(context: SyncContext, state: OrderState): Promise<SyncResult> {
  const stored = await findOrder(context.db, state.order.id)
  if (stored === null) return 'done'
  const granted = new Set(
    stored.grants.flatMap((grant) => (grant.kind === 'instant-refund' ? grant.refunds : [])).map((one) => one.deposit),
  )
  const deposits = depositsToRefundInstantly(state).filter(({ id }) => !granted.has(id))
  const strays = deposits.filter(({ id }) => isStray(stored, id))
  // Once a redeem that shows the secret is signed, the deposits that pay for the order must stay.
  const others = stored.secretSigned ? [] : deposits.filter(({ id }) => !isStray(stored, id))
  // There are two requests: the solver signs strays at any time, but the other deposits only while it does not pay for the order.
  const results = await Promise.allSettled([strays, others].map((group) => signRefunds(context, stored, group)))
  for (const result of results) if (result.status === 'rejected') throw result.reason
  context.wake()
  return results.some((result) => result.status === 'fulfilled' && result.value === 'later') ? 'later' : 'done'
}

async function signRefunds(context: SyncContext, stored: StoredOrder, deposits: readonly Deposit[]): Promise<'done' | 'later'> {
  const { db, clients, log } = context
  const { id, source } = stored.order
  const { instantRefund } = clientFor(clients, source.chain)
  const to = source.userAddress
  if (deposits.length === 0 || instantRefund === undefined || to === null) return 'done'
  try {
    const refunds = await instantRefund.propose(source.terms, { deposits, to }, 'together')
    await signInParts(
      refunds,
      (part) => signWithSolver(context, stored, instantRefund, { refunds: part, to }),
      (signed) =>
        db.transaction().execute(async (tx) => {
          // The user may have changed the refund address meanwhile.
          if ((await lockRefundAddress(tx, id)) === to) await addInstantRefunds(tx, id, signed)
        }),
    )
    return 'done'
  } catch (error) {
    // The fee exceeds the deposit now. The refund after the timelock may batch several deposits and be worth its fee.
    if (error instanceof ChainFailure && error.kind === 'uneconomic') return 'later'
    if (!(error instanceof TandemError) || error.code !== 'rate_limited') throw error
    log.info({ order: id, reason: error.message }, 'no instant refund now')
    return 'later'
  }
}
