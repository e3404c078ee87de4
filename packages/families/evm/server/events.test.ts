/** Tests which logs count as events, and what happens when a node lags, lies or reorgs. */

import { watchOnly } from '@tandem/chain-kit/testing/conformance.fixture.ts'
import { createMemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import { createWatchedSwaps } from '@tandem/party/engine/watched-swaps.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret } from '@tandem/protocol/secret.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { createContracts } from '../terms/htlc.ts'
import { openEvmClient } from './client.fixture.ts'
import { createEventReader } from './events.ts'
import type { EvmNode, NodeLog } from './nodes/node.ts'

const { fixture, client, node, termsFor } = await openEvmClient()
const contracts = createContracts(fixture.chain, fixture.assets)
const secret = createSecret()
const terms = termsFor(secret, 'eth')
let from: bigint
let to: bigint

beforeAll(async () => {
  const outbox = createMemoryOutbox(fixture.solver.signer)
  from = (await client.tip()).height + 1n
  await fixture.mine(20)
  await client.initiate(terms, outbox.open('i'))
  await fixture.mine(20)
  await client.redeem(terms, { deposits: [], to: null, secret }, outbox.open('r'))
  await fixture.mine(20)
  to = (await client.tip()).height
})

const readWith = (changes: Partial<EvmNode>, blocks = { from, to }) =>
  createEventReader({ ...node, ...changes }, contracts, fixture.chain).read(watchOnly(client, terms), blocks.from, blocks.to)

const logsChangedBy = (change: (log: NodeLog) => NodeLog): Partial<EvmNode> => ({
  logs: async (query) => (await node.logs(query)).map(change),
})

const kinds = ['initiated', 'redeemed']

const heights = (first: bigint, last: bigint) => Array.from({ length: Number(last - first) + 1 }, (_, i) => first + BigInt(i))

describe('events of the branch of a known block', () => {
  const readBranch = async (changes: Partial<EvmNode>, first: bigint, last: bigint) => {
    const [end] = await client.headers([last])
    if (end === undefined) throw new Error(`there is no block ${last}`)
    const reader = createEventReader({ ...node, ...changes }, contracts, fixture.chain)
    return (await reader.readBranch(watchOnly(client, terms), first, end, [])).events
  }
  const counting = () => {
    const asked: string[] = []
    const changes: Partial<EvmNode> = {
      logs: (query) => {
        asked.push('blockHash' in query ? 'logs by hash' : `logs ${query.from}-${query.to}`)
        return node.logs(query)
      },
      block: (height) => {
        asked.push(`block ${height}`)
        return node.block(height)
      },
      blocks: (heights) => {
        asked.push(`blocks ${heights.join(' ')}`)
        return node.blocks(heights)
      },
    }
    return { asked, changes }
  }

  it('take one request for one block, with or without events', async () => {
    const { asked, changes } = counting()
    const events = await readWith({})
    for (const height of [from, ...events.map(({ block }) => block?.height ?? 0n)]) await readBranch(changes, height, height)
    expect(asked).toEqual(['logs by hash', 'logs by hash', 'logs by hash'])
    const [initiated] = events
    expect(await readBranch({}, initiated?.block?.height ?? 0n, initiated?.block?.height ?? 0n)).toEqual([initiated])
  })

  it('of several blocks are read again while a node may be behind, and only blocks with events are checked', async () => {
    const { asked, changes } = counting()
    const { block } = (await readWith({})).find(({ kind }) => kind === 'redeemed') ?? { block: null }
    expect(await readBranch(changes, to - 3n, to)).toMatchObject([{ kind: 'redeemed' }])
    expect(asked).toEqual([`logs ${to - 3n - 32n}-${to}`, `blocks ${block?.height}`])
  })

  it('come with the headers that the caller needs, asked for at the same time', async () => {
    const { asked, changes } = counting()
    const reader = createEventReader({ ...node, ...changes }, contracts, fixture.chain)
    const [end] = await client.headers([to])
    if (end === undefined) throw new Error('the last block is gone')
    const all = heights(from, to)
    const { events, headers } = await reader.readBranch(watchOnly(client, terms), from + 1n, end, all)
    expect(events.map(({ kind }) => kind)).toEqual(kinds)
    expect(headers.map(({ height }) => height)).toEqual(all)
    expect(asked).toEqual([expect.stringMatching(`^logs .*-${to}$`), `blocks ${all.join(' ')}`])
  })

  it('in many blocks: their headers are asked for with the logs from the second time on', async () => {
    const { asked, changes } = counting()
    const reader = createEventReader({ ...node, ...changes }, contracts, fixture.chain)
    const height = (await readWith({})).find(({ kind }) => kind === 'redeemed')?.block?.height ?? 0n
    const [end] = await client.headers([height + 2n])
    if (end === undefined) throw new Error('a block is gone')
    const read = () => reader.readBranch(watchOnly(client, terms), height - 2n, end, [height - 3n])
    await read()
    expect(asked.slice(1)).toEqual([`blocks ${height - 3n}`, `blocks ${height - 20n} ${height}`])
    asked.length = 0
    await read()
    expect(asked.slice(1)).toEqual([`blocks ${heights(height - 3n, height + 2n).join(' ')}`])
  })

  it('that were read before are returned again without a request for their blocks, unless the branch is another', async () => {
    const { asked, changes } = counting()
    let change = (log: NodeLog): NodeLog => log
    const logs: EvmNode['logs'] = async (query) => (await node.logs(query)).map((log) => change(log))
    const reader = createEventReader({ ...node, ...changes, logs }, contracts, fixture.chain)
    const [end] = await client.headers([to])
    if (end === undefined) throw new Error('the last block is gone')
    const read = async () => (await reader.readBranch(watchOnly(client, terms), to - 3n, end, [])).events
    const events = await read()
    expect(asked).toHaveLength(1)
    expect(await read()).toEqual(events)
    expect(asked).toHaveLength(1)
    change = (log) => ({ ...log, blockHash: `0x${'ab'.repeat(32)}` })
    await expect(read()).rejects.toMatchObject({ kind: 'unreachable' })
  })

  it('are refused on another branch: in the range, or in a block with an event', async () => {
    const logs = logsChangedBy((log) => ({ ...log, blockHash: `0x${'ab'.repeat(32)}` }))
    await expect(readBranch(logs, from, to)).rejects.toMatchObject({ kind: 'unreachable' })
    await expect(readBranch({ blocks: async () => [] }, from, to)).rejects.toMatchObject({ kind: 'unreachable' })
  })
})

describe('a provider with several nodes, some behind the others', () => {
  it('is asked for new blocks by hash, because a lagging node has no logs of them in a range', async () => {
    const logs: EvmNode['logs'] = async (query) => ('blockHash' in query ? node.logs(query) : [])
    expect(await readWith({ logs }, { from: to - 31n, to })).toMatchObject([{ kind: 'redeemed' }])
    expect(await readWith({ logs }, { from: from + 25n, to })).toMatchObject([{ kind: 'redeemed' }])
  })

  it('is asked by hash for as many blocks as it may lag, on fast chains', async () => {
    const hashes: string[] = []
    const logs: EvmNode['logs'] = async (query) => {
      if ('blockHash' in query) hashes.push(query.blockHash)
      return node.logs(query)
    }
    const read = (blockMs: bigint) => createEventReader({ ...node, logs }, contracts, { blockMs }).read(watchOnly(client, terms), from, to)
    await read(12_000n)
    expect(hashes).toHaveLength(32)
    hashes.length = 0
    await read(250n)
    expect(hashes.length).toBe(Math.min(60, Number(to - from) + 1))
    expect(hashes.length).toBeGreaterThan(32)
  })

  it('is asked for every block of a long range once', async () => {
    const ranges: [bigint, bigint, string | undefined][] = []
    const hashes: string[] = []
    const events = await readWith({
      async logs(query) {
        if ('blockHash' in query) hashes.push(query.blockHash)
        else ranges.push([query.from, query.to, query.lastHash])
        return node.logs(query)
      },
    })
    expect(events.map((event) => event.kind)).toEqual(kinds)
    // A provider on another branch below the newest blocks must not answer for the range.
    expect(ranges).toEqual([[from, to - 32n, (await node.block(to - 32n))?.hash]])
    const newest = await client.headers(heights(to - 31n, to))
    expect(hashes).toEqual(newest.map((block) => block.hash))
  })

  it('is asked three times for one new block', async () => {
    let requests = 0
    await readWith(
      {
        block: (height) => {
          requests += 1
          return node.block(height)
        },
        logs: (query) => {
          requests += 1
          return node.logs(query)
        },
      },
      { from: to, to },
    )
    expect(requests).toBe(3)
  })

  it('is unreachable when its node does not know the block', async () => {
    const logs: EvmNode['logs'] = ({ addresses, events }) => node.logs({ addresses, events, blockHash: `0x${'ab'.repeat(32)}` })
    await expect(readWith({ logs })).rejects.toMatchObject({
      kind: 'unreachable',
      message: expect.stringContaining('refuses logs of block'),
    })
  })

  it('is unreachable when it lacks a part of the range, because each range is read only once', async () => {
    await expect(readWith({}, { from, to: to + 1n })).rejects.toMatchObject({ kind: 'unreachable' })
    await expect(readWith({}, { from: to + 1n, to: to + 50n })).rejects.toMatchObject({ kind: 'unreachable' })
  })

  it('is not believed when its blocks do not form one chain', async () => {
    const block: EvmNode['block'] = async (height) => {
      const found = await node.block(height)
      return found && height === to - 2n ? { ...found, hash: `0x${'cd'.repeat(32)}` } : found
    }
    await expect(readWith({ block, logs: async () => [] })).rejects.toMatchObject({ kind: 'unreachable' })
  })
})

describe('a node that lies', () => {
  it.each([
    ['terms', (log: NodeLog) => ({ ...log, data: `0x${'ab'.repeat(20).padStart(64, '0')}${log.data.slice(66)}` as const })],
    ['secret hash', (log: NodeLog) => ({ ...log, data: `${log.data.slice(0, -64)}${'ab'.repeat(32)}` as `0x${string}` })],
    ['shape', (log: NodeLog) => ({ ...log, data: log.data.slice(0, -64) as `0x${string}` })],
  ])('about the %s of a log is not believed', async (_, change) => {
    await expect(readWith(logsChangedBy(change))).rejects.toMatchObject({ kind: 'unreachable' })
  })

  it('about the contract of a log is ignored', async () => {
    const elsewhere = contracts.of(`${fixture.chain.id}:wbtc` as AssetId).address
    expect(await readWith(logsChangedBy((log) => ({ ...log, address: elsewhere })))).toEqual([])
  })

  it('about the block of a log is not believed', async () => {
    const changed = logsChangedBy((log) => ({ ...log, blockHash: `0x${'00'.repeat(32)}` }))
    await expect(readWith(changed)).rejects.toMatchObject({ kind: 'unreachable' })
  })
})

describe('a reorg during a read', () => {
  it('makes the reader start again', async () => {
    let reads = 0
    const events = await readWith({
      async logs(query) {
        if ('from' in query) reads += 1
        if (reads > 1) return node.logs(query)
        return (await node.logs(query)).map((log) => ({ ...log, blockHash: `0x${'00'.repeat(32)}` }))
      },
    })
    expect(reads).toBe(2)
    expect(events.map((event) => event.kind)).toEqual(kinds)
  })

  it('that repeats is unreachable, even if it changes no log', async () => {
    let calls = 0
    const block: EvmNode['block'] = async (height) => {
      const found = await node.block(height)
      calls += 1
      return found && height === to ? { ...found, hash: `0x${calls.toString(16).padStart(64, '0')}` } : found
    }
    await expect(readWith({ block, logs: async () => [] })).rejects.toMatchObject({ kind: 'unreachable' })
  })
})

it('accepts addresses in the terms in any case', async () => {
  const shout = (address: string) => `0x${address.slice(2).toUpperCase()}`
  const loud: HtlcTerms = {
    ...terms,
    initiator: shout(terms.initiator),
    redeemer: shout(terms.redeemer),
    secretHash: terms.secretHash.toUpperCase(),
  }
  const mixed = { ...terms, initiator: mixedCase(terms.initiator), redeemer: mixedCase(terms.redeemer) }
  for (const same of [loud, mixed]) {
    expect(client.swapId(same)).toBe(client.swapId(terms))
    expect((await client.events(watchOnly(client, same), from, to)).map((event) => event.kind)).toEqual(kinds)
  }
})

function mixedCase(address: string): string {
  return `0x${[...address.slice(2)].map((digit, i) => (i % 2 === 0 ? digit.toUpperCase() : digit)).join('')}`
}

it('returns no events for a watched swap whose id does not match its terms', async () => {
  const forged = createWatchedSwaps([{ swapId: client.swapId(terms), terms: { ...terms, amount: 1n }, deposits: [] }])
  expect(await client.events(forged, from, to)).toEqual([])
})
