/**
 * What the service has to say to solvers about orders, without being asked: which deposits are to be paid for, what should go back, what it
 * would sign too. And what it has to ask of chains beside what is watched. An errand moves no money; it brings the words on which the
 * playbook then acts. Forgotten at a restart, and seen to be due again.
 */
import type { OrderState } from '../../protocol/state.ts'
import type { ServiceContext } from '../context.ts'
import { type SolverClient, SolverFailure } from '../solver-client.ts'

export type ErrandContext = Pick<ServiceContext, 'db' | 'registry' | 'clients' | 'solvers' | 'vault' | 'log' | 'now' | 'wake'>

export type Errand = {
  /** The same errand is run once at a time. */
  readonly key: string
  /** Resolves when it need not be run again for the same facts; or says that it should be, soon or when things may have changed. */
  run(): Promise<ErrandResult>
}

export type ErrandResult = 'done' | 'soon' | 'later'

/** Those that are due in these states. */
export type ErrandSource = (states: readonly OrderState[]) => readonly Errand[]

export interface Errands {
  attend(states: readonly OrderState[]): void
  /** Resolves when nothing is under way any more. */
  stop(): Promise<void>
}

/** Of one source: what one has too much of must not hold up the others. */
const MAX_RUNNING = 20
const SOON_MS = 250
const LATER_MS = 300_000
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000
const MAX_REMEMBERED = 100_000

type Pause = { readonly until: number; readonly failures: number }

export function createErrands(context: Pick<ErrandContext, 'log' | 'wake'>, sources: readonly ErrandSource[]): Errands {
  const running = new Map<string, { readonly source: ErrandSource; readonly work: Promise<void> }>()
  let turn = 0
  const pauses = new Map<string, Pause>()
  let isStopped = false

  function pause(key: string, ms: number, failures: number): void {
    if (pauses.size >= MAX_REMEMBERED) pauses.clear()
    pauses.set(key, { until: Date.now() + ms, failures })
  }

  /** Each time another one is the first, so that all have their turn. */
  function attendTo(source: ErrandSource, states: readonly OrderState[]): void {
    const due = source(states).filter(({ key }) => !running.has(key) && (pauses.get(key)?.until ?? 0) <= Date.now())
    const first = due.length === 0 ? 0 : turn % due.length
    const free = MAX_RUNNING - [...running.values()].filter((one) => one.source === source).length
    for (const errand of [...due.slice(first), ...due.slice(0, first)].slice(0, Math.max(free, 0)))
      running.set(errand.key, { source, work: run(errand) })
    turn += MAX_RUNNING
  }

  async function run({ key, run: work }: Errand): Promise<void> {
    const failures = pauses.get(key)?.failures ?? 0
    try {
      const result = await work()
      if (result === 'done') pauses.delete(key)
      else pause(key, result === 'soon' ? SOON_MS : LATER_MS, 0)
      if (result === 'soon') setTimeout(context.wake, SOON_MS).unref()
    } catch (error) {
      // Whatever it is, it is not lost: the facts that made it due are still there.
      context.log.warn({ errand: key, err: error, failures: failures + 1 }, 'an errand could not be done yet; trying again')
      pause(key, Math.min(FIRST_PAUSE_MS * 2 ** Math.min(failures, 10), LONGEST_PAUSE_MS), failures + 1)
    } finally {
      running.delete(key)
    }
  }

  return {
    attend(states) {
      if (isStopped) return
      for (const source of sources) attendTo(source, states)
    },
    async stop() {
      isStopped = true
      await Promise.all([...running.values()].map(({ work }) => work))
    },
  }
}

export function solverOf({ solvers }: Pick<ErrandContext, 'solvers'>, solverId: string): SolverClient {
  const solver = solvers.find(({ id }) => id === solverId)
  if (solver === undefined) throw new SolverFailure(`solver ${solverId} is not configured`)
  return solver
}
