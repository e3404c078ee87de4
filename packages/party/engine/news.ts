/** Whether something happened since the last run of a loop that succeeded. */

export interface News {
  note(): void
  /** If `work` fails, the next run is told of the same news. */
  serve<T>(work: (isNews: boolean) => Promise<T>): Promise<T>
}

export function createNews(): News {
  let noted = 0
  let served = 0
  return {
    note() {
      noted += 1
    },
    async serve(work) {
      const before = noted
      const done = await work(before > served)
      served = before
      return done
    },
  }
}
