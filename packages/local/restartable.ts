/** A service that can be stopped and started again. Changes queue up: one at a time. */

export interface Restartable<T extends { stop(): Promise<void> }> {
  /** Null while it is stopped. */
  current(): T | null
  setRunning(running: boolean): Promise<void>
}

export function createRestartable<T extends { stop(): Promise<void> }>(start: () => Promise<T>): Restartable<T> {
  let instance: T | null = null
  let last: Promise<void> = Promise.resolve()

  async function change(running: boolean): Promise<void> {
    if (running && instance === null) instance = await start()
    if (!running && instance !== null) {
      const stopping = instance
      instance = null
      await stopping.stop()
    }
  }

  return {
    current: () => instance,
    setRunning(running) {
      const next = last.then(() => change(running))
      last = next.catch(() => undefined)
      return next
    },
  }
}
