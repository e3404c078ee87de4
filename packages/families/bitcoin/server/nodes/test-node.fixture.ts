/** Runs proxies in front of a node that tests can make die, stop or lie: for the tests of this family and of the whole stack. */
import { createServer, type IncomingMessage } from 'node:http'
import { bytesToHex } from '@noble/hashes/utils.js'
import { splitCredentials } from '@tandem/chain-kit/providers/http.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import { bitcoinRegtest, litecoinRegtest } from '../../local/network.ts'
import { type BitcoinNetwork, networkOf } from '../../terms/networks.ts'
import { scriptOfAddress } from '../../terms/script/address.ts'
import { hashOf, headerAnswer, type MadeBlock, makeBlock, makeTransaction } from '../blocks/block.fixture.ts'
import { asRawBlock, type Walked } from '../blocks/transaction-walk.ts'

export type NodeQuestion = { readonly path: string; readonly body: string }
export type NodeAnswer = { readonly status: number; readonly body: string | Uint8Array }

export type Behaviour = (question: NodeQuestion, ask: (question: NodeQuestion) => Promise<NodeAnswer>) => Promise<NodeAnswer>

export interface TestNode {
  readonly url: string
  readonly asked: readonly string[]
  behave(behaviour: Behaviour): void
  setOffline(offline: boolean): void
  close(): Promise<void>
}

export const honest: Behaviour = (question, ask) => ask(question)

