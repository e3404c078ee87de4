/**
 * Hints between the service and its solvers say that something has happened on a chain. A hint only makes the receiver poll that chain
 * early, if its nodes do not announce blocks. The receiver limits how often.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { SolverClient } from '../solver-client.ts'

export interface Hints {
  /** Each solver gets at most ten hints a second. Chains that change meanwhile go into one hint. */
  send(chain: ChainId): void
  stop(): Promise<void>
}

const COOLDOWN_MS = 100
const RETRY_MS = 5000
/** A solver whose nodes announce the blocks of a chain gets the next hint after this time, because the announcements may have stopped. */
const NEEDLESS_MS = 10_000

type HintClient = Pick<SolverClient, 'tellChanges' | 'changesSince'>

type Wait = (ms: number, signal: AbortSignal) => Promise<void>
const abortableSleep: Wait = (ms, signal) => sleep(ms, undefined, { signal, ref: false }).catch(() => undefined)

export type HintOptions = {
  readonly onHint: (chain: ChainId) => void
  readonly announcedChains: () => readonly ChainId[]
  readonly nowMs?: () => number
}

export function createHints(
  solvers: readonly HintClient[],
  { onHint, announcedChains, nowMs = () => performance.now() }: HintOptions,
  wait: Wait = abortableSleep,
): Hints {
  const stopping = new AbortController()
  const pause = (ms: number) => wait(ms, stopping.signal)
  const peers = solvers.map((solver) => ({
    waiting: new Set<ChainId>(),
    needlessUntil: new Map<ChainId, number>(),
    sending: null as Promise<void> | null,
    solver,
  }))

  async function send({ waiting, needlessUntil, solver }: (typeof peers)[number]): Promise<void> {
    while (waiting.size > 0 && !stopping.signal.aborted) {
      // Changes in the same tick go into one hint.
      await pause(0)
      const chains = [...waiting]
      waiting.clear()
      // A lost hint does no harm: the solver polls.
      const needless: readonly ChainId[] = await solver.tellChanges(chains).catch(() => [])
      for (const chain of chains) if (needless.includes(chain)) needlessUntil.set(chain, nowMs() + NEEDLESS_MS)
      await pause(COOLDOWN_MS)
    }
  }

  async function listen({ solver }: (typeof peers)[number]): Promise<void> {
    for (let after = 0; !stopping.signal.aborted; ) {
      try {
        const { next, chains } = await solver.changesSince(after, announcedChains(), stopping.signal)
        after = next
        for (const chain of chains) onHint(chain)
        await pause(COOLDOWN_MS)
      } catch {
        // The solver does not answer or does not support hints.
        await pause(RETRY_MS)
      }
    }
  }

  const listening = peers.map(listen)
  return {
    send(chain) {
      for (const peer of peers) {
        if ((peer.needlessUntil.get(chain) ?? 0) > nowMs()) continue
        peer.waiting.add(chain)
        peer.sending ??= send(peer).finally(() => {
          peer.sending = null
        })
      }
    },
    async stop() {
      stopping.abort()
      await Promise.all([...listening, ...peers.map(({ sending }) => sending)])
    },
  }
}
