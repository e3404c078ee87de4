/** `tandem solver halt` and `resume` stop and restart new quotes and locks, through the solver's database. */
import { loadConfig } from '@tandem/party/config/load-config.ts'
import { networkSettings } from '@tandem/party/config/network-settings.ts'
import { SolverConfig } from '@tandem/party/config/schema.ts'
import { createNetwork } from '@tandem/party/engine/network.ts'
import { type Database, openDatabase } from '@tandem/party/store/database/database.ts'
import { putHalt, readHalts, removeHalts } from '@tandem/party/store/solver/halts.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import { endOf, OPERATOR } from '@tandem/solver/risk/halts.ts'
import { EVERYTHING, parseScope } from '@tandem/solver/risk/scope.ts'
import { solverConfigPath } from './config-path.ts'
import type { Terminal } from './terminal.ts'

type Place = { readonly config?: string | undefined }
export type HaltOptions = Place & { readonly reason?: string; readonly minutes?: string }

export async function haltCommand(what: string | undefined, options: HaltOptions, terminal: Terminal): Promise<void> {
  const seconds = options.minutes === undefined ? undefined : parseMinutes(options.minutes) * 60
  await withSolver(options, async ({ db, registry }) => {
    const scope = parseScope(registry, what ?? EVERYTHING)
    const reason = options.reason ?? 'halted by the operator'
    await putHalt(db, { scope, cause: OPERATOR, reason, ...(seconds !== undefined && { seconds }) })
    terminal.note(
      `${nameOf(scope)} is halted${seconds === undefined ? '' : ` for ${options.minutes} minutes`}: no new locks from now on, no new quotes within seconds. Redeems and refunds go on.`,
    )
  })
}

export async function resumeCommand(what: string | undefined, options: Place, terminal: Terminal): Promise<void> {
  await withSolver(options, async ({ db, registry }) => {
    const scope = parseScope(registry, what ?? EVERYTHING)
    const halts = await readHalts(db)
    const [lasting, removable] = split(
      halts.filter((halt) => halt.scope === scope),
      (halt) => endOf(halt) !== null,
    )
    const conditions = lasting.map((halt) => `${halt.cause}: ${halt.reason}; this ends by itself when ${endOf(halt)}`)
    if (removable.length === 0 && conditions.length > 0)
      throw new Error(`${nameOf(scope)} stays halted while this holds: ${conditions.join('. ')}`)
    if (removable.length === 0) throw new Error(`${nameOf(scope)} is not halted`)
    for (const { cause } of removable) await removeHalts(db, scope, cause)
    const others = halts.filter((halt) => halt.scope !== scope).map((halt) => nameOf(halt.scope))
    const done =
      conditions.length === 0
        ? `${nameOf(scope)} is resumed, within seconds.`
        : `${nameOf(scope)} is not halted any more by ${removable.map(({ cause }) => cause).join(', ')}, but still by ${conditions.join('. ')}.`
    terminal.note(`${done}${others.length === 0 ? '' : ` Still halted: ${others.join(', ')}.`}`)
  })
}

function split<T>(items: readonly T[], isFirst: (item: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))]
}

const nameOf = (scope: string) => (scope === EVERYTHING ? 'everything' : scope)

function parseMinutes(text: string): number {
  if (!/^[1-9][0-9]{0,5}$/.test(text)) throw new Error(`--minutes takes a whole number from 1 to 999999, got "${text}"`)
  return Number(text)
}

async function withSolver<T>(
  { config: path }: Place,
  work: (solver: { readonly db: Database; readonly registry: Registry }) => Promise<T>,
): Promise<T> {
  const loaded = await loadConfig(SolverConfig, solverConfigPath(path))
  const { registry, close } = await createNetwork(await networkSettings(loaded))
  const db = await openDatabase(await loaded.readSecret(loaded.config.database_url))
  try {
    return await work({ db, registry })
  } finally {
    await db.destroy()
    await close()
  }
}
