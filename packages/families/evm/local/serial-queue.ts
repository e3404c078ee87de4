// Runs tasks one after another, in the order they were handed in.
export interface SerialQueue {
  run<Result>(task: () => Promise<Result>): Promise<Result>
  /** A task that changes nothing may run together with others of its kind. */
  runReading<Result>(task: () => Promise<Result>): Promise<Result>
  /** New tasks are refused. Resolves once the earlier ones are done. */
  close(): Promise<void>
}

export function createSerialQueue(): SerialQueue {
  /** This waits for the newest task that may change something, and for those before it. */
  let lastChange: Promise<unknown> = Promise.resolve()
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
