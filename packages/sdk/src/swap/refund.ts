/** Refunds: when they are possible, at once with the solver's consent, or after the timelock. */

import type { Lock, Node } from '@tandem/chain-kit/browser/family.ts'
import { NotPossibleError } from '@tandem/chain-kit/browser/refusals.ts'
import type { Wallet } from '@tandem/chain-kit/browser/wallet.ts'
import { nodeOf, type SwapContext } from './context.ts'
import { type RefundTime, refundTime } from './refund-time.ts'
import { listSwaps, loadSwap, type SavedSwap } from './saved-swap.ts'
import { ownKeysOf, recordOf, type Side, sourceOf } from './side.ts'
import { refundableAt } from './time-left.ts'

type With = { readonly signal?: AbortSignal }

/**
 * Says when the oldest deposit can be refunded, as the user's own node shows it, or the service if there is no node. The result is null if
 * nothing is locked, or not in a block yet.
 */
export async function whenRefundable(context: SwapContext, orderId: string, { signal }: With = {}): Promise<RefundTime | null> {
  const saved = await loadSwap(context, orderId)
  const record = await recordOf(context, saved, signal)
  const source = await sourceOf(context, saved, record)
  const { chain } = source.side
  const node = nodeOf(context, chain, signal)
  if (node === null) return refundTime(record, context.options.registry)
  const lock = await lockOf(source, node, saved.ownKeys.includes('source'))
  return lock === null || lock.confirmations === 0 ? null : refundableAt(chain, lock.unitsLeft)
}

function lockOf(source: Side, node: Node, isOwn: boolean): Promise<Lock | null> {
  const { side, family } = source
  if (!isOwn) return family.readLock(side, node)
  // A deposit of any amount is refunded.
  return ownKeysOf(source).readLock({ ...side, terms: { ...side.terms, amount: 1n } }, node)
}

/** Refunds before the timelock, if the solver has not paid. Resolves to the hash of the transaction. A repeated call joins the first. */
export async function instantRefund(context: SwapContext, orderId: string, given: With = {}): Promise<string> {
  const saved = await loadSwap(context, orderId)
  const signatures = saved.ownKeys.includes('source') ? await signRefund(context, saved, given) : []
  const body = { signatures: [...signatures], ...(saved.orderToken !== null && { order_token: saved.orderToken }) }
  return context.client.patchOrder(orderId, 'instant-refund', body, given)
}

async function signRefund(context: SwapContext, saved: SavedSwap, given: With): Promise<readonly string[]> {
  const hashes = await context.client.instantRefundHashes(saved.orderId, given)
  const source = await sourceOf(context, saved, await context.client.order(saved.orderId, given))
  return ownKeysOf(source).signInstantRefund(source.side, hashes, await context.keys.keyFor(saved.index, 'source'))
}

/** On chains with accounts, `wallet` sends the refund without the service. */
export type RefundOptions = With & { readonly wallet?: Wallet }

/**
 * Refunds the order that was paid for after its timelock. With the user's own key, or with a wallet, the SDK sends it itself and needs no
 * word of the service.
 */
export async function refund(context: SwapContext, orderId: string, { wallet, ...given }: RefundOptions = {}): Promise<string> {
  const saved = await loadSwap(context, orderId)
  const isOwn = saved.ownKeys.includes('source')
  if (!isOwn && wallet === undefined) return context.client.patchOrder(orderId, 'refund', {}, given)
  const source = await sourceOf(context, saved, await recordOf(context, saved, given.signal))
  if (!isOwn && wallet !== undefined) return refundByWallet(context, source, wallet, given)
  return refundByKey(context, saved, source, { ...given, bump: false })
}

/** Raises the fee of a refund or redeem with the user's own key that is not mined yet. Resolves to the hash of the new transaction, or of the old one if it stays. */
export async function speedUp(context: SwapContext, orderId: string, given: With = {}): Promise<string> {
  const saved = await loadSwap(context, orderId)
  const record = await recordOf(context, saved, given.signal)
  if (saved.phase !== 'revealed') return refundByKey(context, saved, await sourceOf(context, saved, record), { ...given, bump: true })
  const { speedUpRedeem } = await import('./receive.ts')
  return speedUpRedeem(context, saved, record, given.signal)
}

async function refundByKey(
  context: SwapContext,
  saved: SavedSwap,
  source: Side,
  given: With & { readonly bump: boolean },
): Promise<string> {
  const node = requireNode(context, source.side.chain, given)
  const privateKey = await context.keys.keyFor(saved.index, 'source')
  return ownKeysOf(source).refund(source.side, { privateKey, to: saved.refundTo, node, bump: given.bump })
}

async function refundByWallet(context: SwapContext, { side, family }: Side, wallet: Wallet, { signal }: With): Promise<string> {
  if (family.refund === undefined) throw new Error(`on ${side.chain.id} the user's own key refunds: leave the wallet out`)
  if (!wallet.families.includes(side.chain.family))
    throw new NotPossibleError('wrong_wallet', side.chain.id, `the wallet does not work on ${side.chain.id}`)
  const by = { wallet, node: nodeOf(context, side.chain, signal) }
  await family.verifyWallet?.(side, by, 'settle')
  return family.refund(side, by)
}

function requireNode(context: SwapContext, chain: Side['side']['chain'], { signal }: With) {
  const node = nodeOf(context, chain, signal)
  if (node === null) throw new NotPossibleError('no_node', chain.id, `name a node of ${chain.id}: only your own key can do this`)
  return node
}

/**
 * Moves what was paid to the user's own keys on a chain, as instant refunds are, to an address. Resolves to the hash; null: there is nothing that is worth its
 * fee. Keys of all swaps of this storage are looked at.
 */
export async function sweep(context: SwapContext, chainId: string, to: string, { signal }: With = {}): Promise<string | null> {
  const { chainNamed } = await import('../verify/pinned.ts')
  const { loadFamily } = await import('@tandem/families/browser.ts')
  const chain = chainNamed(chainId, context.options.registry)
  const { ownKeys } = await loadFamily(chain.family)
  if (ownKeys === undefined) throw new Error(`${chainId} has no keys of users: refunds go to the account that paid`)
  const node = requireNode(context, chain, signal === undefined ? {} : { signal })
  const swaps = (await listSwaps(context)).filter(
    (swap) => swap.ownKeys.includes('source') && swap.request.source.asset.startsWith(`${chainId}:`),
  )
  const keys = await Promise.all(swaps.map(({ index }) => context.keys.keyFor(index, 'source')))
  return ownKeys.sweep(chain, keys, to, node)
}
