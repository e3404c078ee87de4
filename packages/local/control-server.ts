/** The local stack has HTTP controls, on 127.0.0.1 only: a faucet, a switch for the solver, and a way to let time pass. */
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { parseAmount } from '@tandem/protocol/amount.ts'
import { errorStatus, TandemError } from '@tandem/protocol/error.ts'
import fastify, { type FastifyError } from 'fastify'
import { Type } from 'typebox'

export interface ControlServer {
  readonly faucetUrl: string
  readonly solverSwitchUrl: string
  readonly timeUrl: string
  close(): Promise<void>
}

export async function startControlServer(actions: {
  fund(asset: string, address: string, amount: bigint): Promise<string>
  setSolverRunning(running: boolean): Promise<void>
  /** `units` counts units of the chain's clock. */
  passTime(chain: string, units: number): Promise<void>
  readonly origins: readonly string[]
}): Promise<ControlServer> {
  const app = fastify().withTypeProvider<TypeBoxTypeProvider>()

  app.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers
    // A page elsewhere may let its own name point to this machine (DNS rebinding). Its requests then name that host.
    if (!['127.0.0.1', 'localhost'].includes(request.hostname)) return done(new TandemError('forbidden', 'only this machine may call'))
    void reply.header('vary', 'origin')
    if (origin !== undefined && actions.origins.includes(origin))
      void reply.header('access-control-allow-origin', origin).header('access-control-allow-headers', 'content-type')
    if (request.method === 'OPTIONS') void reply.status(204).send()
    else done()
  })

  app.setErrorHandler((error: FastifyError | TandemError, _request, reply) => {
    const status = error instanceof TandemError ? errorStatus[error.code] : (error.statusCode ?? 500)
    void reply.status(status).send({ status: 'Error', error: error.message, result: null })
  })

  const FaucetRequest = Type.Object({
    chain: Type.Optional(Type.String()),
    asset: Type.String(),
    address: Type.String(),
    amount: Type.String(),
  })
  app.post('/faucet', { schema: { body: FaucetRequest } }, async ({ body }) => {
    // Clients send the full asset id, or the token with its chain in `chain`.
    const asset = body.asset.includes(':') ? body.asset : `${body.chain ?? ''}:${body.asset}`
    const tx = await actions.fund(asset.toLowerCase(), body.address, parseAmount(body.amount))
    return { status: 'Ok', error: null, result: tx }
  })

  app.post('/solver', { schema: { body: Type.Object({ running: Type.Boolean() }) } }, async ({ body }) => {
    await actions.setSolverRunning(body.running)
    return { status: 'Ok', error: null, result: body.running }
  })

  const TimeRequest = Type.Object({ chain: Type.String(), units: Type.Integer({ minimum: 1, maximum: 10_000 }) })
  app.post('/time', { schema: { body: TimeRequest } }, async ({ body }) => {
    await actions.passTime(body.chain, body.units)
    return { status: 'Ok', error: null, result: body.units }
  })

  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return { faucetUrl: `${url}/faucet`, solverSwitchUrl: `${url}/solver`, timeUrl: `${url}/time`, close: () => app.close() }
}
