// Keeps account of what each owner should have of each token, and compares it with what it has.
import type { Address } from 'viem'
import { expect } from 'vitest'

/** It begins with what the owners have. What others are given is not compared. */
export async function createLedger(
  owners: readonly Address[],
  tokens: readonly Address[],
  balanceOf: (token: Address, owner: Address) => Promise<bigint>,
) {
  const due = new Map<Address, Map<Address, bigint>>()
  for (const token of tokens) {
    const ofToken = new Map<Address, bigint>()
    for (const owner of owners) ofToken.set(owner, await balanceOf(token, owner))
    due.set(token, ofToken)
  }
  return {
    give(token: Address, owner: Address, amount: bigint): void {
      const ofToken = due.get(token)
      if (ofToken === undefined) throw new Error(`the ledger does not know the token ${token}`)
      ofToken.set(owner, (ofToken.get(owner) ?? 0n) + amount)
    },
    async check(): Promise<void> {
      for (const [token, ofToken] of due) for (const owner of owners) expect(await balanceOf(token, owner)).toBe(ofToken.get(owner))
    },
  }
}
