/** Verifies an order that nobody has paid yet, and asks the wallet to pay. */
import type { CreateOrderResult } from '../../../src/protocol/funding/funding.ts'
import type { Funded } from '../families/family.ts'
import { loadFamily } from '../families/index.ts'
import type { Wallet } from '../wallets/wallet.ts'
import type { SwapContext } from './context.ts'
import { now } from './prepare.ts'
import { intentOf, type SavedSwap, saveSwap } from './saved-swap.ts'

export type PayOptions = {
  readonly gasless: boolean
  /** The answer of POST /orders; null after a reload: then the service is asked again. */
  readonly created: CreateOrderResult | null
  readonly signal?: AbortSignal
}

/** Resolves to the hash of the initiation; empty if the wallet does not know it. Throws `VerificationError` before the wallet is asked. */
export async function verifyAndPay(
  context: SwapContext,
  saved: SavedSwap,
  wallet: Wallet,
  { gasless, created, signal }: PayOptions,
): Promise<string> {
  const { verifyOrder } = await import('../verify/verify-order.ts')
  const { client } = context
  const given = signal === undefined ? {} : { signal }
  const intent = await intentOf(context, saved)
  const record = await client.order(saved.orderId, given)
  const funding = created ?? withPackage(await client.funding(saved.orderId, given), saved)
  const { plan } = await verifyOrder(intent, { record, funding }, now())
  signal?.throwIfAborted()
  await saveSwap(context, { ...saved, paidFor: record, phase: 'paying' })
  const funded = await (await loadFamily(intent.source.chain.family)).fund(plan, wallet, { gasless, ...given })
  await saveSwap(context, { ...saved, paidFor: record, phase: 'paid' })
  return hashOf(context, saved, funded, signal)
}

/** The service tells the refund package once only. */
function withPackage(funding: CreateOrderResult, { refundPackage }: SavedSwap): CreateOrderResult {
  return refundPackage === null ? funding : ({ ...funding, refund_package: refundPackage } as CreateOrderResult)
}

async function hashOf({ client }: SwapContext, { orderId }: SavedSwap, funded: Funded, signal?: AbortSignal): Promise<string> {
  if (funded.kind === 'sent') return funded.tx
  return client.patchOrder(orderId, 'initiate', { signature: funded.signature }, signal === undefined ? {} : { signal })
}
