/**
 * Two processes of a party share a database, and their nodes have become slow. The acting one is stopped in the middle of the action, and
 * the other takes over. Only then the first one's request reaches its node.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, openDatabase } from '@tandem/party/store/database/database.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { moment, startNodeProxy } from './node-proxy.ts'
import { type PartyProcess, startPartyProcess } from './party-process.ts'
import { openStory } from './story.ts'

const [BTC, WBTC] = ['bitcoin_regtest:btc', 'ethereum_localnet:wbtc']
const SLOW_MS = 700

const story = opened(() => openStory({ chains: ['bitcoin_regtest', 'ethereum_localnet'], split: true }))
let db: Database
const closing: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  db = await openDatabase(story.databaseUrls[0] ?? '')
})
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})
afterAll(async () => {
  await db.destroy()
})

type Two = {
  /** This process sends the request first. The request is held back until `letGo`. */
  readonly acting: Promise<PartyProcess>
  readonly takenOver: Promise<void>
  letGo(): void
}

/** The nodes of the chain become slow when both processes run. The action, and nothing else, calls `method` of the node. */
async function startTwo(command: readonly string[], configFile: string, chain: string, method: string): Promise<Two> {
  const [asked, askedByOther, goOn] = [moment(), moment(), moment()]
  const processes: PartyProcess[] = []
  let acting: number | null = null
  let isSlow = false
  for (const index of [0, 1]) {
    const before = async (body: string) => {
      if (isSlow) await sleep(SLOW_MS)
      if (!body.includes(`"${method}"`)) return
      acting ??= index
      asked.tell()
      if (acting === index) await goOn.come
      else askedByOther.tell()
    }
    const { endpoints = {} } = story.stack.network.endpoints[chain] ?? {}
    const proxies: Record<string, string> = {}
    for (const [name, url] of Object.entries(endpoints).filter(([, one]) => one.startsWith('http'))) {
      const proxy = await startNodeProxy(url, before)
      closing.push(proxy.close)
      proxies[name] = proxy.url
    }
    const started = await startPartyProcess(command, configFile, ({ chains }) => ({
      chains: { ...chains, [chain]: { ...chains[chain], endpoints: proxies } },
    }))
    closing.unshift(started.stop)
    processes.push(started)
  }
  isSlow = true
  const first = asked.come.then(() => {
    const found = processes[acting ?? 0]
    if (found === undefined) throw new Error('a process asked before it ran')
    return found
  })
  return {
    acting: first,
    takenOver: askedByOther.come,
    letGo() {
      isSlow = false
      goOn.tell()
    },
  }
}

/** The acting process ends, and the other reaches the same point of the action before the node gets the first one's request. */
async function stopTheActing({ acting, takenOver, letGo }: Two): Promise<void> {
  const stopped = await acting
  stopped.signal('SIGTERM')
  await takenOver
  letGo()
  expect(await stopped.ended).toBe(0)
}

test('a solver that is stopped while it broadcasts its payment: the other solver pays nothing more, and is paid', async () => {
  const wallet = story.evm('ethereum_localnet')
  await story.approve(WBTC)
  const created = await story.order(WBTC, BTC, 1_000_000n)
  const id = created.order_id
  await story.stack.solver.setRunning(false)
  closing.push(async () => story.stack.solver.setRunning(true))
  const two = await startTwo(['solver'], story.stack.configs.solverFile, 'bitcoin_regtest', 'sendrawtransaction')
  await story.api.initiate(id, await wallet.signTypedData(created.typed_data ?? {}))
  await stopTheActing(two)
  await story.untilStatus(id, 'counterparty_redeemed')
  expect((await story.signed('solver', id)).get('initiate destination')).toHaveLength(1)
  expect(await paymentsOf(id)).toBe(1)
})

test('an engine of the service that is stopped while it broadcasts the payout: the other engine pays once', async () => {
  const before = await story.balance(WBTC)
  const { order_id: id, to } = await story.order(BTC, WBTC, 1_000_000n)
  const { engine, configs } = story.stack
  await engine?.setRunning(false)
  closing.push(async () => engine?.setRunning(true))
  const two = await startTwo(['start', '--role', 'engine'], configs.serviceFile, 'ethereum_localnet', 'eth_sendRawTransaction')
  await story.bitcoin().pay(to ?? '', 1_000_000n)
  await stopTheActing(two)
  const done = await story.untilStatus(id, 'counterparty_redeemed')
  // A fee bump signs the same nonce again, so one of them is mined.
  expect(await noncesOf(id)).toHaveLength(1)
  expect(await story.balance(WBTC)).toBe(before + BigInt(done.destination_swap.amount))
})

async function noncesOf(orderId: string): Promise<readonly unknown[]> {
  const { rows } = await sql`
    select distinct nonce from attempts join actions on key = action_key
    where order_id = ${orderId} and leg = 'destination' and verb = 'redeem'`.execute(db)
  return rows
}

async function paymentsOf(orderId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from events join swaps using (chain, swap_id)
    where order_id = ${orderId} and leg = 'destination' and kind = 'initiated'`.execute(db)
  return rows[0]?.count ?? 0
}
