/** Limits total concurrency and the rate per key, so that a greedy client delays only itself. */
export interface FairQueue<Member> {
  /** Runs the work of a member when its key is next in line. Resolves to null if the member left before. A member waits once at a time. */
  run<T>(key: string, member: Member, work: () => Promise<T>): Promise<T | null>
  /** A member that leaves loses its place. Otherwise members that come and go quickly would fill the memory, and others would wait for them. */
  leave(key: string, member: Member): void
}

/** `spacingMs` is the cooldown of a key, measured between the starts of two runs. */
export function createFairQueue<Member>(limits: { readonly maxRunning: number; readonly spacingMs: number }): FairQueue<Member> {
  const { maxRunning, spacingMs } = limits
  /** The keys are in the order of their next run, and the members of each in the order of their arrival. */
  const queues = new Map<string, Map<Member, (mayRun: boolean) => void>>()
  const coolingDown = new Set<string>()
  let running = 0

  function startNext(): void {
    if (running >= maxRunning) return
    for (const [key, waiting] of queues) {
      if (coolingDown.has(key)) continue
      queues.delete(key)
      const [next] = waiting
      if (next === undefined) continue
      const [member, start] = next
      waiting.delete(member)
      if (waiting.size > 0) queues.set(key, waiting)
      coolDown(key)
      running += 1
      start(true)
      return
    }
  }

  function coolDown(key: string): void {
    coolingDown.add(key)
    setTimeout(() => {
      coolingDown.delete(key)
      startNext()
    }, spacingMs)
  }

  function wait(key: string, member: Member): Promise<boolean> {
    return new Promise((resolve) => {
      const waiting = queues.get(key)
      if (waiting === undefined) queues.set(key, new Map([[member, resolve]]))
      else waiting.set(member, resolve)
      startNext()
    })
  }

  return {
    async run(key, member, work) {
      if (!(await wait(key, member))) return null
      try {
        return await work()
      } finally {
        running -= 1
        startNext()
      }
    },
    leave(key, member) {
      const waiting = queues.get(key)
      const start = waiting?.get(member)
      if (waiting === undefined || start === undefined) return
      waiting.delete(member)
      if (waiting.size === 0) queues.delete(key)
      start(false)
    },
  }
}
