/**
 * Whether the relay key can pay for the payouts of new orders. A service that cannot show the secret on the destination makes both parties wait for their
 * timelocks, so it takes no such order. Chains whose payouts pay their own fee need nothing.
 */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { PublicKeyring } from '@tandem/keys/keyring.ts'
import { clientFor } from '@tandem/party/engine/facts.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { countOpenPayouts } from '@tandem/party/store/orders/open-payouts.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import type { Logger } from '@tandem/runtime/log.ts'

export interface RelayFunds {
  /** Throws `chain_unavailable` while payouts on this chain could not be paid for, by a look of the last seconds. Asks no node itself. */
  assertPayable(chain: ChainId): void
  /** Looks now. Never rejects because of a node. */
  look(chain: ChainId): Promise<void>
}

const LOOK_MS = 4_000
/** Orders may be funded between two looks. */
const PAYOUTS_AHEAD = 4n
/** Fees may rise to so many times the current ones until the payout. */
const PEAK_FACTOR = 4n

export function createRelayFunds(options: {
  readonly db: Database
  readonly registry: Registry
  readonly clients: ReadonlyMap<ChainId, ChainClient>
  /** Null: no engine has named its key yet. */
  readonly relay: PublicKeyring | null
  readonly log: Logger
  readonly nowMs?: () => number
}): RelayFunds {
  const { db, registry, clients, relay, log, nowMs = () => performance.now() } = options
  const lookedAt = new Map<ChainId, number>()
  const short = new Set<ChainId>()

  async function look(chain: ChainId): Promise<void> {
    lookedAt.set(chain, nowMs())
    const { nativeAsset } = registry.chain(chain)
    const missing = await missingOn(clientFor(clients, chain)).catch((error: unknown) => {
      // While the nodes do not answer, no order is taken anyway.
      if (error instanceof ChainFailure) return null
      throw error
    })
    if (missing === null) return
    if (missing.amount === 0n) {
      if (short.delete(chain)) log.info({ chain }, 'the relay key can pay for payouts again')
      return
    }
    if (!short.has(chain))
      log.error(
        { chain, address: missing.address, send: missing.amount, of: nativeAsset },
        'the relay key cannot pay for payouts: no new orders',
      )
    short.add(chain)
  }

  async function missingOn(client: ChainClient): Promise<{ readonly amount: bigint; readonly address: string } | null> {
    const { chain, legCost, orderKeys } = client
    if (relay === null || legCost === undefined || orderKeys !== undefined) return null
    const active = registry.assetsOf(chain.id).filter(({ deployment }) => deployment !== null)
    const address = client.addressOf(relay.of(client.curve))
    const [costs, open] = await Promise.all([Promise.all(active.map(({ id }) => legCost(id))), countOpenPayouts(db, chain.id)])
    const balance = await client.balance(chain.nativeAsset, address)
    const most = (amounts: readonly bigint[]) => amounts.reduce((a, b) => (a > b ? a : b), 0n)
    const payout = most(costs.map(({ redeem }) => PEAK_FACTOR * redeem))
    const amount = most(costs.map(({ kept = 0n }) => kept)) + (open + PAYOUTS_AHEAD) * payout - balance
    return { amount: amount > 0n ? amount : 0n, address }
  }

  return {
    look,
    assertPayable(chain) {
      if (nowMs() - (lookedAt.get(chain) ?? Number.NEGATIVE_INFINITY) > LOOK_MS)
        void look(chain).catch((error) => log.error({ chain, err: error }, 'looking at the coins of the relay key failed'))
      if (short.has(chain))
        throw new TandemError(
          'chain_unavailable',
          `this service has too little ${registry.chain(chain).nativeAsset} to pay for payouts on ${chain}: no new swap to it starts until its operator sends some`,
        )
    },
  }
}
