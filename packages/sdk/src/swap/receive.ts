/** Once the destination is funded, verifies it again, sees it on the chain, and redeems it with the secret. */

import type { KeyLock, KeySpend, Lock, Node, Settled, SwapSide } from '@tandem/chain-kit/browser/family.ts'
import { NodeError } from '@tandem/chain-kit/browser/node-error.ts'
import { NotPossibleError } from '@tandem/chain-kit/browser/refusals.ts'
import { sleep } from '@tandem/chain-kit/browser/sleep.ts'
import { VerificationError } from '@tandem/chain-kit/browser/verification-error.ts'
import type { Wallet } from '@tandem/chain-kit/browser/wallet.ts'
import type { Hex32 } from '@tandem/protocol/secret.ts'
import type { OrderRecord } from '@tandem/protocol/wire/order.ts'
import { nodeOf, type SwapContext } from './context.ts'
import { UnpaidError, UnredeemedError } from './errors.ts'
import { findSwap, loadSwap, type SavedSwap, saveSwap, withMinAmount } from './saved-swap.ts'
import { destinationOf, ownKeysOf, recordOf, type Side } from './side.ts'
import { verifyTimeLeft } from './time-left.ts'

/** `tx` is the redeem, or empty where it is not known. `isSeen` is false where the user's own node has forgotten how the lock ended. */
export type Receipt = { readonly tx: string; readonly isSeen: boolean }

/** The result is null if it is too early. */
export async function receive(context: SwapContext, saved: SavedSwap, record: OrderRecord, signal?: AbortSignal): Promise<Receipt | null> {
  const found = await lockedFor(context, saved, record, signal)
  if (found === null) return receivedAlready(context, saved, record, signal)
  if (found.deposit !== null) return { tx: await redeemByKey(context, saved, { ...found, deposit: found.deposit }), isSeen: true }
  return redeemByService(context, saved, { ...found, secret: await reveal(context, saved, null) }, signal)
}

/** Without an open lock it was redeemed, by this page or another one, or it is not made yet. */
async function receivedAlready(context: SwapContext, saved: SavedSwap, record: OrderRecord, signal?: AbortSignal): Promise<Receipt | null> {
  if (saved.ownKeys.includes('destination') && (await isSent(context, saved, record, signal))) return { tx: '', isSeen: true }
  const shown = await shownAs(context, saved, record, signal)
  if (shown === 'refunded') throw new UnpaidError(saved.orderId, record.destination_swap.chain, shown)
  const isForgotten = shown === 'unknown' && saved.secretSentAt !== undefined
  return shown === 'redeemed' || isForgotten ? { tx: record.destination_swap.redeem_tx_hash, isSeen: !isForgotten } : null
}

/** How the destination ended, as the user's own node shows it. */
export async function shownAs(context: SwapContext, saved: SavedSwap, record: OrderRecord, signal?: AbortSignal): Promise<Settled> {
  const destination = await destinationOf(context, saved, record)
  return settledAs(destination, requireNode(context, destination, signal))
}

export type RedeemOptions = {
  /** A wallet of the destination chain. It may be anybody's: it only pays the fee. The user's own key needs none. */
  readonly wallet?: Wallet
  /** The least that the user agreed to get. A restored swap needs it. */
  readonly minToAmount?: bigint
  readonly signal?: AbortSignal
}

/** Redeems like `receive`, without a word of the service. Resolves to the hash. */
export async function redeem(context: SwapContext, orderId: string, { wallet, minToAmount, signal }: RedeemOptions = {}): Promise<string> {
  const saved = withMinAmount(await loadSwap(context, orderId), minToAmount)
  if (saved.secretHash === null) throw new Error(`the service has the secret of order ${orderId}: only it can redeem`)
  const record = await recordOf(context, saved, signal)
  const found = await lockedFor(context, saved, record, signal)
  if (found === null)
    throw new NotPossibleError(
      'nothing_there',
      record.destination_swap.chain,
      `the node shows no open lock of order ${orderId} with enough confirmations: it is not made yet, or was paid out`,
    )
  const { side, family, node, deposit } = found
  if (deposit !== null) return redeemByKey(context, saved, { ...found, deposit })
  if (wallet === undefined || family.redeem === undefined || !wallet.families.includes(side.chain.family))
    throw new NotPossibleError('wrong_wallet', side.chain.id, `name a wallet of ${side.chain.id}: it sends the transaction that pays you`)
  await family.verifyWallet?.(side, { wallet, node }, 'settle')
  const tx = await family.redeem(side, await reveal(context, saved, null), { wallet, node })
  await rememberSent(context, orderId, 'anew')
  return tx
}

type KeyLocked = Locked & { readonly deposit: string }

