/** A process is stopped in the middle of an action while its node never answers. It ends, and others continue its work. */

import { openDatabase } from '@tandem/party/store/database/database.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { moment, type NodeProxy, startNodeProxy } from './node-proxy.ts'
import { type PartyConfig, type PartyProcess, startPartyProcess } from './party-process.ts'
import { openStory } from './story.ts'

const CHAIN = 'ethereum_localnet'

/** The node answers until it gets this call, and never again. */
interface HangingNode extends NodeProxy {
  readonly hangs: Promise<void>
}

async function startHangingNode(nodeUrl: string, method: string): Promise<HangingNode> {
  const { come: hangs, tell } = moment()
  let isHanging = false
  const node = await startNodeProxy(nodeUrl, (body) => {
    if (body.includes(`"${method}"`)) {
      isHanging = true
      tell()
    }
    return isHanging ? new Promise<never>(() => undefined) : null
  })
  return { ...node, hangs }
}

const story = opened(() => openStory({ chains: ['bitcoin_regtest', CHAIN] }))
const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** The process replaces the party's first one. Its node hangs when it gets a transaction. */
async function startWithHangingNode(command: readonly string[], configFile: string): Promise<PartyProcess & HangingNode> {
  const { rpc = '' } = story.stack.network.endpoints[CHAIN]?.endpoints ?? {}
  const node = await startHangingNode(rpc, 'eth_sendRawTransaction')
  closing.unshift(node.close)
  const through = ({ chains, listen }: PartyConfig) => ({
    listen,
    chains: { ...chains, [CHAIN]: { ...chains[CHAIN], endpoints: { rpc: node.url } } },
  })
  const started = await startPartyProcess(command, configFile, through)
  closing.unshift(async () => started.signal('SIGKILL'))
  return { ...node, ...started }
}

/** These leases of chains, shards and actions are held. */
async function held(party: 'service' | 'solver'): Promise<readonly string[]> {
  const db = await openDatabase(story.databaseUrls[party === 'service' ? 0 : 1] ?? '')
  try {
    const { rows } = await sql<{ name: string }>`
      select name from leases where until > now() union all select key from actions where lease_holder is not null`.execute(db)
    return rows.map(({ name }) => name)
  } finally {
    await db.destroy()
  }
}

/** The process must end with 0 while its node still does not answer, and leave nothing locked. */
async function expectCleanStop(party: 'service' | 'solver', stopped: PartyProcess & HangingNode): Promise<void> {
  await stopped.hangs
  expect(await held(party)).not.toEqual([])
  expect(stopped.open()).toBeGreaterThan(0)
  stopped.signal('SIGTERM')
  expect(await stopped.ended).toBe(0)
  expect(await held(party)).toEqual([])
}

test('a solver that is stopped while it pays: the next one pays once', async () => {
  const { solver, configs } = story.stack
  const before = await story.balance('ethereum_localnet:wbtc')
  const created = await story.order('bitcoin_regtest:btc', 'ethereum_localnet:wbtc', 1_000_000n)
  await solver.setRunning(false)
  const stopped = await startWithHangingNode(['solver'], configs.solverFile)
  await story.bitcoin().pay(created.to ?? '', 1_000_000n)
  await expectCleanStop('solver', stopped)
  await solver.setRunning(true)
  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(await story.balance('ethereum_localnet:wbtc')).toBe(before + BigInt(done.destination_swap.amount))
})

test('a service that is stopped while it redeems: the next one redeems', async () => {
  const { service, configs } = story.stack
  const before = await story.balance('ethereum_localnet:wbtc')
  const created = await story.order('bitcoin_regtest:btc', 'ethereum_localnet:wbtc', 1_000_000n)
  await service.setRunning(false)
  const stopped = await startWithHangingNode(['start'], configs.serviceFile)
  await story.bitcoin().pay(created.to ?? '', 1_000_000n)
  await expectCleanStop('service', stopped)
  await service.setRunning(true)
  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(await story.balance('ethereum_localnet:wbtc')).toBe(before + BigInt(done.destination_swap.amount))
})
