/** Users of any route, with the wallets that `local.json` names. They see a payout through the API. */
import type { OrderRecord } from '../../demo/client/api-client.ts'
import { chainOf, createLocalClient } from '../../demo/client/local-client.ts'
import type { LocalWallet } from '../../devnet/local-chain.ts'
import { callHttp } from '../../src/http-client.ts'
import type { LocalJson } from '../../src/local/local-json.ts'
import type { Route, Swap, Users } from './users.ts'

/** Each order is asked for at most so often. Many users who ask every few milliseconds would be the load that is measured. */
const ASK_MS = 100
const TIMEOUT_MS = 30_000
const MAX_BYTES = 1_000_000

type Unpaid = { readonly swap: Swap; askedAt: number }

/** Takes the routes in turn. A wallet makes and funds one order after the other: an approval is exact, and would count for two orders made at once. */
export function createWalletUsers(info: LocalJson, routes: readonly Route[], askMs = ASK_MS): Users {
  const { api, ownerOf, walletFor } = createLocalClient(info)
  const swaps: Swap[] = []
  const unpaid = new Map<string, Unpaid>()
  const wallets = new Map<string, Promise<LocalWallet>>()
  const lastFunding = new Map<string, Promise<unknown>>()

  function inTurn<T>(chain: string, fund: () => Promise<T>): Promise<T> {
    const funding = (lastFunding.get(chain) ?? Promise.resolve()).then(fund)
    lastFunding.set(
      chain,
      funding.catch(() => undefined),
    )
    return funding
  }

  /** Without `fetch`, which costs several times as much: users must not be the load. */
  async function read(id: string): Promise<OrderRecord> {
    const headers = { 'service-app-id': info.app_id }
    const answer = await callHttp({ url: `${info.base_url}/orders/${id}`, headers, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES })
    if (answer.status !== 200) throw new Error(`GET /orders/${id} answered ${answer.status}: ${answer.text}`)
    const { result } = JSON.parse(answer.text) as { readonly result: OrderRecord }
    return result
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
      const swap: Swap = { begunAt, orderedAt, confirmedAt: performance.now(), lockedAt: null, paidAt: null }
      swaps.push(swap)
      unpaid.set(order.order_id, { swap, askedAt: Number.NEGATIVE_INFINITY })
    },
    async poll() {
      await Promise.all(
        [...unpaid].map(async ([id, one]) => {
          const now = performance.now()
          if (now - one.askedAt < askMs) return
          one.askedAt = now
          const { destination_swap } = await read(id)
          if (destination_swap.initiate_tx_hash !== '') one.swap.lockedAt ??= performance.now()
          if (destination_swap.redeem_tx_hash === '') return
          one.swap.paidAt ??= performance.now()
          unpaid.delete(id)
        }),
      )
    },
    close: () => undefined,
    swaps,
  }
}
