/** Users of any route, with the wallets that `local.json` names. One stream of events tells all of them of their payouts. */
import { chainOf, createLocalClient } from '../../demo/client/local-client.ts'
import type { LocalWallet } from '../../devnet/local-chain.ts'
import { appEvents } from '../../sdk/src/client/event-stream.ts'
import type { LocalJson } from '../../src/local/local-json.ts'
import { createQuickApi } from './quick-api.ts'
import type { Route, Swap, Users } from './users.ts'

type Seen = Pick<Swap, 'lockedAt' | 'paidAt'>

/** All events of a new database: none is lost while the stream is opened. */
const BEGINNING = '0'

/** Takes the routes in turn. A wallet makes and funds one order after the other: an approval is exact, and would count for two orders made at once. */
export function createWalletUsers(info: LocalJson, routes: readonly Route[]): Users {
  const { ownerOf, walletFor } = createLocalClient(info)
  const api = createQuickApi({ baseUrl: info.base_url, appId: info.app_id })
  const swaps: Swap[] = []
  /** By order: an event may come before the wallet knows that it has paid. */
  const seen = new Map<string, Seen>()
  const wallets = new Map<string, Promise<LocalWallet>>()
  const lastFunding = new Map<string, Promise<unknown>>()
  const closing = new AbortController()
  let failure: unknown = null
  listen().catch((error: unknown) => {
    if (!closing.signal.aborted) failure = error
  })

  async function listen(): Promise<void> {
    for await (const told of appEvents(
      { baseUrl: info.base_url, appId: info.app_id },
      { lastEventId: BEGINNING, signal: closing.signal },
    )) {
      if ('gap' in told) throw new Error('the stream of events has a gap')
      const { destination_swap } = told.event.order
      const order = seenOf(told.event.order_id)
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

  function inTurn<T>(chain: string, fund: () => Promise<T>): Promise<T> {
    const funding = (lastFunding.get(chain) ?? Promise.resolve()).then(fund)
    lastFunding.set(
      chain,
      funding.catch(() => undefined),
    )
    return funding
  }

  return {
    async swap(index) {
      const route = routes[index % routes.length]
      if (route === undefined) throw new Error('there are no routes')
      const { from, to, amount } = route
      const begunAt = performance.now()
      const quote = await api.quote({ from, to, from_amount: amount.toString() })
      const opened = wallets.get(from) ?? walletFor(from)
      wallets.set(from, opened)
      const wallet = await opened
      const { order, orderedAt } = await inTurn(chainOf(from), async () => {
        const created = await api.createOrder({
          source: { asset: from, owner: ownerOf(from), amount: quote.source.amount },
          destination: { asset: to, owner: ownerOf(to), amount: quote.destination.amount },
        })
        const orderedAt = performance.now()
        await wallet.fund(created)
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
