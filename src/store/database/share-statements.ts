/** Batches concurrent requests: while statements run, new requests queue up and share the next one. A single request is executed at once. */

export type Waiting<Item, Result> = {
  readonly item: Item
  resolve(result: Result | PromiseLike<Result>): void
  reject(error: unknown): void
}

const MAX_BATCH = 50
/** Two, so that the database executes one while the other waits for the disk, or its answer is parsed. */
const MAX_STATEMENTS = 2

/** `execute` settles every request of its batch, and does not reject. */
export function shareStatements<Item, Result>(
  execute: (batch: readonly Waiting<Item, Result>[]) => Promise<void>,
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = []
  let statements = 0

  async function work(): Promise<void> {
    if (statements >= MAX_STATEMENTS) return
    statements += 1
    while (waiting.length > 0) await execute(waiting.splice(0, MAX_BATCH))
    statements -= 1
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      void work()
    })
}
