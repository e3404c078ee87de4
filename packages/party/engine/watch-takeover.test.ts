/** Tests two processes of one database, one of which cannot read the chain. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import pino from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readCursor } from '../store/chain/events.ts'
import { sharedStore } from '../store/shared-store.fixture.ts'
import { NOW, putOrder } from '../store/store.fixture.ts'
import { createMemoryChain, type MemoryChain } from './chain.fixture.ts'
import { startChainWatcher } from './chain-watcher.ts'
import { createLeases } from './leases.ts'
import { createLoop } from './loop.ts'

const store = sharedStore()
let bitcoin: MemoryChain
let running: { stop(): Promise<void> }[]
beforeEach(async () => {
  for (const table of ['events', 'blocks', 'leases', 'polls', 'swaps', 'orders'] as const) await store.db.deleteFrom(table).execute()
  bitcoin = createMemoryChain('bitcoin_regtest', NOW)
  await putOrder(store.db)
  running = []
})
afterEach(async () => {
  await Promise.all(running.map((one) => one.stop()))
})

/** The leases are renewed as in an engine. */
function start(holder: string, client: ChainClient) {
  const leases = createLeases(store.db, holder)
  const renew = async () => {
    await leases.renew()
    return false
  }
  running.push(createLoop({ intervalMs: 300, run: renew, onError: () => undefined }))
  const options = { db: store.db, client, leases, log: pino({ level: 'silent' }), onChange: () => undefined, onEvents: () => undefined }
  const watcher = startChainWatcher(options)
  running.push(watcher)
  return watcher
}
const unreachable = () => new ChainFailure('unreachable', 'no answer')

test.each<{ name: string; broken: Partial<ChainClient> }>([
  {
    name: 'does not answer',
    broken: {
      async tip() {
        await sleep(1500)
        throw unreachable()
      },
    },
  },
  { name: 'serves no events', broken: { events: () => Promise.reject(unreachable()) } },
])('if the node of the process that watches a chain $name, another process watches it', async ({ broken }) => {
  const chain = { ...bitcoin.chain, pollMs: 200 }
  let isBroken = false
  const whole = { ...bitcoin, chain }
  const faulty = Object.fromEntries(
    Object.entries(broken).map(([name, method]) => [
      name,
      (...args: readonly unknown[]) => Reflect.apply((isBroken ? method : Reflect.get(bitcoin, name)) as () => unknown, null, args),
    ]),
  )
  const first = start('first', { ...whole, ...faulty })
  await first.fresh(60_000)
  isBroken = true
  start('second', whole)
  const { hash } = bitcoin.grow(1)
  await expect.poll(async () => (await readCursor(store.db, chain.id))?.hash, { timeout: 60_000, interval: 200 }).toBe(hash)
})
