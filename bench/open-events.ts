/** The time from a source deposit to the initiation of its destination is measured over two databases. */
import { localChains } from '@tandem/families/registry.ts'
import { createMemoryChain } from '@tandem/party/engine/chain.fixture.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { insertOrder, type NewOrder } from '@tandem/party/store/orders/insert-orders.ts'
import { createVault } from '@tandem/party/store/orders/sealed-values.ts'
import { sealSwaps } from '@tandem/party/store/orders/swap-seals.ts'
import { VAULT_KEY } from '@tandem/party/store/store.fixture.ts'
import type { Order, Swap } from '@tandem/protocol/order.ts'
import type { Child } from './api/child.ts'
import { median } from './bench.ts'
import type { OpenAnswer, OpenQuestion, OpenReady } from './open-child.ts'

export type EventCost = OpenAnswer
export type MeasuredEngine = { readonly db: Database; readonly engine: Child<OpenReady> }

/** The results are medians. The databases alternate, so that a change in the machine's load affects both. */
export async function measureEvents<Name extends string>(
  engines: Readonly<Record<Name, MeasuredEngine>>,
  events: number,
): Promise<Readonly<Record<Name, EventCost>>> {
  const names = Object.keys(engines) as Name[]
  const costs = new Map(names.map((name): [Name, EventCost[]] => [name, []]))
  for (let n = 0; n <= events; n += 1) {
    for (const name of n % 2 === 0 ? names : names.toReversed()) {
      const { db, engine } = engines[name]
      const cost = await engine.ask<OpenAnswer>(await newOrder(db, n))
      // The first one warms up.
      if (n > 0) costs.get(name)?.push(cost)
    }
  }
  const middle = (list: readonly EventCost[]) => ({ ms: median(list.map(({ ms }) => ms)), cpuMs: median(list.map(({ cpuMs }) => cpuMs)) })
  return Object.fromEntries([...costs].map(([name, list]) => [name, middle(list)])) as Record<Name, EventCost>
}

const now = () => BigInt(Math.floor(Date.now() / 1000))

async function newOrder(db: Database, n: number): Promise<OpenQuestion> {
  const id = `${now()} ${n}`.padEnd(64, '0')
  const swap = (leg: 'source' | 'destination', chainId: string): Swap => {
    const chain = localChains.find((known) => known.id === chainId)
    if (chain === undefined) throw new Error(`${chainId} is not in the local registry`)
    const parties = { initiator: 'initiator', redeemer: 'redeemer' }
    const terms = { asset: chain.nativeAsset, ...parties, amount: 1_000_000n, secretHash: id, timelock: chain.timelocks[leg] }
    return {
      chain: chainId,
      swapId: createMemoryChain(chainId, now()).swapId(terms),
      terms,
      userAddress: null,
      orderKey: null,
      payer: null,
      clientKey: false,
      agreedAmount: 1_000_000n,
      depositAddress: null,
      gas: null,
      maxFee: null,
      requiredConfirmations: 1,
    }
  }
  const [source, destination] = [swap('source', 'ethereum_localnet'), swap('destination', 'arbitrum_localnet')]
  const deadline = now() + 3_600n
  const order = { id, solverId: 'solver', createdAt: now(), deadline, priceExpiresAt: deadline, source, destination }
  await insertOrder(db, plainOrder(order, id))
  const asked = ({ swapId, terms }: Swap) => ({ swapId, amount: terms.amount.toString() })
  return { swaps: { source: asked(source), destination: asked(destination) } }
}

const vault = createVault(VAULT_KEY)

/** The order has no app, no fees and no secret of a client. */
function plainOrder(order: Order, nonce: string): NewOrder {
  const asked = { requestHash: '', tokenHash: null }
  return {
    order,
    app: null,
    nonce,
    sourceOwner: 'from',
    destinationOwner: 'to',
    slippageBips: 0,
    affiliateFees: [],
    idempotencyKey: null,
    ...asked,
    seals: sealSwaps(vault, { order, ...asked }),
    clientSecret: false,
    assetPrices: { source: 0n, destination: 0n },
    worth: null,
  }
}
