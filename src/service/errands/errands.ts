/**
 * What the service has to say to solvers about orders, without being asked: which deposits are to be paid for, what should go back, what it
 * would sign too. An errand moves no money; it brings the words on which the playbook then acts. Forgotten at a restart, and seen to be due again.
 */
import type { OrderState } from '../../protocol/state.ts'
import type { ServiceContext } from '../context.ts'
import { type SolverClient, SolverFailure } from '../solver-client.ts'

export type ErrandContext = Pick<ServiceContext, 'db' | 'registry' | 'clients' | 'solvers' | 'vault' | 'log' | 'now' | 'wake'>

export type Errand = {
  /** The same errand is run once at a time. */
  readonly key: string
  /** Resolves when it need not be run again for the same facts, or says that it should soon be. */
  run(): Promise<'done' | 'soon'>
}

/** Those that are due in these states. */
export type ErrandSource = (states: readonly OrderState[]) => readonly Errand[]

export interface Errands {
  attend(states: readonly OrderState[]): void
  /** Resolves when nothing is under way any more. */
  stop(): Promise<void>
}

const MAX_RUNNING = 20
const SOON_MS = 250
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000
const MAX_REMEMBERED = 100_000

type Pause = { readonly until: number; readonly failures: number }

export function createErrands(context: Pick<ErrandContext, 'log' | 'wake'>, sources: readonly ErrandSource[]): Errands {
  const running = new Map<string, Promise<void>>()
  const pauses = new Map<string, Pause>()
  let isStopped = false

  async function run({ key, run: work }: Errand): Promise<void> {
    const failures = pauses.get(key)?.failures ?? 0
    try {
      const result = await work()
      pauses.delete(key)
      if (result === 'soon') setTimeout(context.wake, SOON_MS).unref()
    } catch (error) {
      // Whatever it is, it is not lost: the facts that made it due are still there.
      context.log.warn({ errand: key, err: error, failures: failures + 1 }, 'could not be agreed with the solver yet; trying again')
      if (pauses.size >= MAX_REMEMBERED) pauses.clear()
      pauses.set(key, {
        until: Date.now() + Math.min(FIRST_PAUSE_MS * 2 ** Math.min(failures, 10), LONGEST_PAUSE_MS),
        failures: failures + 1,
      })
    } finally {
      running.delete(key)
    }
  }

  return {
    attend(states) {
      if (isStopped) return
      for (const errand of sources.flatMap((source) => source(states))) {
        if (running.size >= MAX_RUNNING) return
        if (running.has(errand.key) || (pauses.get(errand.key)?.until ?? 0) > Date.now()) continue
        running.set(errand.key, run(errand))
      }
    },
    async stop() {
      isStopped = true
      await Promise.all(running.values())
    },
  }
}

export function solverOf({ solvers }: Pick<ErrandContext, 'solvers'>, solverId: string): SolverClient {
  const solver = solvers.find(({ id }) => id === solverId)
  if (solver === undefined) throw new SolverFailure(`solver ${solverId} is not configured`)
  return solver
}
