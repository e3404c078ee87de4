/**
 * Where the contract pays the whole deposit back, the service pays the network fee of the refund. A user must not make it pay again and again: beyond a
 * budget per owner and app, a deposit is refunded after its timelock only.
 */
import { ChainFailure } from '../../chains/port/failure.ts'
import { clientFor } from '../../engine/facts.ts'
import { divideRoundingUp } from '../../protocol/amount.ts'
import { TandemError } from '../../protocol/error.ts'
import type { Order } from '../../protocol/order.ts'
import { payForRefund } from '../../store/orders/paid-refunds.ts'
import type { ServiceContext } from '../context.ts'

type BudgetContext = Pick<ServiceContext, 'db' | 'clients' | 'prices' | 'settings'>

/** Where fees are so low that a refund costs less, their number is still limited. */
const LEAST_USD_MICROS = 50_000n
/** If the fee or the price of the chain's coin is unknown. */
const UNKNOWN_USD_MICROS = 1_000_000n

/** Throws `rate_limited` once the budget is used up. A refund is paid for once, however often it is asked for. */
export async function reserveRefundFee(context: BudgetContext, order: Order): Promise<void> {
  const refusal = await payForRefund(context.db, order.id, await refundCost(context, order), context.settings.refundBudget)
  if (refusal === null) return
  const { whose, retryAfterSeconds } = refusal
  throw new TandemError(
    'rate_limited',
    `the network fees of instant refunds are paid up to a daily limit, which is used up for this ${whose}: the deposit is refunded after its timelock`,
    { retryAfterSeconds },
  )
}

/** In millionths of a dollar, rounded up. */
async function refundCost({ clients, prices }: BudgetContext, { source }: Order): Promise<bigint> {
  const { chain, legCost } = clientFor(clients, source.chain)
  const price = prices.find(chain.nativeAsset)
  if (price === null || legCost === undefined) return UNKNOWN_USD_MICROS
  try {
    const { refund, decimals } = await legCost(source.terms.asset)
    const usd = divideRoundingUp(refund * price, 10n ** BigInt(decimals) * 100n)
    return usd > LEAST_USD_MICROS ? usd : LEAST_USD_MICROS
  } catch (error) {
    if (!(error instanceof ChainFailure)) throw error
    return UNKNOWN_USD_MICROS
  }
}
