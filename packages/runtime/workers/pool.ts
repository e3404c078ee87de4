/** A pool of worker threads for CPU-heavy, pure functions. Threads start with the first job and end when they are idle. */
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { TandemError } from '@tandem/protocol/error.ts'
import { fromPlainError } from './job-error.ts'
import type { AnswerMessage, JobMessage } from './message.ts'

export interface Pool {
  /**
   * `moved` are buffers that leave this thread for the worker, so they cannot be used here afterwards. Rejects when too many jobs wait,
   * unless the job is urgent.
   */
  run(message: JobMessage, moved?: readonly ArrayBuffer[], priority?: Priority): Promise<unknown>
  threads(): number
  /** The jobs of the threads are rejected. A later job starts new threads. */
  close(): Promise<void>
}

/** A transaction waits for an urgent job, which goes before all other jobs that wait. */
export type Priority = 'urgent' | 'normal'

export type PoolOptions = { readonly size: number; readonly maxWaiting: number; readonly idleMs: number; readonly maxJobMs: number }

/** One core stays for the event loop. */
const defaults: PoolOptions = {
  size: Math.max(1, Math.min(4, availableParallelism() - 1)),
  maxWaiting: 256,
  idleMs: 30_000,
  // This is a hundred times the longest job, also on a busy machine. Without a limit, one endless job would keep its thread for ever.
  maxJobMs: 30_000,
}

type Job = {
  readonly message: JobMessage
  readonly moved: readonly ArrayBuffer[]
  readonly priority: Priority
  resolve(value: unknown): void
  reject(error: Error): void
}

/** `timer` ends the thread, because it is idle or its job takes too long. */
type Thread = { readonly worker: Worker; job: Job | null; timer: NodeJS.Timeout | null }

export function createPool(options: Partial<PoolOptions> = {}): Pool {
  const { size, maxWaiting, idleMs, maxJobMs } = { ...defaults, ...options }
  const threads = new Set<Thread>()
  const waiting: Job[] = []

  function start(): Thread {
    const thread: Thread = { worker: startWorker(), job: null, timer: null }
    threads.add(thread)
    thread.worker.on('message', (answer: AnswerMessage) => {
      const { job } = thread
      thread.job = null
      if (job !== null) settle(job, answer)
      next(thread)
    })
    thread.worker.on('error', (error) => drop(thread, error))
    thread.worker.on('messageerror', (error) => drop(thread, error))
    thread.worker.on('exit', (code) => drop(thread, new Error(`the worker thread ended with code ${code}`)))
    return thread
  }

  /** The job of a thread that is gone is rejected. The next waiting job starts another thread. */
  function drop(thread: Thread, cause: Error): void {
    if (!threads.delete(thread)) return
    clearTimeout(thread.timer ?? undefined)
    void thread.worker.terminate()
    thread.job?.reject(new Error('a worker thread died during a job', { cause }))
    dispatch()
  }

  function next(thread: Thread): void {
    const job = waiting.shift()
    if (job !== undefined) {
      give(thread, job)
      return
    }
    thread.worker.unref()
    endIn(thread, idleMs, 'idle')
  }

  /** The thread stays if it gets another job, or ends the one that it has. */
  function endIn(thread: Thread, ms: number, why: string): void {
    clearTimeout(thread.timer ?? undefined)
    thread.timer = setTimeout(() => drop(thread, new Error(why)), ms).unref()
  }

  function give(thread: Thread, job: Job): void {
    thread.job = job
    endIn(thread, maxJobMs, `a job took more than ${maxJobMs} ms`)
    thread.worker.ref()
    try {
      thread.worker.postMessage(job.message, [...job.moved])
    } catch (error) {
      // The argument cannot be cloned.
      thread.job = null
      job.reject(error instanceof Error ? error : new Error(String(error)))
      next(thread)
    }
  }

  /** The jobs are in the order of arrival, urgent ones first. */
  function enqueue(job: Job): void {
    const firstNormal = waiting.findIndex(({ priority }) => priority === 'normal')
    waiting.splice(job.priority === 'urgent' && firstNormal >= 0 ? firstNormal : waiting.length, 0, job)
  }

  function dispatch(): void {
    while (waiting.length > 0) {
      const free = [...threads].find(({ job }) => job === null) ?? (threads.size < size ? start() : null)
      const job = free === null ? undefined : waiting.shift()
      if (free === null || job === undefined) return
      give(free, job)
    }
  }

  return {
    run: (message, moved = [], priority = 'normal') =>
      new Promise((resolve, reject) => {
        if (waiting.length >= maxWaiting && priority !== 'urgent') {
          reject(new TandemError('chain_unavailable', 'too many signatures and checks are waiting; try again', { retryAfterSeconds: 1 }))
          return
        }
        enqueue({ message, moved, priority, resolve, reject })
        dispatch()
      }),
    threads: () => threads.size,
    async close() {
      const ended = new Error('the pool is closed')
      for (const job of waiting.splice(0)) job.reject(ended)
      await Promise.all(
        [...threads].map(async (thread) => {
          const exit = thread.worker.terminate()
          drop(thread, ended)
          await exit
        }),
      )
    },
  }
}

function settle(job: Job, answer: AnswerMessage): void {
  if ('error' in answer) job.reject(fromPlainError(answer.error))
  else job.resolve(answer.value)
}

/** The worker is a file of the same kind as this one, compiled or not. Its environment is empty, because jobs are pure. */
function startWorker(): Worker {
  const options = { env: {}, execArgv: [] }
  if (import.meta.url.endsWith('.js')) return new Worker(new URL('./worker.js', import.meta.url), options)
  // Node 20 resolves a worker's first file before any loader is registered.
  const loader = new URL('./esm/api/index.mjs', pathToFileURL(createRequire(import.meta.url).resolve('tsx'))).href
  const worker = new URL('./worker.ts', import.meta.url).href
  const code = `import('${loader}').then(({ register }) => { register(); return import('${worker}') })`
  return new Worker(code, { ...options, eval: true })
}