async function redeemByKey(context: SwapContext, saved: SavedSwap, found: KeyLocked, bump = false): Promise<string> {
  const { side, node, deposit } = found
  const by = { ...(await payoutBy(context, saved, node)), bump }
  const tx = await ownKeysOf(found).redeem(side, await reveal(context, saved, deposit), deposit, by)
  await rememberSent(context, saved.orderId)
  return tx
}

/** Raises the fee of a redeem with the user's own key. Whether there is time for it matters only while the secret may still be unknown. */
export async function speedUpRedeem(context: SwapContext, saved: SavedSwap, record: OrderRecord, signal?: AbortSignal): Promise<string> {
  const found = (await sentFor(context, saved, record, signal)) ?? (await lockedFor(context, saved, record, signal))
  if (found === null || found.deposit === null)
    throw new NotPossibleError(
      'nothing_there',
      record.destination_swap.chain,
      `the node shows no open lock of order ${saved.orderId} for the user's own key: it was paid out, or there is none`,
    )
  return redeemByKey(context, saved, { ...found, deposit: found.deposit }, true)
}

/** Blocks come rarely, so the user's own node is polled less often than the service. */
const POLL_FACTOR = 5

/**
 * Raises the fee of a redeem with the user's own key until the user's own node shows it in a block: one that no miner takes is worth nothing after the timelock.
 * Failures are repeated. Throws `UnpaidError` if the solver's refund is in a block instead.
 */
export async function keepRedeeming(context: SwapContext, saved: SavedSwap, record: OrderRecord, signal: AbortSignal): Promise<void> {
  const pollMs = POLL_FACTOR * (context.options.pollMs ?? 2_000)
  const known = await loadSwap(context, saved.orderId)
  // Another storage has redeemed it, and the redeem is in a block.
  if (known.revealedFor === undefined) return
  let found: KeyLocked | null = null
  for (let bumpAt = 0; ; await sleep(pollMs, signal)) {
    found ??= await sentFor(context, known, record, signal).catch(() => null)
    if (found === null) continue
    const { side, node, deposit } = found
    if (bumpAt === 0) bumpAt = Date.now() + Number(side.chain.feeBumpSeconds) * 1000
    const spend = await ownKeysOf(found)
      .spendOf(side, deposit, node)
      .catch(() => null)
    if (spend === 'redeemed') return
    if (spend === 'refunded') throw new UnpaidError(saved.orderId, side.chain.id, spend)
    if (spend !== 'none' && Date.now() < bumpAt) continue
    await redeemByKey(context, known, found, true).catch(() => undefined)
    bumpAt = Date.now() + Number(side.chain.feeBumpSeconds) * 1000
  }
}

/** The result says whether a redeem with the user's own key was sent, even if the node did not answer. */
export async function isSent(context: SwapContext, { orderId }: SavedSwap, record: OrderRecord, signal?: AbortSignal): Promise<boolean> {
  const saved = await findSwap(context, orderId)
  if (saved === null || (await sentFor(context, saved, record, signal)) === null) return false
  await rememberSent(context, orderId)
  return true
}

/** `deposit` is null where the user's own key does not take part. */
type Locked = Side & { readonly node: Node; readonly deposit: string | null }

/**
 * The deposit whose redeem was sent: nodes do not list it until that is in a block. The result is null if the secret may still be unknown.
 */
async function sentFor(context: SwapContext, saved: SavedSwap, record: OrderRecord, signal?: AbortSignal): Promise<KeyLocked | null> {
  const { secretSentAt, revealedFor: deposit } = saved
  if (deposit === undefined) return null
  const destination = await destinationOf(context, saved, record)
  const node = requireNode(context, destination, signal)
  if (secretSentAt === undefined && (await ownKeysOf(destination).spendOf(destination.side, deposit, node)) === 'none') return null
  return { ...destination, node, deposit }
}

/** The result is null if the chain shows no open lock with enough confirmations. */
async function lockedFor(context: SwapContext, saved: SavedSwap, record: OrderRecord, signal?: AbortSignal): Promise<Locked | null> {
  const destination = await destinationOf(context, saved, record)
  const { side, family } = destination
  const node = requireNode(context, destination, signal)
  const isOwn = saved.ownKeys.includes('destination')
  // The owner of the other key would be paid.
  if (family.ownKeys !== undefined && !isOwn) throw new Error(`order ${saved.orderId} does not pay your key: nothing is revealed`)
  const reading: Promise<Lock | KeyLock | null> = isOwn ? ownKeysOf(destination).readLock(side, node) : family.readLock(side, node)
  const lock = await reading.catch((error: unknown) => {
    throw nodeErrorOf(error, side, signal)
  })
  if (lock === null || lock.confirmations < record.destination_swap.required_confirmations) return null
  if (saved.secretSentAt === undefined) verifyTimeLeft(side.chain, lock.unitsLeft)
  return { side, family, node, deposit: 'deposit' in lock ? lock.deposit : null }
}

