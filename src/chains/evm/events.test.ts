/** Events from logs: what the reader believes, and what it does when a node limits, contradicts or changes its answers. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AssetId } from '../../protocol/asset.ts'
import type { HtlcTerms } from '../../protocol/htlc.ts'
import { createSecret, hashSecret } from '../../protocol/secret.ts'
import { watchedSwap } from '../conformance-harness.ts'
import { createMemoryOutbox } from '../conformance-outbox.ts'
import type { ChainClient } from '../family.ts'
import { createEventReader } from './events.ts'
import { createEvmFixture, type EvmFixture } from './evm-fixture.ts'
import { type Contracts, createContracts } from './htlc.ts'
import { createNode, type EvmNode, type NodeLog } from './node.ts'
import { NodeRefusal } from './rpc.ts'

let fixture: EvmFixture
let client: ChainClient
let contracts: Contracts
let node: EvmNode
let terms: HtlcTerms
let from: bigint
let to: bigint

beforeAll(async () => {
  fixture = await createEvmFixture()
  client = fixture.connect()
  contracts = createContracts(fixture.chain, fixture.assets)
  node = createNode(fixture.local.rpcUrl, 5_000)
  const secret = createSecret()
  terms = {
    asset: `${fixture.chain.id}:eth` as AssetId,
    initiator: fixture.solver.address,
    redeemer: fixture.user.address,
    amount: 1_000n,
    timelock: 600n,
    secretHash: hashSecret(secret),
  }
  const outbox = createMemoryOutbox(fixture.solver.signer)
  from = (await client.tip()).height + 1n
  await fixture.mine(5)
  await client.initiate(terms, outbox.open('i'))
  await fixture.mine(5)
  await client.redeem(terms, { deposits: [], to: null, secret }, outbox.open('r'))
  await fixture.mine(5)
  to = (await client.tip()).height
})
afterAll(async () => {
  node.close()
  await client.close()
  await fixture.close()
})

const readWith = (changes: Partial<EvmNode>, blocks = { from, to }) =>
  createEventReader({ ...node, ...changes }, contracts).read([watchedSwap(client, terms)], blocks.from, blocks.to)

const logsChangedBy = (change: (log: NodeLog) => NodeLog): Partial<EvmNode> => ({
  logs: async (query) => (await node.logs(query)).map(change),
})

const kinds = ['initiated', 'redeemed']

describe('a provider that limits ranges', () => {
  it('is asked for as much as it gives, and every block once', async () => {
    const asked: [bigint, bigint][] = []
    const events = await readWith({
      async logs(query) {
        if (query.to - query.from >= 3n) throw new NodeRefusal(-32005, 'query exceeds max block range', null)
        asked.push([query.from, query.to])
        return node.logs(query)
      },
    })
    expect(events.map((event) => event.kind)).toEqual(kinds)
    expect(asked.flatMap(([first, last]) => Array.from({ length: Number(last - first) + 1 }, (_, i) => first + BigInt(i)))).toEqual(
      Array.from({ length: Number(to - from) + 1 }, (_, i) => from + BigInt(i)),
    )
  })

  it('is out of reach when it gives not even one block', async () => {
    const logs = () => Promise.reject(new NodeRefusal(-32005, 'no', null))
    await expect(readWith({ logs })).rejects.toMatchObject({ kind: 'unreachable' })
  })
})

describe('a node that is wrong', () => {
  it.each([
    ['terms', (log: NodeLog) => ({ ...log, data: `${log.data.slice(0, -1)}f` as `0x${string}` })],
    [
      'secret hash',
      (log: NodeLog) => ({ ...log, topics: log.topics.map((topic, i) => (i === 2 ? (`0x${'ab'.repeat(32)}` as const) : topic)) }),
    ],
    ['shape', (log: NodeLog) => ({ ...log, data: log.data.slice(0, -64) as `0x${string}` })],
  ])('about the %s of a log is not believed', async (_, change) => {
    await expect(readWith(logsChangedBy(change))).rejects.toMatchObject({ kind: 'unreachable' })
  })

  it('about the contract of a log is not listened to', async () => {
    const elsewhere = contracts.of(`${fixture.chain.id}:wbtc` as AssetId).address
    expect(await readWith(logsChangedBy((log) => ({ ...log, address: elsewhere })))).toEqual([])
  })

  it('about the block of a log is not believed', async () => {
    const changed = logsChangedBy((log) => ({ ...log, blockHash: `0x${'00'.repeat(32)}` }))
    await expect(readWith(changed)).rejects.toMatchObject({ kind: 'unreachable' })
  })
})

describe('a chain that changes while it is read', () => {
  it('is read again', async () => {
    let reads = 0
    const events = await readWith({
      async logs(query) {
        reads += 1
        if (reads > 1) return node.logs(query)
        return (await node.logs(query)).map((log) => ({ ...log, blockHash: `0x${'00'.repeat(32)}` }))
      },
    })
    expect(reads).toBe(2)
    expect(events.map((event) => event.kind)).toEqual(kinds)
  })

  it('is not trusted while its newest block keeps changing, though no log is concerned', async () => {
    let calls = 0
    const block: EvmNode['block'] = async (height) => {
      const found = await node.block(height)
      calls += 1
      return found && height === to ? { ...found, hash: `0x${calls.toString(16).padStart(64, '0')}` } : found
    }
    await expect(readWith({ block, logs: async () => [] })).rejects.toMatchObject({ kind: 'unreachable' })
  })

  it('gives what there is up to a tip below the range', async () => {
    expect((await readWith({}, { from, to: to + 50n })).map((event) => event.kind)).toEqual(kinds)
    expect(await readWith({}, { from: to + 1n, to: to + 50n })).toEqual([])
  })
})

it('gives nothing for a watched swap whose id is not that of its terms', async () => {
  const forged = { ...watchedSwap(client, terms), terms: { ...terms, amount: 1n } }
  expect(await client.events([forged], from, to)).toEqual([])
})
