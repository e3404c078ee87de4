/** Refunds in one call each: at once with the solver's consent, or after the timelock. */
import type { OrderRecord } from '../../../src/protocol/wire/order.ts'
import type { SdkFamily, SwapSide } from '../families/family.ts'
import { loadFamily } from '../families/index.ts'
import type { Wallet } from '../wallets/wallet.ts'
import { nodeOf, type SwapContext } from './context.ts'
import { intentOf, loadSwap, type SavedSwap } from './saved-swap.ts'

type With = { readonly signal?: AbortSignal }

/** Before the timelock, if the solver has not paid. Resolves to the hash of the transaction. A repeated call joins the first. */
export async function instantRefund(context: SwapContext, orderId: string, given: With = {}): Promise<string> {
  const saved = await loadSwap(context, orderId)
  const signatures = saved.ownKeys.includes('source') ? await signRefund(context, saved, given) : []
  const body = { signatures: [...signatures], ...(saved.orderToken !== null && { order_token: saved.orderToken }) }
  return context.client.patchOrder(orderId, 'instant-refund', body, given)
}

async function signRefund(context: SwapContext, saved: SavedSwap, given: With): Promise<readonly string[]> {
  const hashes = await context.client.instantRefundHashes(saved.orderId, given)
  const record = await context.client.order(saved.orderId, given)
  const { side, ownKeys, key } = await ownSource(context, saved, record)
  return ownKeys.signInstantRefund(side, hashes, key)
}

/** `wallet`: on chains with accounts, to send the refund without the service. */
export type RefundOptions = With & { readonly wallet?: Wallet }

/** After the timelock, of the order that was paid for. With the user's own key, or with a wallet, the SDK sends it itself and needs no word of the service. */
export async function refund(context: SwapContext, orderId: string, { wallet, ...given }: RefundOptions = {}): Promise<string> {
  const saved = await loadSwap(context, orderId)
  const isOwn = saved.ownKeys.includes('source')
  if (!isOwn && wallet === undefined) return context.client.patchOrder(orderId, 'refund', {}, given)
  const record = saved.paidFor ?? (await context.client.order(orderId, given))
  if (!isOwn && wallet !== undefined) return refundByWallet(await sourceOf(context, saved, record), wallet)
  const { side, ownKeys, key } = await ownSource(context, saved, record)
  const node = nodeOf(context, side.chain, given.signal)
  if (node === null) throw new Error(`name a node of ${side.chain.id}: only your own key can refund this order`)
  return ownKeys.refund(side, key, saved.refundTo, node)
}

async function refundByWallet({ side, family }: Source, wallet: Wallet): Promise<string> {
  if (family.refund === undefined) throw new Error(`this version of the SDK cannot refund on ${side.chain.id} by a wallet: leave it out`)
  if (!wallet.families.includes(side.chain.family)) throw new Error(`the wallet does not work on ${side.chain.id}`)
  return family.refund(side, wallet)
}

type Source = { readonly side: SwapSide; readonly family: SdkFamily }

async function sourceOf(context: SwapContext, saved: SavedSwap, record: OrderRecord): Promise<Source> {
  const { verifyTerms } = await import('../verify/verify-order.ts')
  const { source: side } = verifyTerms(await intentOf(context, saved), { record, funding: { order_id: saved.orderId, to: '', amount: '' } })
  return { side, family: await loadFamily(side.chain.family) }
}

async function ownSource(context: SwapContext, saved: SavedSwap, record: OrderRecord) {
  const { side, family } = await sourceOf(context, saved, record)
  if (family.ownKeys === undefined) throw new Error(`${side.chain.id} has no keys of users`)
  return { side, ownKeys: family.ownKeys, key: await context.keys.keyFor(saved.index, 'source') }
}
