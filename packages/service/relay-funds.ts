/**
 * The relay key must be able to pay for the payouts of new orders. If the service cannot show the secret on the destination, both parties
 * wait for their timelocks, so it takes no such order. Chains whose payouts pay their own fee need no check. It must also be able to
 * initiate the orders with a deposit address, or what a user pays there waits for the deadline and goes back; and what a payout gives on top.
 */

import type { LegCost } from '@tandem/chain-kit/port/abilities/reading.ts'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { PublicKeyring } from '@tandem/keys/keyring.ts'
import { clientFor } from '@tandem/party/engine/facts.ts'
import { PEAK_FACTOR } from '@tandem/party/engine/payout-gas.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { readOpenPayouts } from '@tandem/party/store/orders/open-payouts.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import type { Logger } from '@tandem/runtime/log.ts'

export interface RelayFunds {
  /** Throws `chain_unavailable` if, by the check of the last seconds, payouts on this chain cannot be paid for. It waits for no node. */
  assertPayable(chain: ChainId): void
  /** The same for the initiation of an order with a deposit address. */
  assertCanInitiate(chain: ChainId): void
  /** The same for an order whose payout also gives coin. */
  assertCanGiveGas(chain: ChainId): void
  /** The promise does not reject because of a node. */
  check(chain: ChainId): Promise<void>
}

const CHECK_MS = 4_000
/** Orders may be funded between two checks. */
const PAYOUTS_AHEAD = 4n
const INITIATIONS_AHEAD = 4n
const GIFTS_AHEAD = 4n

type Duty = 'payouts' | 'initiations' | 'destination gas'
const duties = ['payouts', 'initiations', 'destination gas'] as const satisfies readonly Duty[]
const CONSEQUENCE = {
  payouts: 'no new swap to it starts',
  initiations: 'no new order gets a deposit address there',
  'destination gas': 'no new order gets it there',
} as const satisfies Record<Duty, string>

export function createRelayFunds(options: {
  readonly db: Database
  readonly registry: Registry
  readonly clients: ReadonlyMap<ChainId, ChainClient>
  /** The keyring is null if no engine has published its key yet. */
  readonly relay: PublicKeyring | null
  readonly log: Logger
  /** A payout may give this much of the coin of the chain. */
  readonly gasOf?: (chain: ChainId) => bigint
  readonly nowMs?: () => number
}): RelayFunds {
  const { db, registry, clients, relay, log, gasOf = () => 0n, nowMs = () => performance.now() } = options
  const checkedAt = new Map<ChainId, number>()
  const short: Readonly<Record<Duty, Set<ChainId>>> = { payouts: new Set(), initiations: new Set(), 'destination gas': new Set() }

  async function check(chain: ChainId): Promise<void> {
    checkedAt.set(chain, nowMs())
    const missing = await missingOn(clientFor(clients, chain)).catch((error: unknown) => {
      // No order is taken anyway while the nodes do not answer.
      if (error instanceof ChainFailure) return null
      throw error
    })
    if (missing === null) return
    for (const duty of duties) note(chain, duty, missing[duty], missing.address)
  }

  function note(chain: ChainId, duty: Duty, amount: bigint, address: string): void {
    if (amount <= 0n) {
      if (short[duty].delete(chain)) log.info({ chain }, `the relay key can pay for ${duty} again`)
      return
    }
    const { nativeAsset } = registry.chain(chain)
    if (!short[duty].has(chain))
      log.error({ chain, address, send: amount, of: nativeAsset }, `the relay key cannot pay for ${duty}: ${CONSEQUENCE[duty]}`)
    short[duty].add(chain)
  }

  async function missingOn(client: ChainClient): Promise<(Readonly<Record<Duty, bigint>> & { readonly address: string }) | null> {
    const { chain, legCost, orderKeys, prefund } = client
    if (relay === null || legCost === undefined || orderKeys !== undefined) return null
    const active = registry.assetsOf(chain.id).filter(({ deployment }) => deployment !== null)
    const address = client.addressOf(relay.of(client))
    const [costs, open] = await Promise.all([Promise.all(active.map(({ id }) => legCost(id))), readOpenPayouts(db, chain.id)])
    const balance = await client.balance(chain.nativeAsset, address)
    const most = (amountOf: (cost: LegCost) => bigint) => costs.map(amountOf).reduce(max, 0n)
    const kept = most((cost) => cost.kept ?? 0n)
    const payouts = (open.count + PAYOUTS_AHEAD) * most(({ redeem }) => PEAK_FACTOR * redeem) + open.begunGas
    const initiations = INITIATIONS_AHEAD * most(({ initiate, bound = 0n }) => PEAK_FACTOR * initiate + bound)
    const left = max(
      payouts,
      most((cost) => cost.leaves ?? 0n),
    )
    return {
      payouts: kept + payouts - balance,
      initiations: prefund?.addressOf === undefined ? 0n : kept + left + initiations - balance,
      // What is not begun holds up no other payout: it is left out where the coin is short.
      'destination gas': kept + payouts + open.gas - open.begunGas + GIFTS_AHEAD * gasOf(chain.id) - balance,
      address,
    }
  }

  function assertNotShort(chain: ChainId, duty: Duty): void {
    if (nowMs() - (checkedAt.get(chain) ?? Number.NEGATIVE_INFINITY) > CHECK_MS)
      void check(chain).catch((error) => log.error({ chain, err: error }, 'the balance of the relay key could not be checked'))
    if (!short[duty].has(chain)) return
    const { nativeAsset } = registry.chain(chain)
    throw new TandemError(
      'chain_unavailable',
      `this service has too little ${nativeAsset} to pay for ${duty} on ${chain}: ${CONSEQUENCE[duty]} until its operator sends some`,
    )
  }

  return {
    check,
    assertPayable: (chain) => assertNotShort(chain, 'payouts'),
    assertCanGiveGas: (chain) => assertNotShort(chain, 'destination gas'),
    assertCanInitiate: (chain) => assertNotShort(chain, 'initiations'),
  }
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