export async function startTestNode(nodeUrl: string, first: Behaviour = honest): Promise<TestNode> {
  const asked: string[] = []
  let behaviour = first
  let isOffline = false
  const server = createServer(async (request, response) => {
    const question = { path: request.url ?? '', body: await readBody(request) }
    asked.push(...namesOf(question))
    if (isOffline) {
      request.socket.destroy()
      return
    }
    try {
      const { status, body } = await behaviour(question, (asking) => forward(nodeUrl, asking))
      response.writeHead(status).end(body)
    } catch {
      // The node behind it was closed.
      request.socket.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  return {
    url: `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : 0}`,
    asked,
    behave(next) {
      behaviour = next
    },
    setOffline(offline) {
      isOffline = offline
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk as Uint8Array)
  return Buffer.concat(chunks).toString()
}

/** A real node runs one scan of its UTXO set at a time, and here several proxies share a node. */
let lastScan: Promise<unknown> = Promise.resolve()

function forward(nodeUrl: string, question: NodeQuestion): Promise<NodeAnswer> {
  if (!question.body.includes('scantxoutset')) return forwardNow(nodeUrl, question)
  const answer = lastScan.then(() => forwardNow(nodeUrl, question))
  lastScan = answer.catch(() => undefined)
  return answer
}

async function forwardNow(nodeUrl: string, { path, body }: NodeQuestion): Promise<NodeAnswer> {
  const { base, authorization } = splitCredentials(nodeUrl)
  const url = path === '/' ? base : `${base}${path}`
  const answer = await fetch(url, body === '' ? { headers: authorization } : { method: 'POST', body, headers: authorization })
  return { status: answer.status, body: new Uint8Array(await answer.arrayBuffer()) }
}

function namesOf({ path, body }: NodeQuestion): readonly string[] {
  return path === '/' && body !== '' ? callsIn(body).map(({ method }) => method) : [path]
}

/** `change` returns null where the answer stays. */
export function serveChanged(esploraUrl: string, change: (path: string, answer: string) => NodeAnswer | null): Promise<TestNode> {
  return startTestNode(esploraUrl, async (question, ask) => {
    const answer = await ask(question)
    return change(question.path, Buffer.from(answer.body).toString()) ?? answer
  })
}

type RpcCall = { readonly id: unknown; readonly method: string; readonly params: readonly unknown[] }

export function lyingAbout(lies: Readonly<Record<string, (params: readonly unknown[], truth: unknown) => unknown>>): Behaviour {
  return async (question, ask) => {
    const { body } = await ask(question)
    const answers: unknown = JSON.parse(Buffer.from(body).toString())
    const calls = callsIn(question.body)
    const lied = (Array.isArray(answers) ? answers : [answers]).map((answer) => {
      const call = calls.find(({ id }) => id === answer.id)
      const lie = call === undefined ? undefined : lies[call.method]?.(call.params, answer.result)
      return lie === undefined ? answer : { id: answer.id, result: lie, error: null }
    })
    return { status: 200, body: JSON.stringify(Array.isArray(answers) ? lied : lied[0]) }
  }
}

function callsIn(body: string): readonly RpcCall[] {
  return [JSON.parse(body)].flat()
}

export type ForgedDeposit = { readonly address: string; readonly amount: bigint; readonly network: BitcoinNetwork }

export function forgedDeposit(parent: { readonly height: number; readonly hash: string }, deposit: ForgedDeposit): Behaviour {
  const time = Math.floor(Date.now() / 1000)
  const payment = makeTransaction(
    [`${hashOf(1)}:0`],
    [{ script: scriptOfAddress(deposit.address, deposit.network), amount: deposit.amount }],
  )
  const { txid } = payment
  const { gettxout } = shownAs(deposit)
  return showing(makeBlock(parent.hash, time, [payment], simulated(deposit.network)), parent.height + 1, {
    gettxout: (params) => (params[0] === txid ? gettxout() : undefined),
  })
}

export function shownOutput(content: ForgedDeposit | null): Behaviour {
  return lyingAbout(content === null ? { gettxout: () => null } : shownAs(content))
}

function shownAs({ address, network, amount }: ForgedDeposit) {
  const hex = bytesToHex(scriptOfAddress(address, network))
  return { gettxout: () => ({ confirmations: 1, value: Number(amount) / 1e8, scriptPubKey: { hex } }) }
}

export function forgedBlock({ height, parentHash, time }: Block, network: BitcoinNetwork): Behaviour {
  return showing(makeBlock(parentHash, Number(time) + 1, [], simulated(network)), Number(height))
}

function simulated({ genesisHash }: BitcoinNetwork) {
  return genesisHash === networkOf('litecoin:regtest').genesisHash ? litecoinRegtest : bitcoinRegtest
}

export function changingBlocks(change: (block: Buffer, transactions: readonly Walked[]) => Uint8Array): Behaviour {
  return lyingAbout({
    getblock: (_params, truth) => {
      const block = Buffer.from(String(truth), 'hex')
      const transactions: Walked[] = []
      asRawBlock(block).walk((transaction) => transactions.push(transaction))
      return bytesToHex(change(block, transactions))
    },
  })
}

export const hidingTransactions = changingBlocks((block, [coinbase]) =>
  Buffer.concat([block.subarray(0, 80), Uint8Array.of(1), block.subarray(coinbase?.start, coinbase?.end)]),
)

type Lies = Parameters<typeof lyingAbout>[0]

function showing(block: MadeBlock, height: number, others: Lies = {}): Behaviour {
  const ifThis = (answer: unknown) => (params: readonly unknown[]) => (params[0] === block.hash ? answer : undefined)
  return lyingAbout({
    getbestblockhash: () => block.hash,
    getblockcount: () => height,
    getblockhash: ([at]) => (at === height ? block.hash : undefined),
    getblockheader: ifThis(headerAnswer(block, height)),
    getblock: ifThis(bytesToHex(block.bytes)),
    ...others,
  })
}

export function stoppedAt(newest: { readonly height: number; readonly hash: string }): Behaviour {
  return async (question, ask) => {
    const lies = lyingAbout({
      getbestblockhash: () => newest.hash,
      getblockcount: () => newest.height,
      getrawmempool: () => [],
      gettxout: () => null,
    })
    const [call] = callsIn(question.body)
    if (call?.method !== 'getblockhash' || Number(call.params[0]) <= newest.height) return lies(question, ask)
    return { status: 500, body: JSON.stringify({ id: call.id, result: null, error: { code: -8, message: 'Block height out of range' } }) }
  }
}
