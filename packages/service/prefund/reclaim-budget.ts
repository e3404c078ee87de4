/**
 * Anyone can send a little to a deposit address, and returning it costs the service a network fee. It pays that only for what is worth the
 * fee, and within the budget of instant refunds. Everybody else can return the money too, to the same initiator.
 */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { readAttempts } from '@tandem/party/store/actions/attempts.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { payForPayout, raiseRefundCost } from '@tandem/party/store/orders/paid-refunds.ts'
import { usdMicros } from '@tandem/protocol/amount.ts'
import { actionKey, type Order } from '@tandem/protocol/order.ts'
import type { ServiceContext } from '../context.ts'
import { returnCost } from '../instant-refund/refund-budget.ts'

const RETRY_MS = 3_600_000
const ALONE = 'the rescue page and the SDK return it without the service'

type Context = Pick<ServiceContext, 'db' | 'clients' | 'prices' | 'registry' | 'settings'>

/**
 * Pays for one more return than were sent. Rejects with `ChainFailure`, in words for the owner, if the service does not pay. It must not be asked for a
 * return that is sent: nothing else raises its fee, and all transactions of the relay key behind it would wait, payouts too.
 */
export async function payForReclaim(context: Context, order: Order, amount: bigint): Promise<void> {
  const { db, settings } = context
  const cost = await returnCost(context, order)
  if (!isWorth(context, order, amount, cost))
    throw refused('uneconomic', 'returning what is at the deposit address now costs more than it is worth')
  const total = cost * (1n + (await countSent(db, order)))
  if (!(await payForPayout(db, order.id, total, settings.refundBudget)))
    throw refused('would-fail', 'the service has paid as many network fees of refunds today as it does')
}

/** The fee of one that is sent may have risen since. It is charged in any case. */
export async function recordReclaimCost(context: Context, order: Order): Promise<void> {
  const sent = await countSent(context.db, order)
  if (sent > 0n) await raiseRefundCost(context.db, order.id, sent * (await returnCost(context, order)))
}

/** Returns true if `payForReclaim` would find the amount worth its fee. One reading of a fee serves all orders of an asset. */
export function createWorthCheck(context: Pick<Context, 'clients' | 'prices' | 'registry'>) {
  const costs = new Map<string, Promise<bigint>>()
  return async (order: Order, amount: bigint): Promise<boolean> => {
    const { asset } = order.source.terms
    const cost = costs.get(asset) ?? returnCost(context, order)
    costs.set(asset, cost)
    return isWorth(context, order, amount, await cost)
  }
}

/** What has no known worth is returned. */
function isWorth({ prices, registry }: Pick<Context, 'prices' | 'registry'>, { source }: Order, amount: bigint, cost: bigint): boolean {
  const { asset } = source.terms
  const price = prices.find(asset)
  // The asset may be listed without a contract by now; its money is returned all the same.
  const decimals = registry.assets.find(({ id }) => id === asset)?.decimals
  // Rounded down, so that the service does not pay more than it returns.
  return price === null || decimals === undefined || usdMicros(amount, decimals, price) >= cost
}

/** One that was sent again at a higher fee uses the same slots. */
async function countSent(db: Database, order: Order): Promise<bigint> {
  const attempts = await readAttempts(db, actionKey(order.id, 'source', 'reclaim'))
  return BigInt(new Set(attempts.map(({ slots, tx }) => (slots.length === 0 ? tx : slots.join()))).size)
}

function refused(kind: 'uneconomic' | 'would-fail', why: string): ChainFailure {
  const refusal = `${why}: ${ALONE}`
  return new ChainFailure(kind, refusal, { refusal, retryAfterMs: RETRY_MS })
}
