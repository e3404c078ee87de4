/** A swap as an integrator makes it: by the SDK, with a wallet of the source chain. */
import { createTandem, type SwapRequest, type Wallet } from '../../sdk/src/index.ts'
import type { OrderRecord } from '../../src/protocol/wire/order.ts'
import type { Story } from './story.ts'

type Deployments = NonNullable<Parameters<typeof createTandem>[0]['deployments']>

/** Resolves when both parties are paid, with the hash that the wallet or the service gave. `deployments`: those that `local.json` does not name. */
export async function swapBySdk(
  { info, ownerOf, untilStatus }: Story,
  wallet: Wallet,
  request: Omit<SwapRequest, 'recipient'>,
  deployments: Deployments = {},
): Promise<{ readonly done: OrderRecord; readonly tx: string }> {
  const known: Deployments = Object.assign({}, ...Object.values(info.chains).map(({ assets }) => assets))
  const tandem = createTandem({ baseUrl: info.base_url, appId: info.app_id, pollMs: 200, deployments: { ...known, ...deployments } })
  let [orderId, tx] = ['', '']
  for await (const step of tandem.swap({ secret: 'service', ...request, recipient: ownerOf(request.to) }, wallet)) {
    if (step.kind === 'ordered') orderId = step.orderId
    if (step.kind === 'paid') tx = step.tx
  }
  return { done: await untilStatus(orderId, 'counterparty_redeemed'), tx }
}
