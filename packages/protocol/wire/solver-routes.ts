/** The solver's server and docs/solver-openapi.json are made from these calls between service and solver, version 1 of the protocol. */
import { Type } from 'typebox'
import {
  SolverChanges,
  SolverChangesAnswer,
  SolverChangesQuery,
  SolverChangesRequest,
  SolverCosign,
  SolverCosigned,
  SolverCosignRequest,
  SolverFill,
  SolverFillRequest,
  SolverHealth,
  SolverInstantRefund,
  SolverInstantRefundRequest,
  SolverLiquidity,
  SolverOrderAcceptance,
  SolverOrderRequest,
  SolverQuote,
  SolverQuoteRequest,
} from './solver.ts'

const OrderPath = Type.Object({ order_id: Type.String({ pattern: '^[0-9a-f]{64}$' }) })

export const solverRoutes = {
  quote: {
    method: 'POST',
    path: '/v1/quote',
    summary: 'A price',
    description:
      'Exactly one of `from_amount` and `to_amount` is given, and repeated in the answer. A quote that is not `indicative` is honoured until `expires_at`.',
    body: SolverQuoteRequest,
    answer: SolverQuote,
  },
  order: {
    method: 'POST',
    path: '/v1/orders',
    summary: 'Accept an order',
    description:
      'The service proposes, the solver completes the terms or declines. The same order_id with the same terms gets the same answer.',
    body: SolverOrderRequest,
    answer: SolverOrderAcceptance,
  },
  fill: {
    method: 'POST',
    path: '/v1/orders/:order_id/fill',
    summary: 'Which deposits the solver pays for',
    description:
      'Where users may send several deposits: the deposits that the service counts, and the destination amount that it expects. `signed`: the solver pays exactly this, and `signature` says so. `wait`: ask again a little later. `declined`: it will never pay for this order, and signs instant refunds of the deposits on request.',
    params: OrderPath,
    body: SolverFillRequest,
    answer: SolverFill,
  },
  instantRefund: {
    method: 'POST',
    path: '/v1/orders/:order_id/instant-refund',
    summary: 'Sign instant refunds',
    description:
      'Source deposits to refund to the user before the timelock ends, each in a separate payment. Once the solver has answered, it never initiates the destination.',
    params: OrderPath,
    body: SolverInstantRefundRequest,
    answer: SolverInstantRefund,
  },
  cosign: {
    method: 'POST',
    path: '/v1/cosign',
    summary: 'Draft a cosigned redeem',
    description:
      'The service offers to cosign redeems of these sources, because the redeems of all their destinations are final. The solver answers with a draft that has its own part, or with null if it does not want one.',
    body: SolverCosignRequest,
    answer: SolverCosign,
  },
  cosigned: {
    method: 'POST',
    path: '/v1/cosign/complete',
    summary: 'Take a cosigned redeem',
    description: 'The transaction with all signatures. The solver decides when to send it.',
    body: SolverCosigned,
    answer: SolverHealth,
  },
  tellChanges: {
    method: 'POST',
    path: '/v1/changes',
    summary: 'Hint to the solver',
    description: 'Something has happened on these chains. The solver reads the chains itself, and limits how often.',
    body: SolverChangesRequest,
    answer: SolverChangesAnswer,
  },
  changes: {
    method: 'GET',
    path: '/v1/changes',
    summary: 'Hint to the service',
    description: 'Answered when something has happened on a chain since number `after`, or after 20 s.',
    query: SolverChangesQuery,
    answer: SolverChanges,
  },
  liquidity: {
    method: 'GET',
    path: '/v1/liquidity',
    summary: 'Balances',
    description: "The solver's balances, and the part that is not reserved for funded orders.",
    answer: SolverLiquidity,
  },
  health: {
    method: 'GET',
    path: '/v1/health',
    summary: 'Whether it answers',
    description: 'Shows too whether it takes new orders.',
    answer: SolverHealth,
  },
} as const
