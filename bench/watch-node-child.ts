/** A simulator of Bitcoin Core: the JSON-RPC methods that a watcher needs, over blocks and a mempool in memory. */

import { headerAnswer } from '@tandem/bitcoin/server/blocks/block.fixture.ts'
import { fastify } from 'fastify'
import { readInput, tellParent } from './api/child.ts'
import type { Size } from './bench.ts'
import { EMPTY_BLOCKS, makeFullBlocks, makeMempool } from './watch.fixture.ts'

type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] }
/** The part of the fixture that the node shows at this moment. */
export type Shown = { readonly fullBlocks: number; readonly mempool: number }
/** All that it may show. */
export type NodeInput = Shown & { readonly size: Size }

const { fullBlocks, mempool, size } = readInput<NodeInput>()
const blocks = makeFullBlocks(fullBlocks, size).map((block, height) => ({
  hash: block.hash,
  hex: Buffer.from(block.bytes).toString('hex'),
  header: headerAnswer(block, height),
}))
const byHash = new Map(blocks.map((block) => [block.hash, block]))
const unconfirmed = makeMempool(mempool).map(({ txid, bytes }) => ({ txid, hex: Buffer.from(bytes).toString('hex') }))
const byTxid = new Map(unconfirmed.map(({ txid, hex }) => [txid, hex]))

let shown: Shown = { fullBlocks: 0, mempool: 0 }
const tip = () => EMPTY_BLOCKS + shown.fullBlocks - 1

const methods: Readonly<Record<string, (params: readonly unknown[]) => unknown>> = {
  getbestblockhash: () => blocks[tip()]?.hash,
  getblockhash: ([height]) => (Number(height) > tip() ? undefined : blocks[Number(height)]?.hash),
  getblockheader: ([hash]) => byHash.get(String(hash))?.header,
  getblock: ([hash]) => byHash.get(String(hash))?.hex,
  getrawmempool: () => unconfirmed.slice(0, shown.mempool).map(({ txid }) => txid),
  getrawtransaction: ([txid]) => byTxid.get(String(txid)),
}

function answer({ id, method, params }: Call) {
  const result = methods[method]?.(params)
  // Bitcoin Core: a parameter that is out of range.
  return result === undefined ? { id, result: null, error: { code: -8, message: 'unknown' } } : { id, result, error: null }
}

process.on('message', (next: Shown) => {
  shown = next
  tellParent(shown)
})
const server = fastify({ bodyLimit: 64 * 1024 * 1024 })
server.addContentTypeParser('text/plain', { parseAs: 'string' }, (_request, body, done) => done(null, JSON.parse(String(body))))
server.post<{ Body: Call | Call[] }>('/', async ({ body }) => (Array.isArray(body) ? body.map(answer) : answer(body)))
tellParent({ url: await server.listen({ host: '127.0.0.1', port: 0 }) })
