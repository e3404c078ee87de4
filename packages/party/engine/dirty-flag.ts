/** Remembers whether something changed since the last successful run of a loop. */

export interface DirtyFlag {
  set(): void
  /** If `work` fails, the next run is dirty too. */
  run<T>(work: (isDirty: boolean) => Promise<T>): Promise<T>
}

export function createDirtyFlag(): DirtyFlag {
  let changes = 0
  let served = 0
  return {
    set() {
      changes += 1
    },
    async run(work) {
      const before = changes
      const done = await work(before > served)
      served = before
      return done
    },
  }
}
