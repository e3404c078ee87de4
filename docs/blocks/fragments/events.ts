import { bitcoinLocal } from '@tandem/bitcoin/local/local.ts'
import { openUser } from './user.ts'

/** Node 20 has no EventSource. This one does as much as a page needs. */
class OneEventSource {
  onmessage: ((event: { readonly data: string }) => void) | null = null
  readonly taken: Promise<void>

  constructor(url: string) {
    this.taken = this.#read(url)
    last = this.taken
  }

  async #read(url: string): Promise<void> {
    const { body } = await fetch(url)
    let text = ''
    for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += part
      const data = /^data: (.+)\n\n/m.exec(text)?.[1]
      if (data !== undefined) return this.onmessage?.({ data })
    }
    throw new Error(`the stream ended: ${text}`)
  }
}

let last: Promise<void> = Promise.reject(new Error('nobody listens'))
last.catch(() => undefined)

export async function prepare() {
  const user = await openUser()
  const asset = 'bitcoin_regtest:btc'
  const quote = await user.api.quote({ from: asset, to: 'ethereum_localnet:wbtc', from_amount: '1000000' })
  const order = await user.api.createOrder({
    source: { asset, owner: user.ownerOf(asset), amount: quote.source.amount },
    destination: { asset: 'ethereum_localnet:wbtc', owner: user.ownerOf('ethereum_localnet:wbtc'), amount: quote.destination.amount },
  })
  const { base_url: baseUrl, app_id: appId } = user.info
  const done = async () => {
    await user.wallet('bitcoin_regtest', bitcoinLocal).fund(order)
    await last
  }
  return { EventSource: OneEventSource, baseUrl, appId, orderId: order.order_id, done }
}
