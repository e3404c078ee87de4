/** Remembers the nonces of one caller for as long as their requests could be repeated. */
export interface Nonces {
  /** False: it was used before. `full`: there are too many to remember. `created`: of its request, which a repeat has too. */
  use(nonce: string, created: number, now: number): boolean | 'full'
}

/** A request is refused on its time alone when its second is older than `keepSeconds`: so its nonce can be forgotten. */
export function createNonces(keepSeconds: number, most: number): Nonces {
  const bySecond = new Map<number, Set<string>>()
  let count = 0
  let forgottenAt = 0

  function forgetOld(now: number): void {
    if (now === forgottenAt) return
    forgottenAt = now
    for (const [second, nonces] of bySecond) {
      if (second >= now - keepSeconds) continue
      bySecond.delete(second)
      count -= nonces.size
    }
  }

  return {
    use(nonce, created, now) {
      forgetOld(now)
      const nonces = bySecond.get(created) ?? new Set()
      if (nonces.has(nonce)) return false
      if (count >= most) return 'full'
      bySecond.set(created, nonces.add(nonce))
      count += 1
      return true
    },
  }
}
