/** A limited number of members, shared fairly between groups. */

export interface FairQuota<Member> {
  readonly size: number
  readonly isFull: boolean
  add(group: string, member: Member): void
  remove(group: string, member: Member): void
  /** The newest member of the largest group, if it must give way to another member of `group`: that group would still be smaller. Else null. */
  evictable(group: string): Member | null
}

export function createFairQuota<Member>(limit: number): FairQuota<Member> {
  const groups = new Map<string, Set<Member>>()
  let size = 0

  return {
    get size() {
      return size
    },
    get isFull() {
      return size >= limit
    },
    add(group, member) {
      const members = groups.get(group)
      if (members === undefined) groups.set(group, new Set([member]))
      else members.add(member)
      size += 1
    },
    remove(group, member) {
      const members = groups.get(group)
      if (members?.delete(member) !== true) return
      if (members.size === 0) groups.delete(group)
      size -= 1
    },
    evictable(group) {
      let largest: ReadonlySet<Member> = new Set()
      for (const members of groups.values()) if (members.size > largest.size) largest = members
      if (largest.size <= (groups.get(group)?.size ?? 0) + 1) return null
      let newest: Member | null = null
      for (const member of largest) newest = member
      return newest
    },
  }
}
