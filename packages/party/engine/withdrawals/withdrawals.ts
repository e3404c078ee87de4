/**
 * Carries out what the operator asked to send out of the inventory: see `store/solver/withdrawals.ts`. It works beside orders, by the same leases, keys
 * and outbox: a signed transfer is recorded before it is broadcast, and a repeat sends or replaces the recorded one.
 */
import type { TransferOutcome } from '@tandem/chain-kit/port/abilities/transfer.ts'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Attempt } from '@tandem/chain-kit/port/outbox.ts'
import type { Key } from '@tandem/keys/key.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Logger } from 'pino'
import { readAttempts } from '../../store/actions/attempts.ts'
import type { ActionResult } from '../../store/actions/finish-action.ts'
import type { Database } from '../../store/database/database.ts'
import { type LeasedWithdrawal, noteSettled, openWithdrawals, readWithdrawal, type Withdrawal } from '../../store/solver/withdrawals.ts'
import { backoffMs } from '../executor.ts'
import { clientFor } from '../facts.ts'
import { createFreshFacts, type FactsAge, goodForMs } from '../fresh-facts.ts'
import type { Leases } from '../leases.ts'
import { createLoop } from '../loop.ts'
import { afterRecord, outboxOf } from '../outbox.ts'
import { MIN_RECHECK_MS, WITHDRAWALS_MS } from '../times.ts'

/** Decides by the party's own configuration: a row is only a wish, and anyone who can write the database can write one. */
export interface WithdrawalRules {
  keyOf(client: ChainClient): Key
  /** It is called for each open withdrawal in each pass, before anything is done for it. */
  noteSeen(withdrawal: Withdrawal): void
  /** The last check before each signature. It throws to refuse. What it allows is counted on disk when it resolves. `attempts` are all on record. */
  authorize(withdrawal: Withdrawal, attempts: readonly Attempt[]): Promise<void>
  /** Rejects if `onRecorded` would. */
  assertNotable(): Promise<void>
  /** Throws if a transfer of it was signed that is not among these: it may be mined, so nothing about the others says that it is not paid. */
  assertNoneLost(withdrawal: Withdrawal, attempts: readonly Attempt[]): void
  /** The signed transfer is on record, and leaves the process after this call. */
  onRecorded(withdrawal: Withdrawal, tx: string): Promise<void>
}

export type WithdrawalContext = {
  readonly db: Database
  readonly clients: ReadonlyMap<ChainId, ChainClient>
  readonly leases: Leases
  readonly rules: WithdrawalRules
  readonly log: Logger
  readonly now: () => bigint
  readonly onSent?: (chain: ChainId) => void
  readonly stopping?: AbortSignal
}

/** So many are worked on at a time. A chain that hangs delays the others by its requests' timeouts at most. */
const MAX_AT_ONCE = 8

export function startWithdrawals(context: WithdrawalContext): { stop(): Promise<void> } {
  const { db, leases, log } = context
  const running = new Set<Promise<void>>()
  const loop = createLoop({
    intervalMs: WITHDRAWALS_MS,
    async run() {
      for (const withdrawal of await openWithdrawals(db)) context.rules.noteSeen(withdrawal)
      if (running.size >= MAX_AT_ONCE) return false
      for (const leased of await leases.withdrawals(MAX_AT_ONCE - running.size)) {
        const done: Promise<void> = perform(context, leased).finally(() => running.delete(done))
        running.add(done)
      }
      return false
    },
    onError: (error) => log.error({ err: error }, 'withdrawals cannot be read; will retry'),
  })
  return {
    async stop() {
      await loop.stop()
      await Promise.all(running)
    },
  }
}

/** Never rejects. */
async function perform(context: WithdrawalContext, leased: LeasedWithdrawal): Promise<void> {
  const { log, leases } = context
  try {
    await leases.finish(leased, await attempt(context, leased))
  } catch (error) {
    // The lease has expired: the first engine that reaches the database leases the action again.
    log.error({ withdrawal: leased.id, err: error }, 'could not record the result of a withdrawal')
  }
}

