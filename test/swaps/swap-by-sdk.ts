/** An integrator swaps like this: by the SDK, with a wallet of the source chain. The secret is the user's. */

import type { OrderRecord } from '@tandem/protocol/wire/order.ts'
import { createTandem, memoryStorage, type QuoteRequest, type Tandem, type TandemOptions, viemWallet, type Wallet } from '@tandem/sdk'
import { createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Story } from './story.ts'

type Deployments = NonNullable<TandemOptions['deployments']>

/** `deployments` are those that `local.json` does not name. */
export function tandemOf({ info }: Story, deployments: Deployments = {}, given: Partial<TandemOptions> = {}): Tandem {
  const known: Deployments = Object.assign({}, ...Object.values(info.chains).map(({ assets }) => assets))
  const nodes = Object.fromEntries(
    Object.entries(info.chains).map(([id, { esplora_url: esplora, rpc_url: rpc }]) => [id, String(esplora ?? rpc)]),
  )
  return createTandem({
    baseUrl: info.base_url,
    appId: info.app_id,
    pollMs: 200,
    deployments: { ...known, ...deployments },
    nodes,
    storage: memoryStorage(),
    ...given,
  })
}

export function evmWalletOf({ info }: Story, chain: string): Wallet {
  const key = info.wallets.find(({ chains }) => chains.includes(chain))?.private_key as `0x${string}`
  return viemWallet(createWalletClient({ account: privateKeyToAccount(key), transport: http(String(info.chains[chain]?.rpc_url)) }))
}

/** Resolves when both parties are paid, with the hash that the wallet or the service gave. */
export async function swapBySdk(
  story: Story,
  wallet: Wallet,
  asked: Omit<QuoteRequest, 'recipient'> & { readonly fromAmount: bigint; readonly gasless?: boolean },
  deployments: Deployments = {},
): Promise<{ readonly done: OrderRecord; readonly tx: string }> {
  const tandem = tandemOf(story, deployments)
  const request = { ...asked, recipient: story.ownerOf(asked.to) }
  const { net_amount, destination } = await tandem.quote(request)
  let [orderId, tx] = ['', '']
  for await (const step of tandem.swap({ ...request, minToAmount: BigInt(net_amount ?? destination.amount) }, wallet)) {
    if (step.kind === 'ordered') orderId = step.orderId
    if (step.kind === 'paid') tx = step.tx
  }
  return { done: await story.untilStatus(orderId, 'counterparty_redeemed'), tx }
}
