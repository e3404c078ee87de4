/** These tests read events from a node's checkpoints: gaps, false events, and nodes that answer nonsense. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { localAssets, localChains } from '@tandem/families/registry.ts'
import { createWatchedSwaps } from '@tandem/party/engine/watched-swaps.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { encodeEvent, eventType, type HtlcEvent as RegistryEvent } from '../contract/client/events.ts'
import { createContracts, orderTermsOf, swapIdOf } from '../terms/htlc.ts'
import { createEventReader } from './events.ts'
import type { NodeCheckpoint, NodeEvent } from './nodes/node.ts'
import { createProviderNode } from './nodes/provider-node.ts'

const chain = localChains.find(({ id }) => id === 'sui_localnet')
const asset = localAssets.find(({ id }) => id === 'sui_localnet:sui')
if (chain === undefined || asset === undefined) throw new Error('the local registry has no SUI')
const [registry, packageId] = [`0x${'1a'.repeat(32)}`, `0x${'2b'.repeat(32)}`] as const
const contracts = createContracts(chain, [{ ...asset, deployment: { htlc: registry, token: null } }])
const contract = contracts.of(asset.id)
const deployments = { of: async () => ({ ...contract, packageId, initialSharedVersion: '1' }) }

const secret = createSecret()
const terms: HtlcTerms = {
  asset: asset.id,
  initiator: `0x${'3c'.repeat(32)}`,
  redeemer: `0x${'4d'.repeat(32)}`,
  amount: 1_000n,
  timelock: 600_000n,
  secretHash: hashSecret(secret),
}
const swapId = swapIdOf(contract, terms)
const watched = createWatchedSwaps([{ swapId, terms, deposits: [] }])
const initiated = { kind: 'initiated', registry, orderId: swapId, terms: orderTermsOf(terms), initiatedAt: 5_123n } as const

function emitted(event: RegistryEvent, from: string = packageId): NodeEvent {
  const { name, contents } = encodeEvent(event)
  return { tx: 'tx', index: 2, type: eventType(from, name), contents }
}
const checkpoint = (height: bigint, ...events: readonly NodeEvent[]): NodeCheckpoint => ({
  height,
  hash: `hash ${height}`,
  parentHash: `hash ${height - 1n}`,
  time: 5n,
  events,
})
const reading = (...checkpoints: readonly NodeCheckpoint[]) =>
  createEventReader({ checkpoints: async () => checkpoints, blocks: async () => [] }, contracts, deployments)
const read = (...events: readonly NodeEvent[]) => reading(checkpoint(7n, ...events)).read(watched, 7n, 7n)

describe('events', () => {
  it('are those of the swap, and expire by the clock of the chain', async () => {
    const events = await read(emitted(initiated), emitted({ kind: 'redeemed', registry, orderId: swapId, secret }))
    const common = { swapId, tx: 'tx', index: 'event:2', block: { height: 7n, hash: 'hash 7', time: 5n }, deposit: swapId }
    expect(events).toEqual([
      { ...common, kind: 'initiated', amount: 1_000n, expiresAt: 605_123n },
      { ...common, kind: 'redeemed', secret, paid: 1_000n },
    ])
  })

  it('of another registry, another package or another swap do not count', async () => {
    const elsewhere = `0x${'5e'.repeat(32)}`
    const other = swapIdOf(contract, { ...terms, amount: 1n })
    const events = [
      emitted({ ...initiated, registry: elsewhere }),
      emitted(initiated, elsewhere),
      emitted({ ...initiated, orderId: other }),
    ]
    expect(await read(...events)).toEqual([])
  })

  it('that contradict the terms of their order stop the reading: our module cannot emit them', async () => {
    const forged = [
      emitted({ ...initiated, terms: { ...initiated.terms, amount: 999n } }),
      emitted({ kind: 'redeemed', registry, orderId: swapId, secret: createSecret() }),
    ]
    for (const event of forged)
      await expect(read(event)).rejects.toMatchObject({ kind: 'unreachable', message: expect.stringContaining('contradicts') })
  })

  it('are not read over a gap: every checkpoint must be there and follow the one before', async () => {
    const whole = [checkpoint(7n), checkpoint(8n, emitted(initiated)), checkpoint(9n)] as const
    expect(await reading(...whole).read(watched, 7n, 9n)).toHaveLength(1)
    const [first, , last] = whole
    const forked = { ...last, parentHash: 'another' }
    for (const bad of [
      [first, last],
      [first, whole[1]],
      [first, first, last],
      [first, whole[1], forked],
    ])
      await expect(reading(...bad).read(watched, 7n, 9n)).rejects.toMatchObject({ kind: 'unreachable' })
  })
})

describe('a node that answers nonsense', () => {
  let status = 200
  let headers: Record<string, string> = {}
  let body = Buffer.alloc(0)
  const server = createServer((_, response) => response.writeHead(status, headers).end(body))
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
  afterAll(() => server.close())

  const frame = (flag: number, content: Buffer) => {
    const header = Buffer.alloc(5)
    header[0] = flag
    header.writeUInt32BE(content.length, 1)
    return Buffer.concat([header, content])
  }
  const ok = frame(0x80, Buffer.from('grpc-status: 0\r\n'))

  it.each([
    ['a page of a proxy', 502, {}, Buffer.from('<html>bad gateway</html>'), /HTTP 502 without gRPC frames/],
    ['nothing', 200, {}, Buffer.alloc(0), /without a gRPC status/],
    ['a message without an end', 200, {}, frame(0, Buffer.from([8, 1])), /without a gRPC status/],
    ['two messages', 200, {}, Buffer.concat([frame(0, Buffer.alloc(0)), frame(0, Buffer.alloc(0)), ok]), /2 messages, expected one/],
    ['bytes that are no message', 200, {}, Buffer.concat([frame(0, Buffer.from([255, 255, 255])), ok]), /malformed/],
    ['a message without its fields', 200, {}, Buffer.concat([frame(0, Buffer.alloc(0)), ok]), /expected a checkpoint/],
    ['an error in the headers', 200, { 'grpc-status': '3', 'grpc-message': 'bad%20mask' }, Buffer.alloc(0), /refused \(3 bad mask\)/],
    [
      'that we ask too often',
      200,
      { 'grpc-status': '8', 'grpc-message': 'rate%20limit%20exceeded' },
      Buffer.alloc(0),
      /limits our requests; waiting 1 s/,
    ],
    ['too many requests', 429, {}, Buffer.from('slow down'), /limits our requests; waiting 1 s/],
    ['that it is busy', 200, { 'grpc-status': '8', 'grpc-message': 'slow down' }, Buffer.alloc(0), /cannot answer now \(8 slow down\)/],
  ])('is unreachable: %s', async (_, code, told_, bytes, message) => {
    status = code
    headers = told_
    body = bytes
    const node = createProviderNode(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 5_000)
    await expect(node.block('latest')).rejects.toMatchObject({ kind: 'unreachable', message: expect.stringMatching(message) })
    node.close()
  })
})