async function attempt(context: WithdrawalContext, leased: LeasedWithdrawal): Promise<ActionResult> {
  const { log } = context
  try {
    return await executeWithdrawal(context, leased)
  } catch (error) {
    const isExpected = error instanceof ChainFailure || error instanceof TandemError
    const reason = error instanceof Error ? error.message : String(error)
    const againInMs = error instanceof ChainFailure && error.kind === 'superseded' ? MIN_RECHECK_MS : backoffMs(leased.failures)
    log[isExpected ? 'warn' : 'error'](
      { withdrawal: leased.id, ...(!isExpected && { err: error }), reason },
      'a withdrawal is not sent yet',
    )
    return { kind: 'failed', error: reason, againInMs }
  }
}

export async function executeWithdrawal(context: WithdrawalContext, leased: LeasedWithdrawal): Promise<ActionResult> {
  const { db, clients, rules, log } = context
  const known = await readOpen(db, leased.id)
  const { chain, asset, recipient, amount, key, id } = known
  const client = clientFor(clients, chain)
  if (client.transfer === undefined) throw new ChainFailure('would-fail', `${chain} has no transfers yet`)
  const { transfer } = client
  const owner = rules.keyOf(client)
  const request = { asset, recipient, amount }
  const attempts = await readAttempts(db, key)
  const againInMs = Math.max(MIN_RECHECK_MS, client.chain.pollMs * 3)

  const outcome: TransferOutcome =
    attempts.length === 0 ? { kind: 'pending' } : await transfer.outcome(request, client.identityOf(owner), attempts)
  if (outcome.kind === 'failed') rules.assertNoneLost(known, attempts)
  if (outcome.kind !== 'pending') {
    const settledHeight = outcome.height ?? known.settledHeight ?? (await client.tip()).height
    const [paidTx, failure] = outcome.kind === 'paid' ? [outcome.tx, null] : [null, outcome.why]
    await noteSettled(db, id, { settledHeight, paidTx, failure })
    if (await isFinal(client, settledHeight)) {
      log.info({ withdrawal: id, chain, asset, recipient, amount: amount.toString(), tx: paidTx, failure }, `a withdrawal has ended`)
      return { kind: 'finished' }
    }
    return { kind: 'sent', tx: paidTx ?? newestOf(attempts), againInMs }
  }
  if (known.settledHeight !== null) await noteSettled(db, id, { settledHeight: null, paidTx: null, failure: null })

  /** Reads the row again: it may be cancelled, and what it says is checked by the configuration before each signature. */
  async function allow(): Promise<FactsAge> {
    const asOfMs = performance.now()
    const now = await readOpen(db, id)
    if (now.recipient !== recipient || now.amount !== amount || now.asset !== asset || now.chain !== chain)
      throw new ChainFailure('superseded', `withdrawal ${id} was changed while it was prepared`)
    await rules.authorize(now, await readAttempts(db, key))
    return { asOfMs, goodForMs: goodForMs(performance.now() - asOfMs, [client.chain]) }
  }
  const facts = createFreshFacts(await allow(), allow)
  if (attempts.length === 0) await rules.assertNotable()
  for (const { tx } of attempts) await rules.onRecorded(known, tx)
  const outbox = outboxOf(
    context,
    {
      client,
      key: owner,
      purpose: { kind: 'withdraw', chain, asset, recipient, amount },
      actions: [leased],
      attempts,
      holdsSecret: false,
      sponsor: null,
      secondsLeft: null,
    },
    facts,
  )
  const tx = await transfer.send(
    request,
    afterRecord(outbox, (recorded) => rules.onRecorded(known, recorded.tx)),
  )
  if (tx !== known.lastTx) {
    log.info({ withdrawal: id, chain, asset, recipient, amount: amount.toString(), tx }, 'sent a withdrawal')
    context.onSent?.(chain)
  }
  return { kind: 'sent', tx, againInMs }
}

async function readOpen(db: Database, id: string): Promise<Withdrawal> {
  const found = await readWithdrawal(db, id)
  if (found === null || !found.isOpen) throw new ChainFailure('superseded', `withdrawal ${id} is not open any more`)
  return found
}

function newestOf(attempts: readonly Attempt[]): string {
  const newest = attempts.at(-1)
  if (newest === undefined) throw new Error('a settled withdrawal without an attempt')
  return newest.tx
}

async function isFinal(client: ChainClient, height: bigint): Promise<boolean> {
  const [{ height: tip }, tagged] = await Promise.all([client.tip(), client.finalHeight?.() ?? null])
  return tip - height + 1n >= BigInt(client.chain.finalityBlocks) && (tagged === null || height <= tagged)
}
