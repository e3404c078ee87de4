/**
 * Solver sync sends the requests that the service makes on its own (agree on fills, sign instant refunds, cosign redeems), and reads
 * prefunded amounts. A task moves no money: it stores signatures and amounts, and the playbook acts on them. Tasks are only in memory. The
 * engine derives an order with unfinished tasks again and again, also after a restart, and the same facts make them due.
 */
import type { LiveView } from '@tandem/party/engine/facts.ts'
import type { Vault } from '@tandem/party/store/orders/sealed-values.ts'
import type { OrderState } from '@tandem/protocol/state.ts'
import type { ServiceContext } from '../context.ts'
import { type SolverClient, SolverFailure } from '../solver-client.ts'

export type SyncContext = Pick<ServiceContext, 'db' | 'registry' | 'clients' | 'solvers' | 'prices' | 'settings' | 'log' | 'now' | 'wake'> &
  Pick<LiveView, 'polls' | 'onDifferences'> & { readonly vault: Vault }

export type SyncTask = {
  /** The key is a mutex: one task of a key runs at a time. */
  readonly key: string
  readonly solverId?: string
  /** These orders are derived again while the task is unfinished. */
  readonly orderIds: readonly string[]
  /** The time is in Unix milliseconds. An absent value means now. */
  readonly dueAtMs?: number
  run(): Promise<SyncResult>
}

/**
 * done    do not run again for the same facts
 * soon    run again within a second
 * later   run again in five minutes
 */
export type SyncResult = 'done' | 'soon' | 'later'

export type SyncTaskSource = (states: readonly OrderState[]) => readonly SyncTask[]

export interface SolverSync {
  /** Returns for each order the time, in Unix milliseconds, at which to call this function again. */
  startDueTasks(states: readonly OrderState[]): ReadonlyMap<string, number>
  /** Starts no more tasks and waits two seconds for the running ones. A solver may take longer to answer; the next process asks it again. */
  stop(): Promise<void>
}

/** The limit is per source and solver, so that neither a flood of one kind of task nor a silent solver blocks the others. */
const MAX_RUNNING = 20
const DRAIN_MS = 2_000
const SOON_MS = 250
const LATER_MS = 300_000
const MIN_BACKOFF_MS = 1_000
const MAX_BACKOFF_MS = 60_000
const MAX_REMEMBERED = 100_000

type Delay = { readonly until: number; readonly failures: number }

export function createSolverSync(context: Pick<SyncContext, 'log' | 'wake'>, sources: readonly SyncTaskSource[]): SolverSync {
  const running = new Map<string, { readonly source: SyncTaskSource; readonly task: SyncTask; readonly work: Promise<void> }>()
  let nextStart = 0
  const delays = new Map<string, Delay>()
  let isStopped = false

  function delay(key: string, ms: number, failures: number): void {
    if (delays.size >= MAX_REMEMBERED) delays.clear()
    delays.set(key, { until: Date.now() + ms, failures })
  }

  const dueAt = ({ key, dueAtMs = 0 }: SyncTask) => Math.max(dueAtMs, delays.get(key)?.until ?? 0)

  function isFree(source: SyncTaskSource, { solverId }: SyncTask): boolean {
    const others = [...running.values()].filter((one) => one.source === source && one.task.solverId === solverId)
    return others.length < MAX_RUNNING
  }

  /** Each call starts at a different task (round robin), so that none starves. */
  function startDueTasksOf(source: SyncTaskSource, states: readonly OrderState[]): readonly SyncTask[] {
    const tasks = source(states)
    const due = tasks.filter((task) => !running.has(task.key) && dueAt(task) <= Date.now())
    const first = due.length === 0 ? 0 : nextStart % due.length
    for (const task of [...due.slice(first), ...due.slice(0, first)])
      if (isFree(source, task)) running.set(task.key, { source, task, work: run(task) })
    nextStart += MAX_RUNNING
    return tasks
  }

  async function run({ key, run: work }: SyncTask): Promise<void> {
    const failures = delays.get(key)?.failures ?? 0
    try {
      const result = await work()
      if (result === 'done') delays.delete(key)
      else delay(key, result === 'soon' ? SOON_MS : LATER_MS, 0)
      if (result === 'soon') setTimeout(context.wake, SOON_MS).unref()
    } catch (error) {
      // The facts that made the task due are still there, so it is tried again with backoff.
      if (!isStopped) context.log.warn({ task: key, err: error, failures: failures + 1 }, 'a solver sync task failed; retrying')
      delay(key, Math.min(MIN_BACKOFF_MS * 2 ** Math.min(failures, 10), MAX_BACKOFF_MS), failures + 1)
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
