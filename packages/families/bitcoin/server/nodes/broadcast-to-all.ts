/** Sends a transaction to every node of a chain. */
import { poll } from '@tandem/chain-kit/providers/poll.ts'
import { isRefusedByAll, noAgreement, type Quorum } from '@tandem/chain-kit/providers/quorum.ts'
import { Refusal } from '@tandem/chain-kit/providers/refusal.ts'
import type { BitcoinNode, BroadcastResult } from './backend.ts'
import { classifyRejection, type Rejection } from './rejection.ts'

/** Accepted when a quorum accepts it, or when no answering node refuses it: one liar that accepts everything must not hide a refusal. */
export function broadcastToAll({ pool, size }: Quorum<BitcoinNode>, raw: string): Promise<BroadcastResult> {
  return poll<BitcoinNode, void, BroadcastResult>(pool, {
    enough: size,
    everyone: true,
    async ask(node) {
      const result = await node.broadcast(raw)
      if (!result.accepted && classifyRejection(result.reason) !== 'known') throw new Refusal(0, result.reason)
    },
    decide: () => ({ accepted: true }),
    otherwise({ answers, failures }) {
      const reason = commonReason(failures.flatMap(({ error }) => (error instanceof Refusal ? [error.message] : [])))
      const isFinal = answers.length === 0 && isRefusedByAll(failures)
      if (reason !== null) return { accepted: false, reason, ...(!isFinal && { isPartlyAccepted: true }) }
      if (answers.length === 0) throw noAgreement('a broadcast', 1, [], failures)
      return { accepted: true }
    },
  })
}

/** The first reason of the most frequent kind: nodes word their reasons differently. */
function commonReason(reasons: readonly string[]): string | null {
  const kinds = reasons.map(classifyRejection)
  const count = (kind: Rejection) => kinds.filter((other) => other === kind).length
  const most = Math.max(...kinds.map(count))
  return reasons.find((reason) => count(classifyRejection(reason)) === most) ?? null
}
