/** An engine runs in a process of its own, between three chains in memory that make a block every two seconds. */

import { localAssets, localChains } from '@tandem/families/registry.ts'
import { createKey, createKeyring } from '@tandem/keys/keyring.ts'
import { createMemoryChain } from '@tandem/party/engine/chain.fixture.ts'
import { startEngine } from '@tandem/party/engine/engine.ts'
import type { Party } from '@tandem/party/engine/party.ts'
import { createStaticFeed } from '@tandem/party/prices/static-feed.ts'
import { openDatabase } from '@tandem/party/store/database/database.ts'
import { createVault } from '@tandem/party/store/orders/sealed-values.ts'
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import { createRegistry } from '@tandem/protocol/registry/registry.ts'
import { createLogger } from '@tandem/runtime/log.ts'
import { createCosignTasks } from '@tandem/service/batch-redeem/offer-cosign.ts'
import { completeSettings } from '@tandem/service/context.ts'
import { createAutomaticRefundTasks } from '@tandem/service/instant-refund/automatic-refunds.ts'
import { fillTasks } from '@tandem/service/partial-deposits/agree-on-fill.ts'
import { createServiceParty } from '@tandem/service/party.ts'
import { createSolverSync } from '@tandem/service/solver-sync/solver-sync.ts'
import { createSolverParty } from '@tandem/solver/party.ts'
import { readInput, tellParent } from './api/child.ts'

export type OpenInput = { readonly url: string; readonly role: 'service' | 'solver' }
export type OpenReady = { readonly pid: number; readonly startedMs: number }
/** The answer comes when the solver has initiated the destination. */
export type OpenQuestion = {
  readonly swaps: Readonly<Record<'source' | 'destination', { readonly swapId: string; readonly amount: string }>>
}
/** `ms` is from the poll that finds the deposit to the broadcast. `cpuMs` is the engine's processor time meanwhile. */
export type OpenAnswer = { readonly ms: number; readonly cpuMs: number }

const BLOCK_MS = 2_000
const startedAt = performance.now()
const { url, role } = readInput<OpenInput>()
const now = () => BigInt(Math.floor(Date.now() / 1000))
const db = await openDatabase(url)
const bitcoin = createMemoryChain('bitcoin_regtest', now())
const source = createMemoryChain('ethereum_localnet', now())
const destination = createMemoryChain('arbitrum_localnet', now())
const chains = [bitcoin, source, destination]
const clients = new Map(chains.map((client) => [client.chain.id, client]))
const registry = createRegistry({ chains: localChains, assets: localAssets, deployments: {}, served: new Set(clients.keys()) })
const log = createLogger({ name: 'bench', level: 'warn', pretty: false })
const keys = createKeyring([createKey('secp256k1', '22'.repeat(32))])

function createParty(): Party {
  if (role === 'solver') return createSolverParty({ db, keys, redeemWaitSeconds: 0n, payChecks: [], now })
  const vault = createVault('42'.repeat(32))
  const context = {
    db,
    registry,
    clients,
    solvers: [],
    vault,
    prices: createStaticFeed({}),
    settings: completeSettings({ environment: 'local' }),
    log,
    now,
    wake: () => engine.wake(),
  }
  const sync = createSolverSync(context, [
    (states) => fillTasks(context, states),
    createAutomaticRefundTasks(context),
    createCosignTasks(context, { gatherMs: 1_000 }),
  ])
  return createServiceParty({ db, vault, relay: keys, onReconciled: sync.startDueTasks })
}

const engine = startEngine({ db, registry, clients, party: createParty(), log, now })
await engine.ready()
tellParent({ pid: process.pid, startedMs: performance.now() - startedAt } satisfies OpenReady)
setInterval(() => {
  for (const chain of chains) chain.grow(1)
}, BLOCK_MS)

const deposit = ({ swapId, amount }: { readonly swapId: string; readonly amount: string }): HtlcEvent => ({
  kind: 'initiated',
  swapId,
  tx: `deposit ${swapId}`,
  index: 'log:0',
  deposit: `deposit ${swapId}`,
  amount: BigInt(amount),
  block: null,
  expiresAt: null,
})

process.on('message', ({ swaps }: OpenQuestion) => {
  let found = { atMs: 0, cpu: process.cpuUsage() }
  const { height } = source.mine(deposit(swaps.source))
  source.before.events = () => {
    // A poll that began before the deposit was mined does not find it.
    if (BigInt(source.asked.at(-1)?.split('-')[1] ?? 0) < height) return
    found = { atMs: performance.now(), cpu: process.cpuUsage() }
    delete source.before.events
  }
  destination.before.broadcast = () => {
    delete destination.before.broadcast
    const { user, system } = process.cpuUsage(found.cpu)
    tellParent({ ms: performance.now() - found.atMs, cpuMs: (user + system) / 1000 } satisfies OpenAnswer)
    // Without this the solver would initiate again.
    destination.mine(deposit(swaps.destination))
  }
  // The party's own API wakes the engine when it has written an order.
  engine.wake()
})
