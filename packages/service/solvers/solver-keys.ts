/**
 * The public keys of the solvers of this service, on chains where the parties of an HTLC are keys and determine its address. With these keys a client finds
 * deposits by a rescue phrase alone, so they are published, and old ones stay. Only configured solvers are asked and recorded.
 */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { createLoop, type Loop } from '@tandem/party/engine/loop.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { addSolverKey, readSolverKeys, type SolverKey } from '@tandem/party/store/solver-keys/solver-keys.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Logger } from '@tandem/runtime/log.ts'
import type { SolverClient } from '../solver-client.ts'

export interface SolverKeys {
  /** The keys include those of all solvers that this service ever had, oldest first. */
  of(chain: ChainId): readonly string[]
  /** Chains without such keys, and texts that are no key, are ignored. */
  add(solverId: string, keys: Iterable<readonly [chain: string, key: string]>): Promise<void>
  /** Other processes of the same database may have recorded more keys. */
  refresh(): Promise<void>
}

/** A solver changes its key a few times in its life, and every key costs a rescue some 40 requests to an Esplora server. */
const MAX_KEYS = 16

export function createSolverKeys({
  db,
  clients,
  log,
}: {
  readonly db: Database
  readonly clients: ReadonlyMap<ChainId, ChainClient>
  readonly log: Pick<Logger, 'warn'>
}): SolverKeys {
  let known: readonly SolverKey[] = []
  const logged = new Set<string>()

  function isWanted(solverId: string, chain: string, publicKey: string): boolean {
    const client = clients.get(chain)
    if (client?.orderKeys === undefined) return false
    const ofSolver = known.filter((one) => one.solverId === solverId && one.chain === chain)
    if (ofSolver.some((one) => one.publicKey === publicKey) || !isKey(client, publicKey)) return false
    if (ofSolver.length < MAX_KEYS) return true
    const name = `${solverId} ${chain}`
    if (!logged.has(name))
      log.warn({ solver: solverId, chain }, `the solver has had ${MAX_KEYS} keys on this chain: a further one is not published`)
    logged.add(name)
    return false
  }

  const keys: SolverKeys = {
    of: (chain) => [...new Set(known.filter((one) => one.chain === chain).map(({ publicKey }) => publicKey))],
    async add(solverId, named) {
      const wanted = [...named].filter(([chain, publicKey]) => isWanted(solverId, chain, publicKey))
      if (wanted.length === 0) return
      for (const [chain, publicKey] of wanted) await addSolverKey(db, { solverId, chain, publicKey }, MAX_KEYS)
      await keys.refresh()
    },
    async refresh() {
      known = await readSolverKeys(db)
    },
  }
  return keys
}

function isKey({ text }: ChainClient, publicKey: string): boolean {
  try {
    return text.parseIdentity(publicKey) === publicKey
  } catch (error) {
    if (error instanceof TandemError) return false
    throw error
  }
}

/** A solver changes its key only by a restart, so polls are rare. */
const POLL_MS = 60_000
/** The first interval applies while a solver has never answered. It doubles, because that solver may be gone for good. */
const FIRST_POLL_MS = 2_000

export type FollowSolverKeysContext = {
  readonly solvers: readonly Pick<SolverClient, 'id' | 'health'>[]
  readonly log: Pick<Logger, 'warn'>
  readonly firstPollMs?: number
}

export function followSolverKeys({ solvers, log, firstPollMs = FIRST_POLL_MS }: FollowSolverKeysContext, keys: SolverKeys): Loop {
  const answered = new Set<string>()
  let waitMs = firstPollMs / 2
  return createLoop({
    intervalMs: () => (answered.size < solvers.length ? waitMs : POLL_MS),
    async run() {
      waitMs = Math.min(2 * waitMs, POLL_MS)
      await keys.refresh()
      // A solver that does not answer is asked again. Others log that it is silent.
      const answers = await Promise.allSettled(solvers.map((solver) => solver.health()))
      for (const [index, answer] of answers.entries()) {
        const id = solvers[index]?.id
        if (id === undefined || answer.status === 'rejected') continue
        await keys.add(id, Object.entries(answer.value.keys ?? {}))
        answered.add(id)
      }
      return false
    },
    onError: (error) => log.warn({ err: error }, 'the public keys of solvers cannot be stored; will retry'),
  })
}
