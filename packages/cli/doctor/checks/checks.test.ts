/** Tests checks of the doctor one by one: clocks, newest blocks and accounts. */
import { environments } from '@tandem/families/registry.ts'
import type { SolverConfig } from '@tandem/party/config/schema.ts'
import { createMemoryChain } from '@tandem/party/engine/chain.fixture.ts'
import { recordPoll } from '@tandem/party/store/chain/events.ts'
import { sharedStore } from '@tandem/party/store/shared-store.fixture.ts'
import { blockOf, putOrder, sightingsOf } from '@tandem/party/store/store.fixture.ts'
import { describe, expect, test } from 'vitest'
import { createDoctorContext, type DoctorContext } from '../doctor-context.ts'
import { driftFinding } from './database.ts'
import { fees } from './fees.ts'
import { nodes } from './nodes.ts'
import { deposits, timelocks } from './timelocks.ts'

const NOW = 1_800_000_000n

const config: SolverConfig = {
  environment: 'testnet',
  database_url: 'postgres://127.0.0.1/none',
  listen: { host: '127.0.0.1', port: 0 },
  chains: { bitcoin_testnet: { endpoints: { rpc: 'http://127.0.0.1:1' } }, alpen_testnet: { endpoints: { rpc: 'http://127.0.0.1:1' } } },
  deployments: { 'alpen_testnet:sbtc': { htlc: `0x${'12'.repeat(20)}` } },
  prices: {},
  solver_id: 'solver',
  private_key: { env: 'NONE' },
  signing_key: { env: 'NONE' },
  services: [],
  spread_bips: 0,
  fixed_fee_usd: '0',
  quote_seconds: 60,
}

async function withContext<T>(work: (context: DoctorContext) => Promise<T>): Promise<T> {
  const context = await createDoctorContext({ party: 'solver', config }, environments.testnet, 'solver.json', async (reference) =>
    String(reference),
  )
  try {
    return await work(context)
  } finally {
    await context.close()
  }
}

test('warns of chains with an unreliable clock', async () => {
  expect(await withContext(timelocks.run)).toEqual([
    { level: 'ok', about: 'all', text: 'safe for every pair of 2 chains' },
    expect.objectContaining({ level: 'warn', about: 'bitcoin_testnet', text: expect.stringContaining('timelock') }),
  ])
})

describe('the newest block', () => {
  /** The newest block of the node has this age. */
  const findingsAtAge = async (id: string, age: bigint) => {
    const client = createMemoryChain(id, NOW - age)
    const { chain } = client
    const alone = { ...client, chain, tip: async () => ({ height: 7n, hash: 'a', parentHash: 'b', time: NOW - age }) }
    const found = await withContext((context) =>
      nodes.run({
        ...context,
        chainsAlone: { ...context.chainsAlone, clients: new Map([[id, alone]]) },
        nodeErrors: async () => new Map([[id, null]]),
        now: () => NOW,
      }),
    )
    return found.at(-1)
  }

  test.each([
    ['ethereum_localnet', 600n, { level: 'ok', about: 'ethereum_localnet', text: 'block 7, 600 s old' }],
    ['ethereum_localnet', -15n, { level: 'ok', about: 'ethereum_localnet', text: 'block 7, 0 s old' }],
    ['ethereum_localnet', 601n, expect.objectContaining({ level: 'fail', text: expect.stringContaining('601 s old') })],
    ['ethereum_localnet', -16n, expect.objectContaining({ level: 'fail', text: expect.stringContaining('16 s ahead') })],
    ['bitcoin_regtest', -7200n, expect.objectContaining({ level: 'ok' })],
    ['bitcoin_regtest', -7201n, expect.objectContaining({ level: 'fail' })],
  ])('of %s, %s s old', async (id, age, finding) => {
    expect(await findingsAtAge(id, age)).toEqual(finding)
  })
})

test('says what to do for an account that holds coins and cannot send', async () => {
  const client = createMemoryChain('ethereum_localnet', NOW)
  const problem = { text: 'the account is not deployed', advice: 'deploy it' }
  const check = (answer: typeof problem | null) =>
    withContext((context) =>
      fees.run({
        ...context,
        readSecret: async () => '07'.repeat(32),
        network: {
          ...context.network,
          clients: new Map([
            [client.chain.id, { ...client, chain: client.chain, balance: async () => 5n, checkSender: async () => answer }],
          ]),
        },
        healthyChains: async () => new Set([client.chain.id]),
      }),
    )
  expect(await check(problem)).toEqual([
    {
      level: 'fail',
      about: 'ethereum_localnet',
      text: expect.stringMatching(/^the account is not deployed; it has 5 of/),
      advice: 'deploy it',
    },
  ])
  expect(await check(null)).toMatchObject([{ level: 'ok' }])
})

test.each([
  [0, 'ok', 'agree'],
  [-1_999, 'ok', 'agree'],
  [2_000, 'warn', 'is 2.0 s ahead of this machine'],
  [-29_999, 'warn', 'is 30.0 s behind this machine'],
  [-30_000, 'fail', 'is 30.0 s behind this machine'],
])('a clock that is %s ms ahead', (aheadMs, level, text) => {
  expect(driftFinding('the database', aheadMs)).toMatchObject({ level, text: expect.stringContaining(text) })
})

const store = sharedStore()

const check = (party: 'service' | 'solver', url = store.url) =>
  deposits.run({
    party,
    path: 'service.json',
    config: { database_url: url },
    readSecret: async (value: string) => value,
  } as unknown as DoctorContext)

test('names each order with deposits that must be refunded by hand, and the command', async () => {
  expect(await check('service')).toMatchObject([{ level: 'ok' }])
  const { order } = await putOrder(store.db)
  const { chain, swapId } = order.source
  const block = blockOf(1n)
  const events = Array.from({ length: 110 }, (_, n) => ({
    ...sightingsOf(swapId, block).initiated(100n),
    tx: `tx ${n}`,
    deposit: `deposit ${n}`,
  }))
  await recordPoll(store.db, { chain, after: null, blocks: [block], events, unconfirmed: [] })
  expect(await check('service')).toEqual([
    {
      level: 'warn',
      about: order.id,
      text: `10 deposits on ${chain}, 1000 in all, are not refunded automatically: the order has too many`,
      advice: expect.stringContaining(`tandem refund --order ${order.id} --config service.json`),
    },
  ])
})

test('says nothing for a solver, or without a database: another check reports that', async () => {
  expect(await check('solver')).toEqual([])
  expect(await check('service', 'postgres://127.0.0.1:1/none')).toEqual([])
})
