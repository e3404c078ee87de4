/** Closes the parts of a process in the reverse order of their start. */

/** Registers how to close a part. */
export type Keep = (close: () => Promise<unknown>) => void

export interface Closing {
  readonly keep: Keep
  /** Closes every part, also if one fails: what goes on running would keep the process alive. Then throws the first failure. */
  close(): Promise<void>
}

export function createClosing(): Closing {
  const closes: (() => Promise<unknown>)[] = []
  return {
    keep: (close) => closes.push(close),
    async close() {
      const failures: unknown[] = []
      for (const close of closes.splice(0).reverse()) await close().catch((error: unknown) => failures.push(error))
      if (failures.length > 0) throw failures[0]
    },
  }
}
