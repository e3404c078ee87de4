/** Two chains in memory, one order between them, and the engine of either party. */

import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { localRegistry } from '@tandem/families/local-registry.fixture.ts'
import { createKey, createKeyring } from '@tandem/keys/keyring.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { HtlcEvent, HtlcVerb } from '@tandem/protocol/htlc.ts'
import type { Leg, Order, Role } from '@tandem/protocol/order.ts'
import { createSecret } from '@tandem/protocol/secret.ts'
import { openedForEach } from '@tandem/runtime/opened.fixture.ts'
import { createServiceParty } from '@tandem/service/party.ts'
import { createSolverParty } from '@tandem/solver/party.ts'
import { type LeasedAction, syncWanted } from '../store/actions/actions.ts'
import { recordOwnFill } from '../store/orders/fills.ts'
import { createVault } from '../store/orders/sealed-values.ts'
import { type ExampleChanges, NOW, putOrder, sightingsOf, type TestStore, VAULT_KEY } from '../store/store.fixture.ts'
import { createMemoryChain, type MemoryChain } from './chain.fixture.ts'
import type { ExecutorContext } from './executor.ts'
import { createLeases } from './leases.ts'
import { createWatchList } from './watch-list.ts'
import { pollChain } from './watcher.ts'

export type EngineFixture = {
  readonly bitcoin: MemoryChain
  readonly ethereum: MemoryChain
  readonly clients: ReadonlyMap<ChainId, ChainClient>
  readonly order: Order
  readonly secret: string
  context(role: Role): ExecutorContext
  events(leg: Leg): { readonly deposit: HtlcEvent; readonly redeem: HtlcEvent; readonly refund: HtlcEvent }
  chainOf(leg: Leg): MemoryChain
  /** Mines the deposits of these legs, and records the solver's fill signature where the source needs one. */
  deposit(...legs: readonly Leg[]): Promise<void>
  fund(...legs: readonly Leg[]): Promise<void>
  watch(): Promise<void>
  lease(leg: Leg, verb: HtlcVerb): Promise<LeasedAction>
}

export const registry = localRegistry()
export const RELAY_KEY = '11'.repeat(32)
const relay = createKeyring([createKey('secp256k1', RELAY_KEY)])
const solver = createKeyring([createKey('secp256k1', '22'.repeat(32))])
export const ORDER_KEY = '33'.repeat(32)

export const freshEngine = (store: TestStore, changes?: ExampleChanges): EngineFixture =>
  openedForEach(() => openEngineFixture(store, changes))

/** Empties the store, so only one fixture can be open at a time. */
export async function openEngineFixture(store: TestStore, changes: ExampleChanges = {}): Promise<EngineFixture> {
  const { db } = store
  const ofOrders = [
    'cosigned_redeems',
    'refund_proposals',
    'fills',
    'commitments',
    'reservations',
    'order_risks',
    'sealed_values',
    'grants',
    'prefunds',
    'ledger',
    'swaps',
    'orders',
  ] as const
  const tables = [
    'attempts',
    'withdrawals',
    'actions',
    'leases',
    'events',
    'blocks',
    ...ofOrders,
    'touched_orders',
    'order_clocks',
  ] as const
  for (const table of tables) await db.deleteFrom(table).execute()
  const bitcoin = createMemoryChain('bitcoin_regtest', NOW)
  const ethereum = createMemoryChain('ethereum_localnet', NOW)
  const clients = new Map([bitcoin, ethereum].map((client) => [client.chain.id, client]))
  const secret = createSecret()
  const { order } = await putOrder(db, { secret, ...changes })
  const vault = createVault(VAULT_KEY)
  await vault.put(db, order.id, 'secret', secret)
  await vault.put(db, order.id, 'destination-key', ORDER_KEY)
  await vault.put(db, order.id, 'source-key', ORDER_KEY)
  const parties = {
    service: createServiceParty({ db, vault, relay, onReconciled: () => new Map() }),
    solver: createSolverParty({ db, keys: solver, redeemWaitSeconds: 0n, payChecks: [], now: () => NOW }),
  }

  const leases = createLeases(db, 'engine', 60)
  const chainOf = (leg: Leg) => (order[leg].chain === bitcoin.chain.id ? bitcoin : ethereum)
  const events = (leg: Leg) => {
    const sightings = sightingsOf(order[leg].swapId)
    return { deposit: sightings.initiated(order[leg].terms.amount), redeem: sightings.redeemed(secret), refund: sightings.refunded() }
  }
  async function deposit(...legs: readonly Leg[]): Promise<void> {
    for (const leg of legs) {
      const event = events(leg).deposit
      const { hash: blockHash } = chainOf(leg).mine(event)
      if (leg === 'destination' || chainOf(leg).partialDeposits === undefined) continue
      const { terms, swapId } = order.destination
      const fill = { deposits: [event.deposit], blockHash, destinationAmount: terms.amount }
      await recordOwnFill(db, order.id, fill, { amount: terms.amount, swapId }, "the solver's word")
    }
  }

  const lists = [bitcoin, ethereum].map((client) => ({ client, list: createWatchList(db, client.chain) }))
  async function watch(): Promise<void> {
    for (const { client, list } of lists) {
      for (let behind = true; behind; ) behind = (await pollChain({ db, client, holder: 'watcher', list, onReorg: () => undefined })).behind
    }
  }

  return {
    bitcoin,
    ethereum,
    clients,
    order,
    secret,
    context: (role) => ({ db, registry, clients, party: parties[role], leases, now: () => NOW }),
    events,
    chainOf,
    deposit,
    async fund(...legs) {
      await deposit(...legs)
      await watch()
    },
    watch,
    async lease(leg, verb) {
      await syncWanted(db, [order.id], [{ orderId: order.id, leg, verb }])
      const leased = await leases.next()
      if (leased === null) throw new Error('nothing to lease')
      return leased
    },
  }
}
