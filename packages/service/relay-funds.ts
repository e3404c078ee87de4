/**
 * The relay key must be able to pay for the payouts of new orders. If the service cannot show the secret on the destination, both parties
 * wait for their timelocks, so it takes no such order. Chains whose payouts pay their own fee need no check.
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
  /** Throws `chain_unavailable` if, by the check of the last seconds, payouts on this chain cannot be paid for. It waits for no node. */
  assertPayable(chain: ChainId): void
  /** The promise does not reject because of a node. */
  check(chain: ChainId): Promise<void>
}

const CHECK_MS = 4_000
/** Orders may be funded between two checks. */
const PAYOUTS_AHEAD = 4n
/** Fees may rise to this multiple of the current ones until the payout. */
const PEAK_FACTOR = 4n

export function createRelayFunds(options: {
  readonly db: Database
  readonly registry: Registry
  readonly clients: ReadonlyMap<ChainId, ChainClient>
  /** The keyring is null if no engine has published its key yet. */
  readonly relay: PublicKeyring | null
  readonly log: Logger
  readonly nowMs?: () => number
}): RelayFunds {
  const { db, registry, clients, relay, log, nowMs = () => performance.now() } = options
  const checkedAt = new Map<ChainId, number>()
  const short = new Set<ChainId>()

  async function check(chain: ChainId): Promise<void> {
    checkedAt.set(chain, nowMs())
    const { nativeAsset } = registry.chain(chain)
    const missing = await missingOn(clientFor(clients, chain)).catch((error: unknown) => {
      // No order is taken anyway while the nodes do not answer.
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
    const maxOf = (amounts: readonly bigint[]) => amounts.reduce((a, b) => (a > b ? a : b), 0n)
    const payout = maxOf(costs.map(({ redeem }) => PEAK_FACTOR * redeem))
    const amount = maxOf(costs.map(({ kept = 0n }) => kept)) + (open + PAYOUTS_AHEAD) * payout - balance
    return { amount: amount > 0n ? amount : 0n, address }
  }

  return {
    check,
    assertPayable(chain) {
      if (nowMs() - (checkedAt.get(chain) ?? Number.NEGATIVE_INFINITY) > CHECK_MS)
        void check(chain).catch((error) => log.error({ chain, err: error }, 'the balance of the relay key could not be checked'))
      if (short.has(chain))
        throw new TandemError(
          'chain_unavailable',
          `this service has too little ${registry.chain(chain).nativeAsset} to pay for payouts on ${chain}: no new swap to it starts until its operator sends some`,
        )
    },
  }
}
