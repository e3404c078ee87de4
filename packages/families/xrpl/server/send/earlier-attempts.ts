/** Proves that no earlier attempt of an action is validated, or ever will be. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Attempt } from '@tandem/chain-kit/port/outbox.ts'
import { LIFETIME_LEDGERS } from '../fees.ts'
import type { XrplNode } from '../nodes/node.ts'
import { newestOf } from '../nodes/shared-node.ts'
import { readAttempt, type Signed } from './transaction.ts'

type ProofNode = Pick<XrplNode, 'block' | 'account' | 'isAbsent'>

/**
 * Rejects unless each of them is impossible: its sequence is unused at a validated ledger after its last one; or its sequence is used, and it is in none of
 * the ledgers that it could be in, all of which were searched. A second escrow would be paid twice.
 */
export async function assertNoneValidated(node: ProofNode, owner: string, attempts: readonly Attempt[]): Promise<void> {
  if (attempts.length === 0) return
  const { height } = await newestOf(node)
  const account = await node.account(owner, height)
  for (const signed of attempts.map(readAttempt)) await assertImpossible(node, signed, account?.sequence ?? 0n, height)
}

/** `next`: the sequence of the next transaction at the newest ledger. */
async function assertImpossible(node: ProofNode, { tx, nonce, fees }: Signed, next: bigint, newest: bigint): Promise<void> {
  if (next <= nonce) {
    if (fees.lastLedger <= newest) return
    throw new ChainFailure('unreachable', `${tx} may still be validated, until ledger ${fees.lastLedger}`)
  }
  const last = fees.lastLedger < newest ? fees.lastLedger : newest
  // It was signed at this ledger or later.
  const first = fees.lastLedger - LIFETIME_LEDGERS
  if (!(await node.isAbsent(tx, first < last ? first : last, last)))
    throw new ChainFailure('superseded', `${tx} is validated: another escrow would pay twice`)
}
