/** A limited number of places, shared fairly between groups. */

export interface Room<Member> {
  readonly size: number
  readonly isFull: boolean
  enter(group: string, member: Member): void
  leave(group: string, member: Member): void
  /** The newest member of the largest group, if a member of `group` is more entitled to its place: its own group would still be smaller. */
  leastEntitled(group: string): Member | null
}

export function createRoom<Member>(limit: number): Room<Member> {
  const groups = new Map<string, Set<Member>>()
  let size = 0

  return {
    get size() {
      return size
    },
    get isFull() {
      return size >= limit
    },
    enter(group, member) {
      const members = groups.get(group)
      if (members === undefined) groups.set(group, new Set([member]))
      else members.add(member)
      size += 1
    },
    leave(group, member) {
      const members = groups.get(group)
      if (members?.delete(member) !== true) return
      if (members.size === 0) groups.delete(group)
      size -= 1
    },
    leastEntitled(group) {
      let largest: ReadonlySet<Member> = new Set()
      for (const members of groups.values()) if (members.size > largest.size) largest = members
      if (largest.size <= (groups.get(group)?.size ?? 0) + 1) return null
      let newest: Member | null = null
      for (const member of largest) newest = member
      return newest
    },
  }
}
