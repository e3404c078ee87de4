/** The user of the local stack, for the parts of programs that pages show. */
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LocalChainJson } from '@tandem/chain-kit/local/local-chain.ts'
import type { LocalJson } from '@tandem/local/local-json.ts'
import type { CreatedOrder } from '../../../demo/client/api-client.ts'
import { createLocalClient, type LocalClient } from '../../../demo/client/local-client.ts'

export type User = LocalClient & {
  chain(id: string): LocalChainJson
  /** The user's key on a chain. */
  keyOn(id: string): string
  /** Quotes, and makes an order that pays bitcoin. */
  orderFrom(asset: string, amount: bigint): Promise<CreatedOrder & { readonly [field: string]: unknown }>
  patch(orderId: string, action: string, body: object): Promise<unknown>
  /** The service has seen the user's payment. */
  untilPaid(orderId: string): Promise<void>
}

const POLL_MS = 50
const BITCOIN = 'bitcoin_regtest:btc'

export async function openUser(): Promise<User> {
  const info = JSON.parse(await readFile('.tandem/local.json', 'utf8')) as LocalJson
  const client = createLocalClient(info)
  const { api, ownerOf } = client
  const found = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('local.json has no such chain')
    return value
  }
  return {
    ...client,
    chain: (id) => found(info.chains[id]),
    keyOn: (id) => found(info.wallets.find(({ chains }) => chains.includes(id))).private_key,
    async orderFrom(asset, amount) {
      const { source, destination } = await api.quote({ from: asset, to: BITCOIN, from_amount: amount.toString() })
      const order = await api.createOrder({
        source: { asset, owner: ownerOf(asset), amount: source.amount },
        destination: { asset: BITCOIN, owner: ownerOf(BITCOIN), amount: destination.amount },
      })
      return { ...order }
    },
    patch: (orderId, action, body) => api.call('PATCH', `/orders/${orderId}?action=${action}`, body),
    async untilPaid(orderId) {
      while ((await api.order(orderId)).source_swap.initiate_tx_hash === '') await sleep(POLL_MS)
    },
  }
}
