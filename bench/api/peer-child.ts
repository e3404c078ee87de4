/** The service's endpoints are compared with this peer: the same framework and driver, doing the minimum. */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { fastify } from 'fastify'
import pg from 'pg'
import { answerCpu, readInput, tellParent } from './child.ts'

export type PeerInput = { readonly databaseUrl: string; readonly quoteBody: string; readonly poolSize: number }
export type TransactionsAsked = { readonly concurrency: number; readonly seconds: number }
export type TransactionsDone = { readonly perSecond: number; readonly p50Ms: number; readonly p99Ms: number }

const input = readInput<PeerInput>()
const pool = new pg.Pool({ connectionString: input.databaseUrl, max: input.poolSize })
await pool.query('create schema peer')
await pool.query('create table peer.orders (like public.orders including all)')
await pool.query('create table peer.swaps (like public.swaps including all)')

const server = fastify()
server.get('/v2/quote', async (_request, reply) => reply.type('application/json; charset=utf-8').send(input.quoteBody))
server.get<{ Params: { id: string } }>('/orders/:id', async ({ params }) => {
  const { rows } = await pool.query({ name: 'by-id', text: 'select * from public.orders where id = $1', values: [params.id] })
  return rows[0]
})
server.post('/orders', async () => ({ status: 'Ok', result: { order_id: await insertOrder() } }))
const url = await server.listen({ host: '127.0.0.1', port: 0 })

answerCpu((question) => void runTransactions(question as TransactionsAsked).then(tellParent))
tellParent({ url })

/** Each transaction stores one order and its two swaps with the bare driver. */
async function runTransactions({ concurrency, seconds }: TransactionsAsked): Promise<TransactionsDone> {
  const latencies: number[] = []
  let running = true
  const work = async () => {
    while (running) {
      const startedAt = performance.now()
      await insertOrder()
      latencies.push(performance.now() - startedAt)
    }
  }
  const startedAt = performance.now()
  const workers = Array.from({ length: concurrency }, work)
  await sleep(seconds * 1000)
  running = false
  await Promise.all(workers)
  const elapsedSeconds = (performance.now() - startedAt) / 1000
  latencies.sort((a, b) => a - b)
  const at = (part: number) => latencies[Math.floor(latencies.length * part)] ?? Number.NaN
  return { perSecond: latencies.length / elapsedSeconds, p50Ms: at(0.5), p99Ms: at(0.99) }
}

async function insertOrder(): Promise<string> {
  const [id, hash] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')]
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query({
      name: 'order',
      text: `insert into peer.orders (id, app, solver_id, nonce, source_owner, destination_owner, secret_hash, deadline, price_expires_at, request_hash, token_hash)
             values ($1, 'bench', 'simulator', $1, 'owner', 'owner', $2, 1800000000, 1800000000, $1, $2)`,
      values: [id, hash],
    })
    for (const leg of ['source', 'destination'])
      await client.query({
        name: 'swap',
        text: `insert into peer.swaps (order_id, leg, chain, asset, swap_id, initiator, redeemer, amount, agreed_amount, secret_hash, timelock, user_address, required_confirmations)
               values ($1, $2, 'ethereum_localnet', 'ethereum_localnet:wbtc', $1 || $2::text, 'initiator', 'redeemer', 1000000, 1000000, $3, 1200, 'owner', 1)`,
        values: [id, leg, hash],
      })
    await client.query('commit')
    return id
  } finally {
    client.release()
  }
}
