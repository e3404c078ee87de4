// Runs tasks one after another, in the order they were handed in.
export interface SerialQueue {
  run<Result>(task: () => Promise<Result>): Promise<Result>
  /** The same for a task that changes nothing: it may run together with others of its kind. */
  runReading<Result>(task: () => Promise<Result>): Promise<Result>
  /** Refuses new tasks and resolves once those handed in before are done. */
  close(): Promise<void>
}

export function createSerialQueue(): SerialQueue {
  /** The newest task that may change something, and those before it. */
  let lastChange: Promise<unknown> = Promise.resolve()
  /** All tasks. */
  let last: Promise<unknown> = Promise.resolve()
  let closed = false

  return {
    run(task) {
      if (closed) return Promise.reject(new Error('the chain is stopped'))
      const result = last.then(task)
      lastChange = settled(result)
      last = lastChange
      return result
    },
    runReading(task) {
      if (closed) return Promise.reject(new Error('the chain is stopped'))
      const result = lastChange.then(task)
      const before = last
      last = settled(result).then(() => before)
      return result
    },
    async close() {
      closed = true
      await last
    },
  }
}

/** The next task runs even if this one fails; the caller gets the error. */
function settled(result: Promise<unknown>): Promise<unknown> {
  return result.then(
    () => undefined,
    () => undefined,
  )
}
