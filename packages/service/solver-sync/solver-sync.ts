/**
 * Solver sync: requests that the service sends to solvers without being asked (agree on fills, sign instant refunds, cosign redeems), and
 * reads of prefunded amounts. A task moves no money: it stores signatures and amounts, and the playbook acts on them. Tasks are kept in
 * memory only. The engine derives an order with unfinished tasks again and again, also after a restart, and the same facts make them due.
 */
import type { LiveView } from '@tandem/party/engine/facts.ts'
import type { OrderState } from '@tandem/protocol/state.ts'
import type { ServiceContext } from '../context.ts'
import { type SolverClient, SolverFailure } from '../solver-client.ts'

export type SyncContext = Pick<
  ServiceContext,
  'db' | 'registry' | 'clients' | 'solvers' | 'vault' | 'prices' | 'settings' | 'log' | 'now' | 'wake'
> &
  Pick<LiveView, 'polls' | 'onDifferences'>

export type SyncTask = {
  /** Of tasks with the same key, one runs at a time. */
  readonly key: string
  /** Whom it asks; absent: nobody. */
  readonly solverId?: string
  /** Its orders are derived again while it is unfinished. */
  readonly orderIds: readonly string[]
  /** Unix milliseconds; absent: now. */
  readonly dueAtMs?: number
  run(): Promise<SyncResult>
}

/**
 * done    do not run again for the same facts
 * soon    run again within a second
 * later   run again in five minutes
 */
export type SyncResult = 'done' | 'soon' | 'later'

/** Returns the tasks that there are in these states. */
export type SyncTaskSource = (states: readonly OrderState[]) => readonly SyncTask[]

export interface SolverSync {
  /** Returns when (unix milliseconds) to call it again with an order in this state. */
  startDueTasks(states: readonly OrderState[]): ReadonlyMap<string, number>
  /** Starts no more tasks. Those that run get two seconds: a solver may take long to answer, and the next process asks it again. */
  stop(): Promise<void>
}

/** Per source and solver: neither a flood of one kind of task nor a silent solver blocks the others. */
const MAX_RUNNING = 20
const DRAIN_MS = 2_000
const SOON_MS = 250
const LATER_MS = 300_000
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000
const MAX_REMEMBERED = 100_000

type Pause = { readonly until: number; readonly failures: number }

export function createSolverSync(context: Pick<SyncContext, 'log' | 'wake'>, sources: readonly SyncTaskSource[]): SolverSync {
  const running = new Map<string, { readonly source: SyncTaskSource; readonly task: SyncTask; readonly work: Promise<void> }>()
  let turn = 0
  const pauses = new Map<string, Pause>()
  let isStopped = false

  function pause(key: string, ms: number, failures: number): void {
    if (pauses.size >= MAX_REMEMBERED) pauses.clear()
    pauses.set(key, { until: Date.now() + ms, failures })
  }

  const dueAt = ({ key, dueAtMs = 0 }: SyncTask) => Math.max(dueAtMs, pauses.get(key)?.until ?? 0)

  function isFree(source: SyncTaskSource, { solverId }: SyncTask): boolean {
    const others = [...running.values()].filter((one) => one.source === source && one.task.solverId === solverId)
    return others.length < MAX_RUNNING
  }

  /** Round robin: each call starts at a different task, so that none starves. */
  function startDueTasksOf(source: SyncTaskSource, states: readonly OrderState[]): readonly SyncTask[] {
    const tasks = source(states)
    const due = tasks.filter((task) => !running.has(task.key) && dueAt(task) <= Date.now())
    const first = due.length === 0 ? 0 : turn % due.length
    for (const task of [...due.slice(first), ...due.slice(0, first)])
      if (isFree(source, task)) running.set(task.key, { source, task, work: run(task) })
    turn += MAX_RUNNING
    return tasks
  }

  async function run({ key, run: work }: SyncTask): Promise<void> {
    const failures = pauses.get(key)?.failures ?? 0
    try {
      const result = await work()
      if (result === 'done') pauses.delete(key)
      else pause(key, result === 'soon' ? SOON_MS : LATER_MS, 0)
      if (result === 'soon') setTimeout(context.wake, SOON_MS).unref()
    } catch (error) {
      // Retried with backoff: the facts that made the task due are still there.
      if (!isStopped) context.log.warn({ task: key, err: error, failures: failures + 1 }, 'a solver sync task failed; retrying')
      pause(key, Math.min(FIRST_PAUSE_MS * 2 ** Math.min(failures, 10), LONGEST_PAUSE_MS), failures + 1)
    } finally {
      running.delete(key)
    }
  }

  return {
    startDueTasks(states) {
      const again = new Map<string, number>()
      if (isStopped) return again
      const soon = Date.now() + SOON_MS
      for (const task of sources.flatMap((source) => startDueTasksOf(source, states))) {
        const at = Math.max(dueAt(task), soon)
        for (const orderId of task.orderIds) again.set(orderId, Math.min(at, again.get(orderId) ?? at))
      }
      return again
    },
    async stop() {
      isStopped = true
      await new Promise<unknown>((resolve) => {
        const limit = setTimeout(resolve, DRAIN_MS)
        void Promise.all([...running.values()].map(({ work }) => work)).then(() => {
          clearTimeout(limit)
          resolve(null)
        })
      })
    },
  }
}

export function solverOf({ solvers }: Pick<SyncContext, 'solvers'>, solverId: string): SolverClient {
  const solver = solvers.find(({ id }) => id === solverId)
  if (solver === undefined) throw new SolverFailure(`solver ${solverId} is not configured`)
  return solver
}