function requireNode(context: SwapContext, { side }: Side, signal?: AbortSignal): Node {
  const node = nodeOf(context, side.chain, signal)
  if (node === null) throw new Error(`name a node of ${side.chain.id}: the secret is revealed only for a lock that the SDK has seen`)
  return node
}

/** It is saved before the secret is shown: a page that is reloaded now must redeem, and never pay again. */
async function reveal(context: SwapContext, saved: SavedSwap, deposit: string | null): Promise<Hex32> {
  const { minDestinationAmount, orderId } = saved
  const current = (await findSwap(context, orderId)) ?? saved
  if (current.phase !== 'revealed' || (deposit !== null && current.revealedFor !== deposit))
    await saveSwap(context, { ...current, minDestinationAmount, phase: 'revealed', ...(deposit !== null && { revealedFor: deposit }) })
  return context.keys.secretFor(saved.index)
}

/** Resolves to when the secret was sent first, or last if `anew`: a redeem by the user's wallet has the time of a claim too. */
async function rememberSent(context: SwapContext, orderId: string, when: 'first' | 'anew' = 'first'): Promise<number> {
  const current = await findSwap(context, orderId)
  const secretSentAt = when === 'anew' ? Date.now() : (current?.secretSentAt ?? Date.now())
  if (current !== null && current.secretSentAt !== secretSentAt) await saveSwap(context, { ...current, secretSentAt })
  return secretSentAt
}

async function payoutBy({ keys }: SwapContext, { index, payout }: SavedSwap, node: Node): Promise<KeySpend> {
  return { privateKey: await keys.keyFor(index, 'destination'), to: payout, node }
}

type Redeem = Locked & { readonly secret: Hex32 }

/** Where a chain does not keep how a lock ended, one answer without the lock may be of a server that is behind. */
const MAX_UNKNOWN = 3
/** After a reload the service gets the secret once more, and this long to use it, even if the time of a claim is over. */
const GRACE_MS = 30_000

/**
 * The service's word that it has redeemed is not enough: with the secret the solver takes the source, and gets the destination back if nobody redeems it.
 * Whatever the service answers, the lock must be redeemed within the time of one claim after the secret was sent; then another claim is still possible.
 */
async function redeemByService(
  context: SwapContext,
  { orderId, orderToken }: SavedSwap,
  { secret, ...found }: Redeem,
  signal?: AbortSignal,
): Promise<Receipt> {
  const { client, options } = context
  const { family, side, node } = found
  const graceUntil = Date.now() + GRACE_MS
  // With the token the request does not count for the app, whose limit others may have used up.
  const body = { secret, ...(orderToken !== null && { order_token: orderToken }) }
  let tx: string | null = null
  let unknown = 0
  let cause: unknown
  for (;;) {
    try {
      tx ??= await client.patchOrder(orderId, 'redeem', body, signal === undefined ? {} : { signal })
    } catch (error) {
      signal?.throwIfAborted()
      cause = error
    }
    // The service may have the secret, whatever the answer was.
    const claimUntil = (await rememberSent(context, orderId)) + Number(side.chain.margins.claimSeconds) * 1000
    // Without an answer of the node it counts as not settled.
    const settled = await settledAs(found, node).catch(() => 'none' as const)
    signal?.throwIfAborted()
    if (settled === 'refunded') throw new UnpaidError(orderId, side.chain.id, settled)
    unknown = settled === 'unknown' ? unknown + 1 : 0
    if (settled === 'redeemed' || unknown >= MAX_UNKNOWN) return { tx: tx ?? '', isSeen: settled === 'redeemed' }
    if (Date.now() >= Math.max(claimUntil, graceUntil))
      throw new UnredeemedError(orderId, side.chain.id, family.redeemCall?.(side, secret) ?? null, { cause })
    await sleep(options.pollMs ?? 2_000, signal)
  }
}

/** A family that cannot tell how a lock ended can tell that it is open. */
async function settledAs({ family, side }: Side, node: Node): Promise<Settled> {
  try {
    if (family.settledAs !== undefined) return await family.settledAs(side, node)
    return (await family.readLock(side, node)) === null ? 'unknown' : 'none'
  } catch (error) {
    throw nodeErrorOf(error, side, node.signal)
  }
}

function nodeErrorOf(error: unknown, { chain }: SwapSide, signal: AbortSignal | undefined): Error {
  signal?.throwIfAborted()
  if (error instanceof VerificationError || error instanceof NodeError) return error
  return new NodeError(`the answer of the node of ${chain.id} is malformed`, { cause: error })
}
