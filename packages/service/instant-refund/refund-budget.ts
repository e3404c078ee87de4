/**
 * Where the contract pays the whole deposit back, the service pays the network fee of the refund. A user must not make it pay again and again: beyond a
 * budget per owner and app, a deposit is refunded after its timelock only.
 */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { clientFor } from '@tandem/party/engine/facts.ts'
import { giveBackRefund, payForRefund, raiseRefundCost } from '@tandem/party/store/orders/paid-refunds.ts'
import { divideRoundingUp } from '@tandem/protocol/amount.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Order } from '@tandem/protocol/order.ts'
import type { ServiceContext } from '../context.ts'

type BudgetContext = Pick<ServiceContext, 'db' | 'clients' | 'prices' | 'settings'>

/** Where fees are so low that a refund costs less, their number is still limited. */
const LEAST_USD_MICROS = 50_000n
/** If the fee or the price of the chain's coin is unknown. */
const UNKNOWN_USD_MICROS = 1_000_000n

/**
 * Throws `rate_limited` once the budget is used up. A refund is paid for once, however often it is asked for. If `sign` fails, nothing was signed: what this
 * call paid is given back.
 */
export async function withRefundFee<T>(context: BudgetContext, order: Order, sign: () => Promise<T>): Promise<T> {
  const payment = await payForRefund(context.db, order.id, await refundCost(context, order), context.settings.refundBudget)
  if (payment.kind === 'refused')
    throw new TandemError(
      'rate_limited',
      `the network fees of instant refunds are paid up to a daily limit, which is used up for this ${payment.whose}: the deposit is refunded after its timelock`,
      { retryAfterSeconds: payment.retryAfterSeconds },
    )
  try {
    return await sign()
  } catch (error) {
    if (payment.kind === 'paid') await giveBackRefund(context.db, order.id)
    throw error
  }
}

/** Right before a signed refund is sent: what it costs may have risen since it was paid for. It is sent in any case; the next one of the owner counts it. */
export async function noteRefundCost(context: Omit<BudgetContext, 'settings'>, order: Order): Promise<void> {
  await raiseRefundCost(context.db, order.id, await refundCost(context, order))
}

/** In millionths of a dollar, rounded up. */
async function refundCost({ clients, prices }: Omit<BudgetContext, 'settings'>, { source }: Order): Promise<bigint> {
  const { chain, legCost, instantRefund } = clientFor(clients, source.chain)
  const price = prices.find(chain.nativeAsset)
  if (price === null || legCost === undefined) return UNKNOWN_USD_MICROS
  try {
    const [{ refund, decimals }, most] = await Promise.all([legCost(source.terms.asset), instantRefund?.mostCost?.(source.terms)])
    const usd = divideRoundingUp((most ?? refund) * price, 10n ** BigInt(decimals) * 100n)
    return usd > LEAST_USD_MICROS ? usd : LEAST_USD_MICROS
  } catch (error) {
    if (!(error instanceof ChainFailure)) throw error
    return UNKNOWN_USD_MICROS
  }
}
