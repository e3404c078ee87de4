/**
 * Keeps the last answer about the instant refunds of each order. A repeated request gets it again and costs no signature. The request
 * contains the service's nonces, which must never get a different answer.
 */
import { createHash } from 'node:crypto'
import type { SolverInstantRefundRequest } from '@tandem/protocol/wire/solver.ts'

export interface KeptAnswers {
  find(orderId: string, request: SolverInstantRefundRequest): string | null
  keep(orderId: string, request: SolverInstantRefundRequest, answer: string): void
}

/** One answer of 20 signatures is about 5 kB. */
const MAX_KEPT = 1_000

export function createKeptAnswers(): KeptAnswers {
  const kept = new Map<string, { readonly request: string; readonly answer: string }>()
  return {
    find(orderId, request) {
      const known = kept.get(orderId)
      return known?.request === hashOf(request) ? known.answer : null
    },
    keep(orderId, request, answer) {
      if (kept.size >= MAX_KEPT) kept.clear()
      kept.set(orderId, { request: hashOf(request), answer })
    },
  }
}

function hashOf({ refunds, offer }: SolverInstantRefundRequest): string {
  const fields = refunds.map(({ deposit, amount, to, pays }) => [deposit, amount, to, pays])
  return createHash('sha256')
    .update(JSON.stringify([fields, offer]))
    .digest('hex')
}
