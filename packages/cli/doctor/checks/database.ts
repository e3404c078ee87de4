/** Checks that the database answers, is new enough, takes writes, has our tables, belongs to this party and its vault key, and needs no confirmation; that its clock agrees with ours; and that an engine works on it. */

import { type DatabaseReport, inspectDatabase } from '@tandem/party/store/database/inspect-database.ts'
import type { Refusal } from '@tandem/party/store/database/migrations.ts'
import { whyNotOwner } from '@tandem/party/store/database/owner.ts'
import { createSealer } from '@tandem/party/store/orders/sealed-values.ts'
import { readSealingKeys, readVault } from '@tandem/service/sealing.ts'
import { type Check, type Finding, fail, ok, reasonOf, warn } from '../check.ts'
import type { DoctorContext } from '../doctor-context.ts'

const TIMEOUT_MS = 5_000
const MIN_VERSION = 14

export const database: Check = {
  name: 'database',
  async run(context) {
    const { config, readSecret } = context
    const url = await readSecret(config.database_url).catch(() => null)
    if (url === null) return [fail('database_url', 'cannot be read', 'see the secrets above')]
    try {
      const report = await inspectDatabase(url, TIMEOUT_MS)
      const { majorVersion, isReadOnly, pending, refusal, unconfirmedRestore, clockAheadMs, engines, owner } = report
      return [
        versionFinding(majorVersion),
        ...readOnlyFindings(isReadOnly),
        migrationFinding(pending, refusal),
        ...(await ownerFindings(context, owner)),
        ...restoreFindings(unconfirmedRestore),
        driftFinding('the database', clockAheadMs),
        ...engineFindings(engines),
      ]
    } catch (error) {
      return [
        fail(
          'connection',
          reasonOf(error),
          'start PostgreSQL, or correct database_url: host, port, user, password and name of the database',
        ),
      ]
    }
  },
}

/** The check `secrets` reports a key that cannot be read or used. */
async function ownerFindings(context: DoctorContext, owner: DatabaseReport['owner']): Promise<readonly Finding[]> {
  if (owner === null) return []
  const us = context.party === 'service' ? await serviceOf(context) : { party: context.party }
  if (us === null) return []
  const refusal = whyNotOwner(owner, us)
  if (refusal !== null) return [fail(refusal.setting, refusal.problem, refusal.advice)]
  return [ok('owner', us.party === 'service' ? `this service, with this ${us.setting}` : 'this solver')]
}

async function serviceOf(context: Extract<DoctorContext, { party: 'service' }>) {
  try {
    if (context.config.sealing === undefined)
      return { party: 'service', setting: 'vault_key', sealer: await readVault(context, 'a service') } as const
    return { party: 'service', setting: 'sealing', sealer: createSealer(await readSealingKeys(context)) } as const
  } catch {
    return null
  }
}

function readOnlyFindings(isReadOnly: boolean): readonly Finding[] {
  if (!isReadOnly) return []
  const text = 'the database is read-only: nothing new is taken, and nothing is paid, redeemed or refunded'
  return [fail('writes', text, 'name the primary server in database_url, not a standby, or end default_transaction_read_only')]
}

function restoreFindings(reason: string | null): readonly Finding[] {
  if (reason === null) return []
  const text = `a restored backup waits for your confirmation, and nothing new is signed for its orders: ${reason}`
  return [fail('restored backup', text, 'read "A database restored from a backup" in docs/trust.md, then run `tandem confirm-restore`')]
}

function versionFinding(version: number): Finding {
  return version >= MIN_VERSION
    ? ok('version', `PostgreSQL ${version}`)
    : fail('version', `PostgreSQL ${version} is too old`, `upgrade it to ${MIN_VERSION} or newer`)
}

function migrationFinding(pending: readonly string[], refusal: Refusal | null): Finding {
  if (refusal !== null) return fail('tables', refusal.problem, refusal.advice)
  if (pending.length > 0)
    return warn('tables', `not up to date: ${pending.join(', ')}`, 'make a backup; the next start migrates them automatically')
  return ok('tables', 'up to date')
}

/** A missing engine is no problem before the first start. */
function engineFindings(engines: DatabaseReport['engines']): readonly Finding[] {
  if (engines === null) return []
  const { running, hasOpenOrders } = engines
  if (running === 0 && hasOpenOrders)
    return [
      warn(
        'engines',
        'none is running, and orders are open: nothing is redeemed or refunded',
        'start the party, or a service with `--role engine`',
      ),
    ]
  return [ok('engines', running === 0 ? 'none is running, and no order is open' : `${running} running`)]
}

const NOTICEABLE_MS = 2_000
const DANGEROUS_MS = 30_000

export function driftFinding(whose: string, aheadMs: number): Finding {
  const off = Math.abs(aheadMs)
  const text = `${whose} is ${(off / 1000).toFixed(1)} s ${aheadMs < 0 ? 'behind' : 'ahead of'} this machine`
  const advice = 'synchronise both clocks (chrony, systemd-timesyncd)'
  if (off >= DANGEROUS_MS) return fail('clock', text, advice)
  return off >= NOTICEABLE_MS ? warn('clock', text, advice) : ok('clock', `${whose} and this machine agree`)
}
