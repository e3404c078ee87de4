// Runs tasks one after another, in the order they were handed in.
export interface SerialQueue {
  run<Result>(task: () => Promise<Result>): Promise<Result>
  /** Refuses new tasks and resolves once those handed in before are done. */
  close(): Promise<void>
}

export function createSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve()
  let closed = false

  return {
    run(task) {
      if (closed) return Promise.reject(new Error('the chain is stopped'))
      const result = last.then(task)
      // The next task runs even if this one fails; the caller gets the error.
      last = result.then(
        () => undefined,
        () => undefined,
      )
      return result
    },
    async close() {
      closed = true
      await last
    },
  }
}
