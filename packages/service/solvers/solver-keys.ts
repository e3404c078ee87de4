/**
 * The public keys of the solvers of this service, where parties of an HTLC are keys: its address follows from them. Whoever knows them finds deposits with a
 * rescue phrase alone, so they are published, and former ones stay. Only solvers of the configuration are asked and noted.
 */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { addSolverKey, readSolverKeys, type SolverKey } from '@tandem/party/store/solver-keys/solver-keys.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Logger } from '@tandem/runtime/log.ts'

export interface SolverKeys {
  /** Of all solvers that this service ever had, oldest first. */
  of(chain: ChainId): readonly string[]
  /** What a solver named as its own. Chains without such keys, and texts that are no key, are left out. */
  note(solverId: string, keys: Iterable<readonly [chain: string, key: string]>): Promise<void>
  /** Other processes of the same database note keys too. */
  refresh(): Promise<void>
}

/** A solver changes its key a few times in its life. Every key costs a rescue some 40 requests to an Esplora server. */
const MOST_KEYS = 16

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
  /** Solvers and chains that the log was told of. */
  const told = new Set<string>()

  function isWanted(solverId: string, chain: string, publicKey: string): boolean {
    const client = clients.get(chain)
    if (client?.orderKeys === undefined) return false
    const ofSolver = known.filter((one) => one.solverId === solverId && one.chain === chain)
    if (ofSolver.some((one) => one.publicKey === publicKey) || !isKey(client, publicKey)) return false
    if (ofSolver.length < MOST_KEYS) return true
    const name = `${solverId} ${chain}`
    if (!told.has(name))
      log.warn({ solver: solverId, chain }, `the solver has had ${MOST_KEYS} keys on this chain: a further one is not published`)
    told.add(name)
    return false
  }

  const keys: SolverKeys = {
    of: (chain) => [...new Set(known.filter((one) => one.chain === chain).map(({ publicKey }) => publicKey))],
    async note(solverId, named) {
      const wanted = [...named].filter(([chain, publicKey]) => isWanted(solverId, chain, publicKey))
      if (wanted.length === 0) return
      for (const [chain, publicKey] of wanted) await addSolverKey(db, { solverId, chain, publicKey }, MOST_KEYS)
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
