/** Opens a solver with simulated chains in memory and a real database. Its prices make amounts easy to compute. */

import { localRegistry } from '@tandem/families/local-registry.fixture.ts'
import { createKey, createKeyring } from '@tandem/keys/keyring.ts'
import { createMemoryChain, type MemoryChain } from '@tandem/party/engine/chain.fixture.ts'
import { noGuard } from '@tandem/party/engine/rollback/rollback-guard.ts'
import { createSigningLimit } from '@tandem/party/engine/signing-limit.ts'
import { createStaticFeed } from '@tandem/party/prices/static-feed.ts'
import { createOrderWriter } from '@tandem/party/store/orders/order-writer.ts'
import type { Halt } from '@tandem/party/store/solver/halts.ts'
import { createQuoteWriter } from '@tandem/party/store/solver/quotes.ts'
import { NOW, storedOrder, type TestStore } from '@tandem/party/store/store.fixture.ts'
import type { AssetId, Deployment } from '@tandem/protocol/asset.ts'
import type { Order } from '@tandem/protocol/order.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import type { SolverFill, SolverOrderRequest } from '@tandem/protocol/wire/solver.ts'
import { openedForEach } from '@tandem/runtime/opened.fixture.ts'
import type { Caller } from './authenticate.ts'
import { createKeptAnswers } from './instant-refund/kept-answers.ts'
import { createInventory } from './inventory.ts'
import { acceptOrder, type OrderContext } from './orders.ts'
import { signFill } from './partial-deposits/sign-fill.ts'
import type { PayCheck } from './pay-checks.ts'
import { createPayouts } from './payouts.ts'
import { createStockReader } from './pricing/skew.ts'
import { haltsOf, testRisk } from './risk/risk.fixture.ts'
import { createSoftReservations } from './soft-reservations.ts'

export const caller: Caller = { service: 'a service', assertInTime: () => undefined }
export const btc = 'bitcoin_regtest:btc'
export const wbtc = 'ethereum_localnet:wbtc'
export const user = `0x${'a1'.repeat(20)}`
export const userKey = 'a2'.repeat(32)
/** This asset is known and has no price. */
export const unpriced = 'ethereum_localnet:eth'

const deployments: Readonly<Record<AssetId, Deployment>> = {
  [btc]: { htlc: null, token: null },
  [wbtc]: { htlc: '0x01', token: '0x02' },
  [unpriced]: { htlc: '0x03', token: null },
}

export type TestSolver = {
  readonly context: OrderContext
  readonly bitcoin: MemoryChain
  readonly ethereum: MemoryChain
  /** Tests change the solver's clock (unix seconds), the dollars per wrapped bitcoin, and what is halted. */
  readonly world: { now: bigint; bitcoinDollars: bigint; halt: Halt | null }
  readonly payChecks: PayCheck[]
  hold(asset: AssetId, amount: bigint): void
}

export const freshSolver = (store: TestStore): TestSolver => openedForEach(() => openSolver(store))

/** Fees are 1 % and 6 dollars. At 60,000 dollars per bitcoin, wrapped or not, 1,000,000 buys 980,000. */
export async function openSolver(store: TestStore): Promise<TestSolver> {
  for (const table of [
    'quotes',
    'quote_counts',
    'attempts',
    'withdrawals',
    'actions',
    'events',
    'blocks',
    'leases',
    'signing_counts',
    'commitments',
    'fills',
    'cosigned_redeems',
    'grants',
    'reservations',
    'order_risks',
    'swaps',
    'failed_payouts',
    'orders',
  ] as const)
    await store.db.deleteFrom(table).execute()
  const bitcoin = createMemoryChain('bitcoin_regtest', NOW)
  const ethereum = createMemoryChain('ethereum_localnet', NOW)
  const clients = new Map([bitcoin, ethereum].map((client) => [client.chain.id, client]))
  const registry = localRegistry(deployments)
  const keyOf = (byte: string) => createKey('secp256k1', byte.repeat(32))
  // One chain has a key of its own, so every test sees which key a step takes.
  const keys = createKeyring([keyOf('22')], new Map([[bitcoin.chain.id, keyOf('23')]]))
  const world: TestSolver['world'] = { now: NOW, bitcoinDollars: 60_000n, halt: null }
  const now = () => world.now
  const hold = (asset: AssetId, amount: bigint) => {
    const client = asset === btc ? bitcoin : ethereum
    client.balances[`${asset} ${client.addressOf(keys.of(client))}`] = amount
  }
  const payChecks: PayCheck[] = []
  hold(wbtc, 10_000_000n)
  hold(btc, 10_000_000n)
  const soft = createSoftReservations(now)
  const inventory = createInventory({ db: store.db, registry, clients, keys, now, keepMs: 0, onReserved: soft.release })
  return {
    context: {
      db: store.db,
      registry,
      clients,
      keys,
      solverId: 'the solver',
      inventory,
      soft,
      risk: testRisk(
        now,
        haltsOf(() => world.halt),
      ),
      quoteWriter: createQuoteWriter(store.db),
      orderWriter: createOrderWriter(store.db),
      signingLimit: createSigningLimit(store.db),
      keptAnswers: createKeptAnswers(),
      guard: noGuard,
      payChecks,
      payouts: createPayouts({ db: store.db, clients, keys }),
      pricing: {
        get prices() {
          return createStaticFeed({ [btc]: 60_000n * 10n ** 8n, [wbtc]: world.bitcoinDollars * 10n ** 8n })
        },
        spreadBips: 100,
        fixedFeeUsdMicros: 6_000_000n,
        quoteSeconds: 60n,
        priceHoldSeconds: 600n,
        priceToleranceBips: 200,
        volatilityPercent: 40n,
        networkCostPercent: 100n,
        inventorySkewBips: 0,
        inventoryTargets: {},
        feeReserves: {},
      },
      stockOf: createStockReader(inventory, {}),
      legCosts: { find: async () => null, highest: async () => null, warm: async () => undefined, coinsFor: () => 0n },
      now,
      expectOrders: () => undefined,
      wake: () => undefined,
    },
    bitcoin,
    ethereum,
    world,
    payChecks,
    hold,
  }
}

export function orderRequest(changes: Partial<SolverOrderRequest> = {}): SolverOrderRequest {
  const secretHash = hashSecret(createSecret())
  return {
    order_id: hashSecret(secretHash),
    secret_hash: secretHash,
    created_at: Number(NOW),
    deadline: Number(NOW) + 3600,
    slippage_bips: 0,
    extra_fee_bips: 0,
    source: { asset: btc, amount: '1000000', initiator: userKey },
    destination: { asset: wbtc, amount: '980000', redeemer: user },
    ...changes,
  }
}

export async function fillFor(
  solver: TestSolver,
  { id, source, destination }: Order,
  deposits = [`deposit of ${source.swapId}`],
): Promise<SolverFill> {
  const request = { deposits, block_hash: 'the block of the newest', destination_amount: destination.agreedAmount.toString() }
  return signFill(solver.context, id, request, caller)
}

export async function acceptedOrder({ context }: TestSolver, request = orderRequest()): Promise<Order> {
  await acceptOrder(context, request, caller)
  return (await storedOrder(context.db, request.order_id)).order
}
