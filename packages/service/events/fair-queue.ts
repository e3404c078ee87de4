/** Bounds how much runs at once, and how often for one of those who ask: whoever asks for much waits for itself, not others for it. */
export interface FairTurns<Member> {
  /** Does the work of one of `who` in its turn. Null: it left before. It waits for one turn at a time. */
  take<T>(who: string, member: Member, work: () => Promise<T>): Promise<T | null>
  /** It keeps no place: those who come and go faster than turns come would be kept in memory, and others would wait for their turns. */
  leave(who: string, member: Member): void
}

/** `most`: at once. `restMs`: between the starts of two turns of the same one. */
export function createFairTurns<Member>({ most, restMs }: { readonly most: number; readonly restMs: number }): FairTurns<Member> {
  /** In the order of their turns; and so are those that wait in each. */
  const queues = new Map<string, Map<Member, (isTurn: boolean) => void>>()
  const resting = new Set<string>()
  let running = 0

  function startNext(): void {
    if (running >= most) return
    for (const [who, waiting] of queues) {
      if (resting.has(who)) continue
      queues.delete(who)
      const [next] = waiting
      if (next === undefined) continue
      const [member, start] = next
      waiting.delete(member)
      if (waiting.size > 0) queues.set(who, waiting)
      rests(who)
      running += 1
      start(true)
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

  function wait(who: string, member: Member): Promise<boolean> {
    return new Promise((resolve) => {
      const waiting = queues.get(who)
      if (waiting === undefined) queues.set(who, new Map([[member, resolve]]))
      else waiting.set(member, resolve)
      startNext()
    })
  }

  return {
    async take(who, member, work) {
      if (!(await wait(who, member))) return null
      try {
        return await work()
      } finally {
        running -= 1
        startNext()
      }
    },
    leave(who, member) {
      const waiting = queues.get(who)
      const start = waiting?.get(member)
      if (waiting === undefined || start === undefined) return
      waiting.delete(member)
      if (waiting.size === 0) queues.delete(who)
      start(false)
    },
  }
}
