// Tests clients of Core nodes and an Esplora server together, of which one lies or is behind. The conformance suite has three Core nodes.
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { Endpoints } from '@tandem/chain-kit/port/endpoints.ts'
import { readSwap } from '@tandem/chain-kit/testing/conformance.fixture.ts'
import { createMemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { openedForEach } from '@tandem/runtime/opened.fixture.ts'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { startBitcoinRegtest } from '../../local/index.ts'
import { randomSigner, regtest, regtestChain } from '../bitcoin.fixture.ts'
import { hashOf } from '../blocks/block.fixture.ts'
import { encodeHeader } from '../blocks/checked-headers.ts'
import { bitcoin } from '../index.ts'
import { parseHeader } from '../script/transaction.ts'
import { failure } from '../wallet/manual-mining.fixture.ts'
import {
  type Behaviour,
  changingBlocks,
  forgedDeposit,
  hidingTransactions,
  honest,
  lyingAbout,
  serveChanged,
  startTestNode,
  stoppedAt,
  type TestNode,
} from './test-node.fixture.ts'

const chain = regtestChain()
const [user, solver] = [randomSigner(), randomSigner()]
const secret = createSecret()

const node = openedForEach(() => startBitcoinRegtest({ premineBlocks: 110 }))
let [liar, core]: TestNode[] = []
let esplora: TestNode
let troubles: string[]
let client: ChainClient
let terms: HtlcTerms

const connect = (endpoints: Endpoints, quorum: number) =>
  bitcoin.connect(chain, { assets: [], endpoints, quorum, onTrouble: (what) => troubles.push(what) })
const alone = () => connect({ rpc: [liar?.url ?? ''] }, 1)

beforeEach(async () => {
  ;[liar, core, esplora] = [await startTestNode(node.rpcUrl), await startTestNode(node.rpcUrl), await startTestNode(node.esploraUrl)]
  troubles = []
  client = connect({ rpc: [liar.url, core.url], esplora: [esplora.url] }, 2)
  terms = {
    asset: chain.nativeAsset,
    initiator: client.identityOf(user),
    redeemer: client.identityOf(solver),
    amount: 200_000n,
    secretHash: hashSecret(secret),
    timelock: 20n,
  }
})
afterEach(async () => {
  await client.close()
  await Promise.all([liar, core, esplora].map((one) => one?.close()))
})

const depositsSeen = async (by: ChainClient) => (await readSwap(by, terms, 100n)).swap.deposits.map(({ amount }) => amount)
const newest = () => ({ height: node.height, hash: node.tipHash })

async function fund(): Promise<void> {
  await node.faucet(client.swapId(terms), terms.amount)
  node.mine(1)
}

/** Nobody mined this header on top of the chain. Bitcoin Core tells it so. */
function unworked(): Readonly<Record<string, unknown>> {
  const header = {
    height: node.height + 1,
    previousblockhash: node.tipHash,
    version: 4,
    merkleroot: hashOf(1),
    time: 1_700_000_000,
    bits: '207fffff',
  }
  for (let nonce = 0; ; nonce++) {
    const fields = { version: 4, parentHash: node.tipHash, merkleRoot: hashOf(1), time: header.time, bits: 0x207fffff, nonce }
    // The highest bit of the hash is set, so the hash is above the target.
    if (/^[89a-f]/.test(parseHeader(Uint8Array.from(encodeHeader(fields))).hash)) return { ...header, nonce }
  }
}

/** A liar of either kind answers everything else truly. */
const refusingBroadcasts: Behaviour = async (question, ask) => {
  const message = 'min relay fee not met'
  if (question.path === '/tx') return { status: 400, body: `sendrawtransaction RPC error: {"code":-26,"message":"${message}"}` }
  if (!question.body.includes('sendrawtransaction')) return ask(question)
  return { status: 500, body: JSON.stringify({ id: JSON.parse(question.body).id, result: null, error: { code: -26, message } }) }
}

describe('a quorum of two out of three nodes, of which one', () => {
  it('invents a block with a deposit: without a quorum it is believed, here it is not', async () => {
    liar?.behave(forgedDeposit(newest(), { address: client.swapId(terms), amount: terms.amount, network: regtest }))
    expect(await depositsSeen(alone())).toEqual([200_000n])
    expect(await depositsSeen(client)).toEqual([])
    node.mine(1)
    expect((await client.tip()).hash).toBe(node.tipHash)
    expect(await depositsSeen(client)).toEqual([])
    expect(troubles).toEqual([expect.stringMatching(/contradicts the others about block/)])
  })

  it('omits a deposit from a block: without a quorum it is believed, here another node is asked', async () => {
    await fund()
    liar?.behave(hidingTransactions)
    expect(await depositsSeen(alone())).toEqual([])
    expect(await depositsSeen(client)).toEqual([200_000n])
    expect(troubles).toContainEqual(expect.stringMatching(/the transactions that the node sent are not those of block/))
  })

  it('removes the secret from a redeem: without a quorum it is believed, here another node is asked', async () => {
    await fund()
    const [deposit] = (await readSwap(client, terms, 100n)).swap.deposits
    const redeem = client.redeem(
      terms,
      { deposits: [{ id: deposit?.id ?? '', amount: terms.amount }], to: null, secret },
      createMemoryOutbox(solver).open('redeem'),
    )
    await redeem
    node.mine(1)
    const hidden = Buffer.from(secret, 'hex')
    liar?.behave(
      changingBlocks((block) => {
        const at = block.indexOf(hidden)
        return at < 0 ? block : Buffer.concat([block.subarray(0, at), Buffer.alloc(32), block.subarray(at + 32)])
      }),
    )
    const spends = async (by: ChainClient) =>
      (await readSwap(by, terms, 100n)).events.flatMap((event) => (event.kind === 'initiated' ? [] : [[event.kind, event.secret]]))
    expect(await spends(alone())).toEqual([['refunded', null]])
    expect(await spends(client)).toEqual([['redeemed', secret]])
    expect(troubles).toContainEqual(expect.stringMatching(/the witnesses that the node sent are not those of block/))
  })

  it('has stopped syncing: new deposits are seen, redeemed and refunded', async () => {
    liar?.behave(stoppedAt(newest()))
    await fund()
    await fund()
    const [first, second] = (await readSwap(client, terms, 100n)).swap.deposits
    expect([first?.amount, second?.amount]).toEqual([200_000n, 200_000n])
    const one = (deposit: typeof first) => [{ id: deposit?.id ?? '', amount: terms.amount }]
    await client.redeem(terms, { deposits: one(first), to: null, secret }, createMemoryOutbox(solver).open('redeem'))
    node.mine(20)
    await client.refund(terms, { deposits: one(second), to: null }, createMemoryOutbox(user).open('refund'))
    node.mine(1)
    const { events } = await readSwap(client, terms, 100n)
    expect(events.map(({ kind }) => kind).sort()).toEqual(['initiated', 'initiated', 'redeemed', 'refunded'])
  })

  it('accepts a redeem that the others refuse: the refusal is not final, because that node has the secret and may get it mined', async () => {
    await fund()
    const [deposit] = (await readSwap(client, terms, 100n)).swap.deposits
    core?.behave(refusingBroadcasts)
    esplora.behave(refusingBroadcasts)
    const outbox = createMemoryOutbox(solver)
    const spend = { deposits: [{ id: deposit?.id ?? '', amount: terms.amount }], to: null, secret }
    await expect(client.redeem(terms, spend, outbox.open('redeem'))).rejects.toThrow(
      failure('unreachable', /min relay fee not met.*some nodes have accepted it/),
    )
    expect(outbox.attempts('redeem')).toHaveLength(1)
  })

  it('refuses a redeem like all others: the refusal is final', async () => {
    await fund()
    const [deposit] = (await readSwap(client, terms, 100n)).swap.deposits
    for (const one of [liar, core, esplora]) one?.behave(refusingBroadcasts)
    const spend = { deposits: [{ id: deposit?.id ?? '', amount: terms.amount }], to: null, secret }
    const redeem = client.redeem(terms, spend, createMemoryOutbox(solver).open('redeem'))
    await expect(redeem).rejects.toThrow(failure('would-fail', /min relay fee not met/))
  })

  it('dies: the others answer', async () => {
    liar?.setOffline(true)
    await fund()
    expect(await depositsSeen(client)).toEqual([200_000n])
    await expect(client.verifyNode()).resolves.toBeUndefined()
    expect(await client.payoutFee?.(terms.asset)).toBeGreaterThan(0n)
    core?.setOffline(true)
    await expect(client.tip()).rejects.toThrow(failure('unreachable'))
    await expect(client.verifyNode()).rejects.toThrow(failure('unreachable'))
    liar?.setOffline(false)
    expect((await client.tip()).hash).toBe(node.tipHash)
  })

  it('is on another network: the client does not start', async () => {
    liar?.behave(lyingAbout({ getblockhash: ([height]) => (height === 0 ? '12'.repeat(32) : undefined) }))
    await expect(client.verifyNode()).rejects.toThrow(failure('would-fail', /another network than Bitcoin regtest/))
  })

  it('is shown to operators beside the others', async () => {
    node.mine(2)
    liar?.behave(stoppedAt({ height: 110, hash: (await client.headers([110n]))[0]?.hash ?? '' }))
    core?.setOffline(true)
    expect(await client.inspectProviders?.()).toMatchObject([
      { name: new URL(liar?.url ?? '').host, error: null, height: 110n, behind: 2n, isLate: true, hasOldEvents: true },
      { name: new URL(core?.url ?? '').host, error: expect.stringMatching(/ECONN/), height: 0n },
      { name: new URL(esplora.url).host, error: null, height: 112n, behind: 0n, isLate: false, hasOldEvents: true, tags: [] },
    ])
    liar?.behave(honest)
  })
})

describe('Esplora servers without raw blocks', () => {
  it('must show the same histories: one server can neither hide nor invent a transaction', async () => {
    const noBlocks = (path: string) => (path.endsWith('/raw') ? { status: 404, body: 'not found' } : null)
    const hiding = (path: string) => (path.includes('/txs/chain') ? { status: 200, body: '[]' } : noBlocks(path))
    const servers = await Promise.all([hiding, noBlocks, noBlocks].map((change) => serveChanged(node.esploraUrl, change)))
    try {
      await fund()
      const urls = servers.map(({ url }) => url)
      expect(await depositsSeen(connect({ esplora: urls.slice(0, 1) }, 1))).toEqual([])
      expect(await depositsSeen(connect({ esplora: urls }, 2))).toEqual([200_000n])
      await expect(depositsSeen(connect({ esplora: urls.slice(0, 2) }, 2))).rejects.toThrow(failure('unreachable', /do not agree/))
    } finally {
      await Promise.all(servers.map((server) => server.close()))
    }
  })
})

describe('an Esplora server without raw blocks', () => {
  it('must prove that a transaction is in a block: it cannot make an unconfirmed deposit a mined one', async () => {
    const txid = await node.faucet(client.swapId(terms), terms.amount)
    const mined = { confirmed: true, block_height: node.height, block_hash: node.tipHash, block_time: 1_700_000_000 }
    let proof = { status: 404, body: 'Transaction not found or is unconfirmed' }
    const server = await startTestNode(node.esploraUrl, async (question, ask) => {
      if (question.path.endsWith('/raw')) return { status: 404, body: 'not found' }
      if (question.path === `/tx/${txid}/merkle-proof`) return proof
      if (!question.path.includes('/txs/chain')) return ask(question)
      const { body } = await ask({ ...question, path: question.path.replace('/txs/chain', '/txs/mempool') })
      const listed: readonly object[] = question.path.endsWith('/txs/chain') ? JSON.parse(Buffer.from(body).toString()) : []
      return { status: 200, body: JSON.stringify(listed.map((one) => ({ ...one, status: mined }))) }
    })
    onTestFinished(() => server.close())
    const single = connect({ esplora: [server.url] }, 1)
    const refused = failure('unreachable', new RegExp(`does not prove that transaction ${txid} is in block ${node.tipHash}`))
    await expect(depositsSeen(single)).rejects.toThrow(refused)
    proof = { status: 200, body: JSON.stringify({ block_height: node.height, merkle: [], pos: 0 }) }
    await expect(depositsSeen(single)).rejects.toThrow(refused)
    server.behave((question, ask) => (question.path.endsWith('/raw') ? Promise.resolve({ status: 404, body: '' }) : ask(question)))
    node.mine(1)
    expect(await depositsSeen(single)).toEqual([200_000n])
  })
})

describe('with a quorum of one', () => {
  it('a header without work is a fault of the node: the next one answers', async () => {
    const both = connect({ rpc: [liar?.url ?? '', core?.url ?? ''] }, 1)
    const hash = 'ff'.repeat(32)
    liar?.behave(
      lyingAbout({ getbestblockhash: () => hash, getblockheader: ([asked], truth) => (asked === hash ? { ...unworked(), hash } : truth) }),
    )
    expect((await both.tip()).hash).toBe(node.tipHash)
    expect(troubles).toEqual([expect.stringMatching(/false header: block [0-9a-f]{64} has no valid proof of work/)])
    await expect(alone().tip()).rejects.toThrow(failure('unreachable', /has no valid proof of work/))
  })

  it('the next node answers when the first is dead or behind', async () => {
    const both = connect({ rpc: [liar?.url ?? '', core?.url ?? ''] }, 1)
    await fund()
    liar?.setOffline(true)
    expect(await depositsSeen(both)).toEqual([200_000n])
    liar?.setOffline(false)
    liar?.behave(stoppedAt({ height: 105, hash: (await both.headers([105n]))[0]?.hash ?? '' }))
    expect((await both.tip()).hash).toBe(node.tipHash)
  })

  it('one node of each kind: Core answers everything except coins, Esplora lists coins', async () => {
    const pair = connect({ rpc: [liar?.url ?? ''], esplora: [esplora.url] }, 1)
    await fund()
    expect(await depositsSeen(pair)).toEqual([200_000n])
    expect(esplora.asked).toEqual([])
    await pair.balance(terms.asset, pair.addressOf(solver))
    expect(esplora.asked.length).toBeGreaterThan(0)
    expect(esplora.asked.every((path) => path.startsWith('/blocks/') || path.startsWith('/block/') || path.startsWith('/address/'))).toBe(
      true,
    )
  })

  it('a quorum larger than the number of nodes is refused', () => {
    expect(() => connect({ rpc: ['http://127.0.0.1:1'], esplora: ['http://127.0.0.1:2'] }, 3)).toThrow(
      /has 2 providers: a quorum of 3 is impossible/,
    )
    expect(() => connect({ rpc: ['http://127.0.0.1:1', 'http://127.0.0.1:1'] }, 1)).toThrow(/one provider twice/)
  })
})
