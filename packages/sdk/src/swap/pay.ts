/** Verifies an order that nobody has paid yet, and asks the wallet to pay. */

import type { Funded } from '@tandem/chain-kit/browser/family.ts'
import { sleep } from '@tandem/chain-kit/browser/sleep.ts'
import type { Wallet } from '@tandem/chain-kit/browser/wallet.ts'
import { loadFamily } from '@tandem/families/browser.ts'
import type { CreateOrderResult } from '@tandem/protocol/funding/funding.ts'
import type { OrderRecord } from '@tandem/protocol/wire/order.ts'
import { nodeOf, now, type SwapContext } from './context.ts'
import { AlreadyPaidError } from './errors.ts'
import { webLocks, withMutex } from './mutex.ts'
import { intentOf, loadSwap, type SavedSwap, saveSwap } from './saved-swap.ts'

export type PayOptions = {
  readonly gasless: boolean
  /** The answer of POST /orders. It is null after a reload: the service is asked again. */
  readonly created: CreateOrderResult | null
  /** With it the wallet is asked although it was asked before. */
  readonly payAgain?: boolean
  readonly signal?: AbortSignal
}

/** Within this time two pages that write to one storage see what the other has written. */
const SETTLE_MS = 250

/** Resolves to the hash of the initiation, or to an empty text if the wallet does not know it. Throws `VerificationError` before the wallet is asked. */
export async function verifyAndPay(
  context: SwapContext,
  saved: SavedSwap,
  wallet: Wallet,
  { gasless, created, payAgain = false, signal }: PayOptions,
): Promise<string> {
  const { verifyOrder, payerOf } = await import('../verify/verify-order.ts')
  const { client } = context
  const given = signal === undefined ? {} : { signal }
  const intent = await intentOf(context, saved)
  const record = await client.order(saved.orderId, given)
  const funding = created ?? withPackage(await client.funding(saved.orderId, given), saved)
  const { plan, payment, source, destination } = await verifyOrder(intent, { record, funding }, now())
  const { verifyNodes } = await import('./verify-nodes.ts')
  await verifyNodes(context, [destination, source], signal)
  const family = await loadFamily(intent.source.chain.family)
  const pay = payment === null ? null : payerOf(wallet, payment, signal)
  if (pay === null) await family.verifyWallet?.(source, { wallet, node: nodeOf(context, intent.source.chain, signal) }, 'pay')
  signal?.throwIfAborted()
  const paying = await claim(context, saved, record, payAgain)
  const funded = await (pay === null ? family.fund(plan, wallet, { gasless, ...given }) : pay())
  const paidTx = funded.kind === 'sent' && funded.tx !== '' ? funded.tx : null
  await saveSwap(context, { ...paying, paidTx, phase: 'paid' })
  return hashOf(context, saved, funded, signal)
}

/**
 * Only one page pays: the swap must still be as this page read it. Without the Web Locks API two pages may pass this at once; then the one that wrote
 * last goes on, and the other one sees its name.
 */
async function claim(context: SwapContext, saved: SavedSwap, record: OrderRecord, payAgain: boolean): Promise<SavedSwap> {
  const paying = { ...saved, paidFor: record, payer: crypto.randomUUID(), phase: 'paying' } as const
  const { orderId } = saved
  await withMutex(`tandem:pay:${orderId}`, async () => {
    const { phase, payer } = await loadSwap(context, orderId)
    const mayPay = phase === 'made' || (payAgain && (phase === 'paying' || phase === 'paid'))
    if (!mayPay || payer !== saved.payer) throw new AlreadyPaidError(orderId)
    await saveSwap(context, paying)
  })
  if (webLocks() !== undefined) return paying
  await sleep(SETTLE_MS)
  if ((await loadSwap(context, orderId)).payer !== paying.payer) throw new AlreadyPaidError(orderId)
  return paying
}

/** The service gives the refund package only once. */
function withPackage(funding: CreateOrderResult, { refundPackage }: SavedSwap): CreateOrderResult {
  return refundPackage === null ? funding : ({ ...funding, refund_package: refundPackage } as CreateOrderResult)
}

async function hashOf({ client }: SwapContext, { orderId }: SavedSwap, funded: Funded, signal?: AbortSignal): Promise<string> {
  if (funded.kind === 'sent') return funded.tx
  const { signature, offer } = funded
  return client.patchOrder(
    orderId,
    'initiate',
    { signature, ...(offer !== undefined && { offer }) },
    signal === undefined ? {} : { signal },
  )
}
