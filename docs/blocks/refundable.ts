/** Deposits that nobody refunds: their orders were made with a service and a solver that have stopped since, and their timelock is over. */

import type { LocalJson } from '@tandem/local/local-json.ts'
import { createLocalClient } from '../../demo/client/local-client.ts'

const [FROM, TO, AMOUNT] = ['bitcoin_regtest:btc', 'ethereum_localnet:wbtc', 1_000_000n]

export type Refundable = {
  readonly orderId: string
  /** The answer of POST /orders. */
  readonly answer: string
  readonly deposit: { readonly txid: string; readonly vout: number; readonly value: number }
}

export async function makeRefundable(info: LocalJson, count: number, stopParties: () => Promise<void>): Promise<readonly Refundable[]> {
  const { api, ownerOf } = createLocalClient(info)
  const orders = []
  for (let left = count; left > 0; left -= 1) {
    const { source, destination } = await api.quote({ from: FROM, to: TO, from_amount: (AMOUNT + BigInt(left)).toString() })
    const order = await api.createOrder({
      source: { asset: FROM, owner: ownerOf(FROM), amount: source.amount },
      destination: { asset: TO, owner: ownerOf(TO), amount: destination.amount },
    })
    orders.push({ order, amount: source.amount, timelock: (await api.order(order.order_id)).source_swap.timelock })
  }
  await stopParties()
  for (const { order, amount } of orders) await post(info.faucet_url, { asset: FROM, address: order.to, amount })
  await post(info.time_url, { chain: 'bitcoin_regtest', units: Math.max(...orders.map(({ timelock }) => timelock)) + 1 })
  return Promise.all(
    orders.map(async ({ order }) => {
      const answer = await fetch(`${info.chains.bitcoin_regtest?.esplora_url}/address/${order.to}/utxo`)
      const [deposit] = (await answer.json()) as Refundable['deposit'][]
      if (deposit === undefined) throw new Error(`${order.to} has no deposit`)
      return { orderId: order.order_id, answer: JSON.stringify(order), deposit }
    }),
  )
}

async function post(url: string, body: object): Promise<void> {
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`)
}
