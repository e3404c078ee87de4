/** Users of any route have all wallets that `local.json` names. One stream of events tells all of them of their payouts. */

import type { LocalWallet } from '@tandem/chain-kit/local/local-chain.ts'
import { loadLocalFamily } from '@tandem/families/local.ts'
import type { LocalJson } from '@tandem/local/local-json.ts'
import type { FamilyName } from '@tandem/protocol/chain.ts'
import { chainOf } from '../../demo/client/local-client.ts'
import { appEvents } from '../../packages/sdk/src/client/event-stream.ts'
import { createQuickApi } from './quick-api.ts'
import type { Route, Swap, Users } from './users.ts'

type Seen = Pick<Swap, 'lockedAt' | 'paidAt'>

/** `funded` settles when the wallet's last order is made and funded, or failed. */
type User = { readonly address: string; readonly wallet: LocalWallet; funded: Promise<unknown> }

/** The stream starts before all events of a new database, so none is lost while it is opened. */
const BEGINNING = '0'

/**
 * Routes and the wallets of each chain are used round robin. A wallet makes and funds one order after the other: an approval is exact, and
 * would count for two orders made at once.
 */
export function createWalletUsers(info: LocalJson, routes: readonly Route[]): Users {
  const api = createQuickApi({ baseUrl: info.base_url, appId: info.app_id })
  const swaps: Swap[] = []
  /** The key is the order: an event may come before the wallet knows that it has paid. */
  const seen = new Map<string, Seen>()
  const users = new Map<string, Promise<readonly User[]>>()
  const counts = new Map<string, number>()
  const closing = new AbortController()
  let failure: unknown = null
  listen().catch((error: unknown) => {
    if (!closing.signal.aborted) failure = error
  })

  async function listen(): Promise<void> {
    for await (const next of appEvents(
      { baseUrl: info.base_url, appId: info.app_id },
      { lastEventId: BEGINNING, signal: closing.signal },
    )) {
      if ('gap' in next) throw new Error('the stream of events has a gap')
      const { destination_swap } = next.event.order
      const order = seenOf(next.event.order_id)
      if (destination_swap.initiate_tx_hash !== '') order.lockedAt ??= performance.now()
      if (destination_swap.redeem_tx_hash !== '') order.paidAt ??= performance.now()
    }
  }

  function seenOf(orderId: string): Seen {
    const known = seen.get(orderId)
    if (known !== undefined) return known
    const fresh: Seen = { lockedAt: null, paidAt: null }
    seen.set(orderId, fresh)
    return fresh
  }

  async function openUsers(chain: string): Promise<readonly User[]> {
    const local = info.chains[chain]
    if (local === undefined) throw new Error(`local.json names no chain ${chain}`)
    const family = await loadLocalFamily(local.family as FamilyName)
    return info.wallets
      .filter(({ chains }) => chains.includes(chain))
      .map(({ address, private_key }) => ({ address, wallet: family.openWallet(local, private_key), funded: Promise.resolve() }))
  }

  async function userOn(chain: string, index: number): Promise<User> {
    const opened = users.get(chain) ?? openUsers(chain)
    users.set(chain, opened)
    const all = await opened
    const user = all[index % all.length]
    if (user === undefined) throw new Error(`local.json names no wallet on ${chain}`)
    return user
  }

  function nextIndex(chain: string): number {
    const index = counts.get(chain) ?? 0
    counts.set(chain, index + 1)
    return index
  }

  function oneAtATime<T>(user: User, fund: () => Promise<T>): Promise<T> {
    const funding = user.funded.then(fund)
    user.funded = funding.catch(() => undefined)
    return funding
  }

  return {
    async swap(index) {
      const route = routes[index % routes.length]
      if (route === undefined) throw new Error('there are no routes')
      const { from, to, amount } = route
      const begunAt = performance.now()
      const quote = await api.quote({ from, to, from_amount: amount.toString() })
      const walletIndex = nextIndex(chainOf(from))
      const [payer, payee] = await Promise.all([userOn(chainOf(from), walletIndex), userOn(chainOf(to), walletIndex)])
      const { order, orderedAt } = await oneAtATime(payer, async () => {
        const created = await api.createOrder({
          source: { asset: from, owner: payer.address, amount: quote.source.amount },
          destination: { asset: to, owner: payee.address, amount: quote.destination.amount },
        })
        const orderedAt = performance.now()
        await payer.wallet.fund(created)
        return { order: created, orderedAt }
      })
      swaps.push(Object.assign(seenOf(order.order_id), { begunAt, orderedAt, confirmedAt: performance.now() }))
    },
    assertListening() {
      if (failure !== null) throw failure
    },
    close: () => closing.abort(),
    swaps,
  }
}
