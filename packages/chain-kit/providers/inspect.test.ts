/** Tests the report on each provider for operators, and the check of all providers at the start. */
import { expect, it } from 'vitest'
import { ChainFailure } from '../port/failure.ts'
import { assertQuorum, connectProviders } from './connector.ts'
import { inspectProviders, type Probes } from './inspect.ts'
import { checkProviders } from './open-quorum.ts'

type TestNode = { readonly height: bigint | null; readonly problem: string | null; readonly oldest: bigint }

const probes: Probes<TestNode> = {
  async problemOf({ height, problem }) {
    if (height === null) throw new ChainFailure('unreachable', 'ECONNREFUSED')
    return problem
  },
  height: async ({ height }) => height ?? 0n,
  hasEventsAt: async ({ oldest }, height) => height >= oldest,
  tags: async () => ['finalized'],
  allowedLag: 3n,
}
const named = (nodes: readonly TestNode[]) => nodes.map((node, i) => ({ name: 'abcdef'[i] ?? '', node }))
const sound: TestNode = { height: 2_000n, problem: null, oldest: 0n }
const late: TestNode = { ...sound, height: 1_996n }
const pruned: TestNode = { ...sound, height: 1_999n, oldest: 1_500n }
const stranger: TestNode = { ...sound, height: 9_999n, problem: 'serves another chain' }
const dead: TestNode = { ...sound, height: null }

it('each provider has its own report; a problem or an error does not affect the others', async () => {
  const found = { error: null, isLate: false, hasOldEvents: true, tags: ['finalized'] }
  const unknown = { height: 0n, behind: 0n, isLate: false, hasOldEvents: false, tags: [] }
  // A week has 1008 blocks.
  expect(await inspectProviders({ blockMs: 600_000n }, named([sound, late, pruned, stranger, dead]), probes)).toEqual([
    { ...found, name: 'a', height: 2_000n, behind: 0n },
    { ...found, name: 'b', height: 1_996n, behind: 4n, isLate: true },
    { ...found, name: 'c', height: 1_999n, behind: 1n, hasOldEvents: false },
    { ...unknown, name: 'd', error: 'serves another chain' },
    { ...unknown, name: 'e', error: 'ECONNREFUSED' },
  ])
})

it('a chain younger than a week is asked for its first block', async () => {
  const asked: bigint[] = []
  const hasEventsAt = async (_: TestNode, height: bigint) => asked.push(height) > 0
  await inspectProviders({ blockMs: 600_000n }, named([{ ...sound, height: 10n }]), { ...probes, hasEventsAt })
  expect(asked).toEqual([0n])
})

it('the start fails if one provider serves another chain, but not if one is dead and a quorum is left', async () => {
  const check = (quorum: number, ...nodes: readonly TestNode[]) => checkProviders('chain_x', named(nodes), quorum, probes.problemOf)
  await check(2, sound, dead, late)
  await expect(check(1, sound, stranger, dead)).rejects.toMatchObject({ kind: 'would-fail', message: 'chain_x: b serves another chain' })
  await expect(check(2, sound, dead)).rejects.toMatchObject({ kind: 'unreachable', message: 'b: ECONNREFUSED' })
})

it('a quorum needs different providers, and enough of them', () => {
  const connect = (...urls: string[]) => connectProviders('chain_x', urls, (url) => url)
  expect(connect('https://a.example/key', 'http://b.example:80/1', 'http://b.example/2').map(({ name }) => name)).toEqual([
    'a.example',
    'b.example (2)',
    'b.example (3)',
  ])
  expect(() => connect('https://a.example/key', 'https://a.example/key')).toThrow('chain_x has one provider twice')
  expect(() => connect('a-key-and-no-url')).toThrow('chain chain_x has an endpoint that is not a URL')
  const urls = ['https://a.example', 'https://b.example']
  expect(() => assertQuorum('chain_x', urls, 3)).toThrow('2 providers: a quorum of 3 is impossible')
  expect(() => assertQuorum('chain_x', urls, 0)).toThrow('2 providers: a quorum of 0 is impossible')
  expect(() => assertQuorum('chain_x', urls, 2)).not.toThrow()
})

it.each([
  ['https://a.example/key', 'https://a.example/other'],
  ['http://127.0.0.1:8332', 'http://127.0.0.1:8332/'],
  ['https://a.example', 'https://A.example:443'],
  ['http://one:x@a.example:1', 'http://two:x@a.example:1'],
])('one host has one vote in a quorum; with a quorum of 1 it may be configured several times: %s and %s', (one, two) => {
  expect(() => assertQuorum('chain_x', [one, two, 'https://b.example'], 2)).toThrow('a quorum of 2 would count that host more than once')
  expect(() => assertQuorum('chain_x', [one, two], 1)).not.toThrow()
})
