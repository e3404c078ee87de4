/** A sign of life for every open stream, spread evenly over time: proxies close silent connections, and a dead one is found by writing to it. */

/** Proxies commonly close a connection that is silent for 30 to 60 s. */
const HEARTBEAT_SECONDS = 15
/** Then the stream is ended, and its client comes back: its app is checked again, and streams spread over the processes. */
const LIFETIME_MS = 30 * 60_000

export interface Heartbeats<Member> {
  add(member: Member): void
  remove(member: Member): void
  stop(): void
}

export function createHeartbeats<Member>(on: {
  readonly beat: (member: Member) => void
  readonly expire: (member: Member) => void
  readonly afterAll: () => void
}): Heartbeats<Member> {
  // Each second serves one group.
  const groups = Array.from({ length: HEARTBEAT_SECONDS }, () => new Map<Member, number>())
  const groupOf = new Map<Member, Map<Member, number>>()
  let next = 0
  let current = 0
  let timer: NodeJS.Timeout | undefined

  function tick(): void {
    current = (current + 1) % groups.length
    const now = performance.now()
    for (const [member, endsAtMs] of groups[current] ?? []) {
      if (now < endsAtMs) on.beat(member)
      else on.expire(member)
    }
    on.afterAll()
  }

  return {
    add(member) {
      next = (next + 1) % groups.length
      const group = groups[next]
      if (group === undefined) return
      group.set(member, performance.now() + LIFETIME_MS)
      groupOf.set(member, group)
      timer ??= setInterval(tick, 1000).unref()
    },
    remove(member) {
      groupOf.get(member)?.delete(member)
      groupOf.delete(member)
      if (groupOf.size > 0) return
      clearInterval(timer)
      timer = undefined
    },
    stop() {
      clearInterval(timer)
      timer = undefined
    },
  }
}
