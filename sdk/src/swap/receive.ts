/** The user's turn once the destination is funded: verify it again, see it on the chain, and redeem with the secret. */
import type { Hex32 } from '../../../src/protocol/secret.ts'
import { leastSeconds } from '../../../src/protocol/timelock.ts'
import type { OrderRecord } from '../../../src/protocol/wire/order.ts'
import { sleep } from '../client/sleep.ts'
import type { Node, SdkFamily, SwapSide } from '../families/family.ts'
import { loadFamily } from '../families/index.ts'
import { verifyThat } from '../verify/check.ts'
import { nodeOf, type SwapContext } from './context.ts'
import { intentOf, type SavedSwap } from './saved-swap.ts'
import { UnredeemedError } from './unredeemed-error.ts'

/** Resolves to the hash of the redeem; empty if the service did not tell it; null: it is not time yet. */
export async function receive(context: SwapContext, saved: SavedSwap, record: OrderRecord, signal?: AbortSignal): Promise<string | null> {
  const { verifyTerms } = await import('../verify/verify-order.ts')
  const intent = await intentOf(context, saved)
  const { destination: side } = verifyTerms(intent, { record, funding: { order_id: saved.orderId, to: '', amount: '' } })
  const family = await loadFamily(side.chain.family)
  await family.verifyDestination(side)
  const node = nodeOf(context, side.chain, signal)
  if (node === null || family.readLock === undefined)
    throw new Error(`name a node of ${side.chain.id}: the secret is revealed only for a lock that the SDK has seen`)
  const lock = await family.readLock(side, node)
  if (lock === null || lock.confirmations < record.destination_swap.required_confirmations) return null
  verifyTimeLeft(side, lock.unitsLeft)
  const secret = await context.keys.secretFor(saved.index)
  if (!saved.ownKeys.includes('destination')) return redeemByService(context, saved.orderId, { family, side, node, secret }, signal)
  if (family.ownKeys === undefined) throw new Error(`${side.chain.id} has no keys of users`)
  return family.ownKeys.redeem(side, await context.keys.keyFor(saved.index, 'destination'), secret, saved.payout, node)
}

type Redeem = { readonly family: SdkFamily; readonly side: SwapSide; readonly node: Node; readonly secret: Hex32 }

/**
 * The service's word that it has redeemed is not enough: with the secret the solver takes the source, and gets the destination back if nobody redeems it.
 * Whatever the service answers, the lock must be gone within the time of one claim; then another claim is still possible.
 */
async function redeemByService(
  { client, options }: SwapContext,
  orderId: string,
  { family, side, node, secret }: Redeem,
  signal?: AbortSignal,
): Promise<string> {
  const until = Date.now() + Number(side.chain.margins.claimSeconds) * 1000
  let tx: string | null = null
  let cause: unknown
  for (;;) {
    try {
      tx ??= await client.patchOrder(orderId, 'redeem', { secret }, signal === undefined ? {} : { signal })
    } catch (error) {
      signal?.throwIfAborted()
      cause = error
    }
    if (await isGone(family, side, node)) return tx ?? ''
    if (Date.now() >= until) throw new UnredeemedError(orderId, family.redeemCall?.(side, secret) ?? null, { cause })
    await sleep(options.pollMs ?? 2_000, signal)
  }
}

/** A node that does not answer has not shown that it is gone. */
async function isGone({ readLock }: SdkFamily, side: SwapSide, node: Node): Promise<boolean> {
  try {
    return (await readLock?.(side, node)) === null
  } catch {
    node.signal?.throwIfAborted()
    return false
  }
}

/** A secret that is shown too late pays the solver on both sides. */
function verifyTimeLeft({ chain }: SwapSide, unitsLeft: bigint): void {
  const { claimSeconds, feeSpikeSeconds } = chain.margins
  const seconds = leastSeconds(chain.clock, unitsLeft > 0n ? unitsLeft : 0n)
  verifyThat(
    seconds > claimSeconds + feeSpikeSeconds,
    'destination_swap.timelock',
    `more than ${claimSeconds + feeSpikeSeconds} seconds left`,
    `${seconds} seconds`,
  )
}
