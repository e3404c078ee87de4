/**
 * Anyone can send a little to a deposit address, and returning it costs the service a network fee. It pays that only for what is worth the
 * fee, and within the budget of instant refunds. Everybody else can return the money too, to the same initiator.
 */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { readAttempts } from '@tandem/party/store/actions/attempts.ts'
import { payForPayout, raiseRefundCost } from '@tandem/party/store/orders/paid-refunds.ts'
import { usdMicros } from '@tandem/protocol/amount.ts'
import { actionKey, type Order } from '@tandem/protocol/order.ts'
import type { ServiceContext } from '../context.ts'
import { refundCost } from '../instant-refund/refund-budget.ts'

const RETRY_MS = 3_600_000
const ALONE = 'the rescue page and the SDK return it without the service'

type Context = Pick<ServiceContext, 'db' | 'clients' | 'prices' | 'registry' | 'settings'>

/**
 * Rejects with `ChainFailure`, in words for the owner, if the service does not pay. Once a return was sent, it never rejects: nothing else raises
 * its fee, and all transactions of the relay key behind it would wait, payouts too. The few that one order may have are all charged.
 */
export async function payForReclaim(context: Context, order: Order, amount: bigint): Promise<void> {
  const { db, prices, registry, settings } = context
  const { asset } = order.source.terms
  const cost = await refundCost(context, order)
  const sent = await readAttempts(db, actionKey(order.id, 'source', 'reclaim'))
  if (sent.length > 0) return raiseRefundCost(db, order.id, cost * BigInt(sent.length))
  const price = prices.find(asset)
  // The asset may be listed without a contract by now; its money is returned all the same.
  const decimals = registry.assets.find(({ id }) => id === asset)?.decimals
  // Rounded down, so that the service does not pay more than it returns.
  const worth = price === null || decimals === undefined ? null : usdMicros(amount, decimals, price)
  if (worth !== null && worth < cost)
    throw refused('uneconomic', 'returning what is at the deposit address now costs more than it is worth')
  if (!(await payForPayout(db, order.id, cost, settings.refundBudget)))
    throw refused('would-fail', 'the service has paid as many network fees of refunds today as it does')
}

function refused(kind: 'uneconomic' | 'would-fail', why: string): ChainFailure {
  const refusal = `${why}: ${ALONE}`
  return new ChainFailure(kind, refusal, { refusal, retryAfterMs: RETRY_MS })
}
