/** An operator halts one chain or everything: no quote and no order starts there. Existing orders go on. */

import type { Database } from '@tandem/party/store/database/database.ts'
import { type Halt, putHalt, readHalts, removeHalts } from '@tandem/party/store/solver/halts.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { createTtlCache } from '@tandem/runtime/ttl-cache.ts'

const OPERATOR = 'operator'
export const EVERYTHING = '*'
/** A halt takes effect in all processes of the database within this time. */
const CACHE_MS = 1_000

export interface OperatorHalts {
  /** The result is cached for at most a second. */
  list(): Promise<readonly Halt[]>
  /** Throws `chain_unavailable` if one of these chains, or everything, is halted. */
  assertOpen(chains: readonly ChainId[]): Promise<void>
  halt(scope: string, reason: string): Promise<void>
  /** Returns false if the scope was not halted. */
  resume(scope: string): Promise<boolean>
}

export function haltOf(halts: readonly Halt[], chain: ChainId): Halt | undefined {
  return halts.find(({ scope }) => scope === EVERYTHING || scope === chain)
}

export function createOperatorHalts(db: Database): OperatorHalts {
  const kept = createTtlCache<readonly Halt[]>({ keepMs: CACHE_MS, maxEntries: 1 })
  const list = () => kept.get('', async () => (await readHalts(db)).filter(({ cause }) => cause === OPERATOR))
  return {
    list,
    async assertOpen(chains) {
      const halts = await list()
      const found = chains.map((chain) => haltOf(halts, chain)).find((halt) => halt !== undefined)
      if (found === undefined) return
      const what = found.scope === EVERYTHING ? 'this service' : found.scope
      throw new TandemError(
        'chain_unavailable',
        // The reason is only for operators.
        `no new swap starts on ${what}: its operator halted it; swaps in progress go on`,
      )
    },
    halt: (scope, reason) => putHalt(db, { scope, cause: OPERATOR, reason }),
    resume: async (scope) => (await removeHalts(db, scope, OPERATOR)) > 0,
  }
}
