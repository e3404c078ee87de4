/** The user's turn once the destination is funded: verify it again, see it on the chain, and redeem with the secret. */
import { leastSeconds } from '../../../src/protocol/timelock.ts'
import type { OrderRecord } from '../../../src/protocol/wire/order.ts'
import { ConflictError } from '../client/errors.ts'
import type { SwapSide } from '../families/family.ts'
import { loadFamily } from '../families/index.ts'
import { verifyThat } from '../verify/check.ts'
import { nodeOf, type SwapContext } from './context.ts'
import { intentOf, type SavedSwap } from './saved-swap.ts'

/** `lock`: whether the SDK itself has seen the destination on its chain, or had no node to ask. */
export type Received = { readonly tx: string; readonly lock: 'seen' | 'told' }

/** Null: it is not time yet. */
export async function receive(context: SwapContext, saved: SavedSwap, record: OrderRecord, signal?: AbortSignal): Promise<Received | null> {
  const { verifyTerms } = await import('../verify/verify-order.ts')
  const intent = await intentOf(context, saved)
  const { destination: side } = verifyTerms(intent, { record, funding: { order_id: saved.orderId, to: '', amount: '' } })
  const family = await loadFamily(side.chain.family)
  await family.verifyDestination(side)
  const node = nodeOf(context, side.chain, signal)
  const lock = node === null || family.readLock === undefined ? undefined : await family.readLock(side, node)
  if (lock === null || (lock !== undefined && lock.confirmations < record.destination_swap.required_confirmations)) return null
  if (lock !== undefined) verifyTimeLeft(side, lock.unitsLeft)
  const secret = await context.keys.secretFor(saved.index)
  if (saved.ownKeys.includes('destination')) {
    if (node === null || family.ownKeys === undefined)
      throw new Error(`name a node of ${side.chain.id}: only your own key can redeem this order`)
    const key = await context.keys.keyFor(saved.index, 'destination')
    return { tx: await family.ownKeys.redeem(side, key, secret, saved.payout, node), lock: 'seen' }
  }
  try {
    const tx = await context.client.patchOrder(saved.orderId, 'redeem', { secret }, signal === undefined ? {} : { signal })
    return { tx, lock: lock === undefined ? 'told' : 'seen' }
  } catch (error) {
    // The service sees it too early, or too late: the next record says which.
    if (error instanceof ConflictError) return null
    throw error
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
