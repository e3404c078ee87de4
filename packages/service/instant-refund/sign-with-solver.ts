/** The solver's signature for an instant refund is fetched and combined with the user's. */
import type { CosignedRefund } from '@tandem/chain-kit/port/abilities/cosigned-refund.ts'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { createOrderKey } from '@tandem/keys/keyring.ts'
import { orderPurpose } from '@tandem/keys/purpose.ts'
import { clientFor } from '@tandem/party/engine/facts.ts'
import { withLease } from '@tandem/party/store/actions/leases.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { addInstantRefunds } from '@tandem/party/store/orders/grants.ts'
import type { StoredOrder } from '@tandem/party/store/orders/orders.ts'
import { assertSealed } from '@tandem/party/store/orders/swap-seals.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { InstantRefund, SignedInstantRefund } from '@tandem/protocol/order.ts'
import { MAX_REFUNDS_AT_ONCE } from '@tandem/protocol/wire/solver.ts'
import type { ServiceContext } from '../context.ts'
import { settleRefundAddress } from '../orders/refund-address.ts'
import { SolverFailure } from '../solver-client.ts'
import { type SyncContext, solverOf } from '../solver-sync/solver-sync.ts'
import { withRefundFee } from './refund-budget.ts'

export type InstantRefundAbility = NonNullable<ChainClient['instantRefund']>

/** All of them pay this address of the user. */
type RefundsTo = { readonly refunds: readonly InstantRefund[]; readonly to: string }

/**
 * This signs without the user, in one round trip. Where the initiator must sign too, the service holds the user's key, and both keys make
 * one signature. Elsewhere the solver's consent is enough.
 */
export async function signWithSolver(
  context: SyncContext,
  stored: StoredOrder,
  ability: InstantRefundAbility,
  { refunds, to }: RefundsTo,
): Promise<readonly SignedInstantRefund[]> {
  // Where the service holds the user's key, its signature pays the address in the row, so the row must be sealed.
  assertSealed(context.vault, stored)
  const { order } = stored
  const { cosignedRefund } = clientFor(context.clients, order.source.chain)
  if (cosignedRefund !== undefined) return signTogether(context, { order }, cosignedRefund, { refunds, to })
  // The fee is charged before the solver is asked, because the solver never pays after it has signed.
  return withRefundFee(context, order, () => combineWithSolver(context, { order }, ability, refunds, []))
}

async function signTogether(
  context: SyncContext,
  { order }: Pick<StoredOrder, 'order'>,
  ability: CosignedRefund,
  { refunds, to }: RefundsTo,
): Promise<readonly SignedInstantRefund[]> {
  const key = await context.vault.get(context.db, order.id, 'source-key')
  if (key === null) throw new Error(`order ${order.id}: its source key is missing`)
  const { chain, terms } = order.source
  const purpose = orderPurpose(chain, { order: order.id, leg: 'source', verb: 'instant-refund', terms, to })
  const session = await ability.begin(terms, refunds, createOrderKey(clientFor(context.clients, chain), key).signerFor(purpose))
  const answer = await askSolver(context, order.id, order.solverId, refunds, session.offer)
  return verified(order.solverId, () => session.finish(answer))
}

/** The caller has verified the client's signatures. */
export async function combineWithSolver(
  context: Pick<SyncContext, 'solvers'>,
  { order }: Pick<StoredOrder, 'order'>,
  ability: InstantRefundAbility,
  refunds: readonly InstantRefund[],
  clientSignatures: readonly string[],
): Promise<readonly SignedInstantRefund[]> {
  const redeemer = await askSolver(context, order.id, order.solverId, refunds, null)
  return verified(order.solverId, () => ability.combine(order.source.terms, refunds, { initiator: clientSignatures, redeemer }))
}

/** A chain that does not answer says nothing about the solver's signature. */
async function verified<T>(solverId: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (cause) {
    if (cause instanceof ChainFailure) throw cause
    throw new SolverFailure(`solver ${solverId} gave wrong signatures for these refunds`, { cause })
  }
}

async function askSolver(
  context: Pick<SyncContext, 'solvers'>,
  orderId: string,
  solverId: string,
  refunds: readonly InstantRefund[],
  offer: string | null,
): Promise<string> {
  const { answer } = await solverOf(context, solverId).instantRefund(orderId, {
    refunds: refunds.map((refund) => ({ ...refund, amount: refund.amount.toString(), pays: refund.pays.toString() })),
    offer,
  })
  return answer
}

const signings = new WeakMap<Database, Map<string, Promise<unknown>>>()

/**
 * Runs `sign` while nobody else signs for this order. If this process is signing for the order, it waits and returns 'joined'; the caller
 * must read the order again. It returns 'busy' if another process signs for longer than `waitMs`.
 */
export async function signExclusively<T>(
  db: Database,
  orderId: string,
  waitMs: number,
  sign: () => Promise<T>,
): Promise<T | 'joined' | 'busy'> {
  const running = signings.get(db) ?? new Map<string, Promise<unknown>>()
  signings.set(db, running)
  const known = running.get(orderId)
  if (known !== undefined) {
    await known
    return 'joined'
  }
  const signing = withLease(db, `sign instant refund ${orderId}`, waitMs, sign)
  // The caller that started the signing gets its error; those that join try again.
  const ended = signing.catch(() => undefined).finally(() => running.delete(orderId))
  running.set(orderId, ended)
  return (await signing) ?? 'busy'
}

export async function signInParts<T>(
  items: readonly T[],
  sign: (part: readonly T[]) => Promise<readonly SignedInstantRefund[]>,
  store: (signed: readonly SignedInstantRefund[]) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < items.length; at += MAX_REFUNDS_AT_ONCE) await store(await sign(items.slice(at, at + MAX_REFUNDS_AT_ONCE)))
}

/** The first part that is stored sets the refund address; all further parts expect it. */
export function createRefundStore(
  context: Pick<ServiceContext, 'db' | 'sealer'>,
  stored: StoredOrder,
  to: string,
): (signed: readonly SignedInstantRefund[]) => Promise<void> {
  let owner = stored
  return async (signed) => {
    owner = await context.db.transaction().execute(async (tx) => {
      const settled = await settleRefundAddress(context, tx, owner, to)
      await addInstantRefunds(tx, stored.order.id, signed)
      return settled
    })
  }
}

export async function refuseIfSolverFails(
  { log }: Pick<ServiceContext, 'log'>,
  { order }: StoredOrder,
  ask: () => Promise<readonly SignedInstantRefund[]>,
): Promise<readonly SignedInstantRefund[]> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof SolverFailure)) throw error
    log.warn({ solver: order.solverId, order: order.id, err: error }, 'the solver did not sign an instant refund')
    throw new TandemError('chain_unavailable', 'the solver of this order did not give its signature; try again, or wait for the timelock', {
      cause: error,
    })
  }
}
