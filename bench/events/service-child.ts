/** The API and the engine of a service share a process, between two chains in memory whose nodes tell of every block. */

import { localAssets, localChains } from '@tandem/families/registry.ts'
import { createKey, createKeyring } from '@tandem/keys/keyring.ts'
import { createMemoryChain, type MemoryChain } from '@tandem/party/engine/chain.fixture.ts'
import { startEngine } from '@tandem/party/engine/engine.ts'
import { openDatabase } from '@tandem/party/store/database/database.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { createRegistry } from '@tandem/protocol/registry/registry.ts'
import { createLogger } from '@tandem/runtime/log.ts'
import { completeSettings } from '@tandem/service/context.ts'
import { createEventStreams } from '@tandem/service/events/event-streams.ts'
import { createServiceParty } from '@tandem/service/party.ts'
import { readInput, tellParent } from '../api/child.ts'
import { benchVault, listen } from '../api/listen.ts'
import { clockMs } from '../bench.ts'

export type EventsServiceInput = { readonly databaseUrl: string }
export type EventsServiceReady = { readonly url: string }
export type MineQuestion = { readonly swapId: string; readonly amount: string }
/** The block was mined at `atMs`, by `clockMs`. */
export type Mined = { readonly atMs: number }

const BLOCK_MS = 2_000

const { databaseUrl } = readInput<EventsServiceInput>()
const now = () => BigInt(Math.floor(Date.now() / 1000))
const db = await openDatabase(databaseUrl)
const listeners = new Set<() => void>()
const source = telling('ethereum_localnet')
const destination = telling('arbitrum_localnet')
const clients = new Map([source, destination].map((client) => [client.chain.id, client]))
const registry = createRegistry({ chains: localChains, assets: localAssets, deployments: {}, served: new Set(clients.keys()) })
const log = createLogger({ name: 'bench', level: 'error', pretty: false })
const events = createEventStreams({ db, registry, log, now, limits: completeSettings({ environment: 'local' }).streamLimits })
const party = createServiceParty({
  db,
  vault: benchVault,
  relay: createKeyring([createKey('secp256k1', '22'.repeat(32))]),
  onReconciled: () => new Map(),
})
const engine = startEngine({ db, registry, clients, party, log, now, onDerived: events.wake })
const { url } = await listen({
  db,
  registry,
  clients,
  solvers: [],
  events,
  log,
  now,
  expectOrders: engine.expectOrders,
  wake: engine.wake,
  chainHealthy: engine.chainHealthy,
  admits: engine.admits,
})
await engine.ready()
tellParent({ url } satisfies EventsServiceReady)
setInterval(() => {
  for (const chain of [source, destination]) chain.grow(1)
  tellOfBlock()
}, BLOCK_MS)

process.on('message', ({ swapId, amount }: MineQuestion) => {
  const deposit = `deposit ${swapId}`
  const atMs = clockMs()
  source.mine({ kind: 'initiated', swapId, tx: deposit, index: 'log:0', deposit, amount: BigInt(amount), block: null, expiresAt: null })
  tellOfBlock()
  tellParent({ atMs } satisfies Mined)
})

/** Its clock is that of this machine, however fast blocks come: otherwise the timelocks of all deposits would soon end, and each block derive all orders again. */
function telling(id: ChainId): MemoryChain {
  return {
    ...createMemoryChain(id, now(), { blockMs: BLOCK_MS, clock: now }),
    newBlocks(onBlock) {
      listeners.add(onBlock)
      return () => listeners.delete(onBlock)
    },
  }
}

function tellOfBlock(): void {
  for (const onBlock of listeners) onBlock()
}
