/** A solver simulator that answers at once: what is measured is the service, not a solver. */
import { fastify } from 'fastify'
import { localChains } from '../../src/protocol/registry/local.ts'
import type { SolverOrderAcceptance, SolverOrderRequest, SolverQuote, SolverQuoteRequest } from '../../src/protocol/wire/solver.ts'
import { tellParent } from './child.ts'

const SOLVER_ID = 'simulator'
/** The generator point of secp256k1 stands for the solver's key. */
const X_ONLY_KEY = '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'
const ACCOUNT = `0x${'5'.repeat(40)}`

const chainOf = (asset: string) => {
  const chain = localChains.find(({ id }) => asset.startsWith(`${id}:`))
  if (chain === undefined) throw new Error(`no chain has ${asset}`)
  return chain
}
const identityOn = (asset: string) => (chainOf(asset).clock.unit === 'blocks' ? X_ONLY_KEY : ACCOUNT)

const server = fastify()
server.post<{ Body: SolverQuoteRequest }>('/quote', async ({ body }): Promise<SolverQuote> => {
  const amount = body.from_amount ?? body.to_amount ?? '0'
  return {
    solver_id: SOLVER_ID,
    quote_id: crypto.randomUUID(),
    source_amount: amount,
    destination_amount: amount,
    fee_bips: 30 + body.extra_fee_bips,
    fixed_fee_usd_micros: '500000',
    estimated_time: 20,
    expires_at: Math.floor(Date.now() / 1000) + 60,
  }
})
server.post<{ Body: SolverOrderRequest }>(
  '/orders',
  async ({ body: { source, destination } }): Promise<SolverOrderAcceptance> => ({
    solver_id: SOLVER_ID,
    source: { redeemer: identityOn(source.asset), timelock: chainOf(source.asset).timelocks.source.toString() },
    destination: {
      initiator: identityOn(destination.asset),
      timelock: chainOf(destination.asset).timelocks.destination.toString(),
      amount: destination.amount,
    },
  }),
)
tellParent({ url: await server.listen({ host: '127.0.0.1', port: 0 }), id: SOLVER_ID })
