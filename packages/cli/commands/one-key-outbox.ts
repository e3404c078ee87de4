/** An outbox for a command that sends with a key of its user: nothing else uses the key meanwhile, and what was signed is kept until the command ends. */
import type { Attempt, HeldKey, Outbox } from '@tandem/chain-kit/port/outbox.ts'
import type { Key } from '@tandem/keys/key.ts'
import type { Purpose } from '@tandem/keys/purpose.ts'

export function oneKeyOutbox(key: Key, purpose: Purpose): Outbox {
  const attempts: Attempt[] = []
  const now = BigInt(Math.floor(Date.now() / 1000))
  const held: HeldKey = {
    signer: key.signerFor(purpose),
    readOthers: async () => [],
    record: async (attempt) => void attempts.push({ ...attempt, at: now }),
  }
  return {
    key,
    attempts,
    readOthers: held.readOthers,
    withKey: (work) => work(held),
    makeDue: async () => undefined,
    noteReverted: async () => undefined,
    secondsLeft: null,
    now,
  }
}
