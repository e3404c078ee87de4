/** Bounds how much runs at once, and how often for one of those who ask: whoever asks for much waits for itself, not others for it. */
export type FairTurns = <T>(who: string, work: () => Promise<T>) => Promise<T>

/** `most`: at once. `restMs`: between the starts of two turns of the same one. */
export function createFairTurns({ most, restMs }: { readonly most: number; readonly restMs: number }): FairTurns {
  /** In the order of their turns. */
  const queues = new Map<string, (() => void)[]>()
  const resting = new Set<string>()
  let running = 0

  function startNext(): void {
    if (running >= most) return
    for (const [who, [start, ...rest]] of queues) {
      if (resting.has(who)) continue
      queues.delete(who)
      if (rest.length > 0) queues.set(who, rest)
      rests(who)
      running += 1
      start?.()
      return
    }
  }

  function rests(who: string): void {
    resting.add(who)
    setTimeout(() => {
      resting.delete(who)
      startNext()
    }, restMs)
  }

  return async (who, work) => {
    await new Promise<void>((resolve) => {
      const queue = queues.get(who)
      if (queue === undefined) queues.set(who, [resolve])
      else queue.push(resolve)
      startNext()
    })
    try {
      return await work()
    } finally {
      running -= 1
      startNext()
    }
  }
}
