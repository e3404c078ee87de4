/**
 * Hints between the service and its solvers that something has happened on a chain. A hint only makes the receiver poll that chain early,
 * where its nodes do not say themselves when there is a block. The receiver bounds how often.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { SolverClient } from '../solver-client.ts'

export interface Hints {
  /** Tells all solvers that need to know at once, but each at most ten times a second: what happens meanwhile goes together. */
  tell(chain: ChainId): void
  stop(): Promise<void>
}

const SPACING_MS = 100
const RETRY_MS = 5000
/** A solver whose nodes tell it of the blocks of a chain is hinted again after so long: they may have stopped. */
const NEEDLESS_MS = 10_000

type Talk = Pick<SolverClient, 'tellChanges' | 'changesSince'>

type Wait = (ms: number, signal: AbortSignal) => Promise<void>
const waitAtMost: Wait = (ms, signal) => sleep(ms, undefined, { signal, ref: false }).catch(() => undefined)

export type HintOptions = {
  /** A solver says that something has happened on this chain. */
  readonly onHint: (chain: ChainId) => void
  /** The chains whose nodes say so themselves. */
  readonly announcedChains: () => readonly ChainId[]
  readonly nowMs?: () => number
}

export function createHints(
  solvers: readonly Talk[],
  { onHint, announcedChains, nowMs = () => performance.now() }: HintOptions,
  wait: Wait = waitAtMost,
): Hints {
  const stopping = new AbortController()
  const pause = (ms: number) => wait(ms, stopping.signal)
  const talks = solvers.map((solver) => ({
    waiting: new Set<ChainId>(),
    needlessUntil: new Map<ChainId, number>(),
    sending: null as Promise<void> | null,
    solver,
  }))

  async function send({ waiting, needlessUntil, solver }: (typeof talks)[number]): Promise<void> {
    while (waiting.size > 0 && !stopping.signal.aborted) {
      // What happens in the same turn of the event loop goes together.
      await pause(0)
      const chains = [...waiting]
      waiting.clear()
      // A hint that is lost does no harm: the solver polls.
      const needless: readonly ChainId[] = await solver.tellChanges(chains).catch(() => [])
      for (const chain of chains) if (needless.includes(chain)) needlessUntil.set(chain, nowMs() + NEEDLESS_MS)
      await pause(SPACING_MS)
    }
  }

  async function listen({ solver }: (typeof talks)[number]): Promise<void> {
    for (let after = 0; !stopping.signal.aborted; ) {
      try {
        const { next, chains } = await solver.changesSince(after, announcedChains(), stopping.signal)
        after = next
        for (const chain of chains) onHint(chain)
        await pause(SPACING_MS)
      } catch {
        // The solver is away, or knows no hints.
        await pause(RETRY_MS)
      }
    }
  }

  const listening = talks.map(listen)
  return {
    tell(chain) {
      for (const talk of talks) {
        if ((talk.needlessUntil.get(chain) ?? 0) > nowMs()) continue
        talk.waiting.add(chain)
        talk.sending ??= send(talk).finally(() => {
          talk.sending = null
        })
      }
    },
    async stop() {
      stopping.abort()
      await Promise.all([...listening, ...talks.map(({ sending }) => sending)])
    },
  }
}
