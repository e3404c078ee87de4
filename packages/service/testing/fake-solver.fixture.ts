/** A simulated solver listens on a real port. Tests replace its answers. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { localChains } from '@tandem/families/registry.ts'
import { signAnswer } from '@tandem/party/solver-auth/sign.ts'
import { createSigningKey } from '@tandem/party/solver-auth/signing-key.ts'
import { createRequestVerifier, type RequestVerifier } from '@tandem/party/solver-auth/verify-request.ts'
import type {
  SolverCosigned,
  SolverCosignRequest,
  SolverFillRequest,
  SolverInstantRefundRequest,
  SolverLiquidity,
  SolverOrderAcceptance,
  SolverOrderRequest,
  SolverQuote,
  SolverQuoteRequest,
} from '@tandem/protocol/wire/solver.ts'
import { createSolverClient, type SolverClient } from '../solver-client.ts'

export type Answer = { readonly status: number; readonly body: unknown } | 'hang up'

export type FakeSolver = {
  readonly client: SolverClient
  readonly listed: { readonly id: string; readonly url: string; readonly public_key: string }
  onQuote: (request: SolverQuoteRequest) => Answer
  onOrder: (request: SolverOrderRequest) => Answer
  onFill: (orderId: string, request: SolverFillRequest) => Answer
  onCosign: (request: SolverCosignRequest) => Answer
  onCosigned: (request: SolverCosigned) => Answer
  onInstantRefund: (orderId: string, request: SolverInstantRefundRequest) => Answer
  onLiquidity: () => Answer
  onHealth: () => Answer
  /** Every answer waits for this promise. */
  delay: Promise<void>
  readonly quoted: SolverQuoteRequest[]
  readonly ordered: SolverOrderRequest[]
  reset(): void
  close(): Promise<void>
}

const serviceKey = createSigningKey('11'.repeat(32))
const solverKey = createSigningKey('22'.repeat(32))

export const refuse = (code: string, message: string): Answer => ({ status: 400, body: { code, message } })

/** All assets are worth the same per smallest unit, less a fee of 1 %. */
export const quoteOf = (id: string, request: SolverQuoteRequest): SolverQuote => ({
  solver_id: id,
  quote_id: `${id}-quote`,
  source_amount: request.from_amount ?? ((BigInt(request.to_amount ?? '0') * 100n) / 99n).toString(),
  destination_amount: request.to_amount ?? ((BigInt(request.from_amount ?? '0') * 99n) / 100n).toString(),
  fee_bips: 30 + request.extra_fee_bips,
  fixed_fee_usd_micros: '150000',
  estimated_time: 20,
  expires_at: 2_000_000_000,
})

const identityOn = (asset: string): string => (asset.startsWith('bitcoin') ? '5'.repeat(64) : `0x${'5'.repeat(40)}`)
const timelocksOn = (asset: string) => {
  const chain = localChains.find(({ id }) => asset.startsWith(`${id}:`))
  if (chain === undefined) throw new Error(`no chain for ${asset}`)
  return chain.timelocks
}

export const acceptanceOf = (id: string, { source, destination }: SolverOrderRequest): SolverOrderAcceptance => ({
  solver_id: id,
  source: { redeemer: identityOn(source.asset), timelock: timelocksOn(source.asset).source.toString() },
  destination: {
    initiator: identityOn(destination.asset),
    timelock: timelocksOn(destination.asset).destination.toString(),
    amount: destination.amount,
  },
  price_expires_at: 2_000_000_000,
})

const liquidityOf = (id: string): SolverLiquidity => ({
  solver_id: id,
  holdings: [
    { asset: 'ethereum_localnet:wbtc', address: identityOn('ethereum_localnet:wbtc'), balance: '250000000', available: '150000000' },
  ],
})

type AnyRequest = SolverQuoteRequest &
  SolverOrderRequest &
  SolverFillRequest &
  SolverCosignRequest &
  SolverCosigned &
  SolverInstantRefundRequest

export async function startFakeSolver(id: string, servicePublicKey = serviceKey.publicKey): Promise<FakeSolver> {
  const honest = {
    onQuote: (request: SolverQuoteRequest): Answer => ({ status: 200, body: quoteOf(id, request) }),
    onOrder: (request: SolverOrderRequest): Answer => ({ status: 200, body: acceptanceOf(id, request) }),
    onFill: (): Answer => ({ status: 200, body: { solver_id: id, answer: 'wait', signature: null, reason: 'not yet' } }),
    onCosign: (): Answer => ({ status: 200, body: { solver_id: id, draft: null } }),
    onCosigned: (): Answer => ({ status: 200, body: { solver_id: id } }),
    onInstantRefund: (): Answer => ({ status: 409, body: { code: 'conflict', message: 'the solver pays for this order' } }),
    onLiquidity: (): Answer => ({ status: 200, body: liquidityOf(id) }),
    onHealth: (): Answer => ({ status: 200, body: { solver_id: id } }),
    delay: Promise.resolve(),
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const solver: FakeSolver = {
    client: createSolverClient({ id, baseUrl, signingKey: serviceKey, publicKey: solverKey.publicKey, timeoutMs: 30_000 }),
    listed: { id, url: baseUrl, public_key: solverKey.publicKey },
    ...honest,
    quoted: [],
    ordered: [],
    reset() {
      Object.assign(solver, honest)
      solver.quoted.length = 0
      solver.ordered.length = 0
    },
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }

  const verifier: RequestVerifier = createRequestVerifier({
    callers: [{ id: 'the service', publicKey: servicePublicKey }],
    recipient: solverKey.publicKey,
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = Buffer.concat(await request.toArray()).toString('utf8')
    const body = text === '' ? {} : JSON.parse(text)
    const { method = '', url: target = '', headers } = request
    const { signature: requestSignature } = verifier.verify({ method, target, headers })
    const reply = respond(target.replace('/v1', ''), body)
    await solver.delay
    if (reply === 'hang up') {
      response.destroy()
      return
    }
    const { status } = reply
    const written = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body)
    response.writeHead(status, signAnswer(solverKey, { status, body: written, requestSignature, nowMs: Date.now() })).end(written)
  }

  function respond(path: string, body: AnyRequest): Answer {
    const [, order, what] = /^\/orders\/([^/]+)\/(instant-refund|fill)$/.exec(path) ?? []
    if (order !== undefined) return what === 'fill' ? solver.onFill(order, body) : solver.onInstantRefund(order, body)
    if (path === '/cosign') return solver.onCosign(body)
    if (path === '/cosign/complete') return solver.onCosigned(body)
    if (path === '/liquidity') return solver.onLiquidity()
    if (path === '/health') return solver.onHealth()
    if (path.startsWith('/changes')) return refuse('not_found', 'it knows no hints')
    if (path === '/quote') {
      solver.quoted.push(body)
      return solver.onQuote(body)
    }
    solver.ordered.push(body)
    return solver.onOrder(body)
  }

  return solver
}
