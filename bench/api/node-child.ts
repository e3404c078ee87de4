/** A simulated JSON-RPC node answers at once: no allowance, and the gas of a call. */
import { fastify } from 'fastify'
import { tellParent } from './child.ts'

type Call = { readonly id: number; readonly method: string }

const answers: Readonly<Record<string, string>> = { eth_call: `0x${'0'.repeat(64)}`, eth_estimateGas: '0x10000' }

const answer = ({ id, method }: Call) => ({ jsonrpc: '2.0', id, result: answers[method] })

const server = fastify()
server.post<{ Body: Call | Call[] }>('/', async ({ body }) => (Array.isArray(body) ? body.map(answer) : answer(body)))
tellParent({ url: await server.listen({ host: '127.0.0.1', port: 0 }) })
