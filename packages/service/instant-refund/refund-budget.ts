/**
 * Where the contract pays the whole deposit back, the service pays the network fee of the refund. A budget per owner and app keeps a user
 * from making it pay again and again: beyond it, a deposit is only refunded after its timelock.
 */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { clientFor } from '@tandem/party/engine/facts.ts'
import { giveBackRefund, payForRefund, raiseRefundCost } from '@tandem/party/store/orders/paid-refunds.ts'
import { divideRoundingUp } from '@tandem/protocol/amount.ts'
import { max } from '@tandem/protocol/bigint.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Order, Swap } from '@tandem/protocol/order.ts'
import type { ServiceContext } from '../context.ts'

type FeeContext = Pick<ServiceContext, 'clients' | 'prices'>
type BudgetContext = FeeContext & Pick<ServiceContext, 'db' | 'settings'>

const MIN_USD_MICROS = 50_000n
/** If the fee or the price of the chain's coin is unknown, a refund is assumed to cost this much. */
const ASSUMED_USD_MICROS = 1_000_000n

/**
 * Throws `rate_limited` once the budget is used up. A refund is charged once, however often it is requested. If `sign` fails, nothing was
 * signed, and the charge of this call is returned.
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

/** This runs right before a signed refund is sent, because its cost may have risen since it was charged. The refund is sent in any case. */
export async function recordRefundCost(context: Omit<BudgetContext, 'settings'>, order: Order): Promise<void> {
  await raiseRefundCost(context.db, order.id, await refundCost(context, order))
}

/** The cost is in millionths of a dollar, rounded up. */
async function refundCost(context: FeeContext, { source }: Order): Promise<bigint> {
  return worstCost(context, source, async (refund, { instantRefund }) => (await instantRefund?.maxCost?.(source.terms)) ?? refund)
}

/**
 * The same for a return from a deposit address. It makes the account of the address and removes it, which is up to half as much again on EVM chains
 * (`bench/RESULTS.md`). It runs no code of the owner, so its cost depends on the asset alone.
 */
export function returnCost(context: FeeContext, { source }: Order): Promise<bigint> {
  return worstCost(context, source, async (refund) => divideRoundingUp(refund * 3n, 2n))
}

async function worstCost(
  { clients, prices }: FeeContext,
  source: Swap,
  worst: (refund: bigint, client: ChainClient) => Promise<bigint>,
): Promise<bigint> {
  const client = clientFor(clients, source.chain)
  const price = prices.find(client.chain.nativeAsset)
  if (price === null || client.legCost === undefined) return ASSUMED_USD_MICROS
  try {
    const { refund, decimals } = await client.legCost(source.terms.asset)
    return max(divideRoundingUp((await worst(refund, client)) * price, 10n ** BigInt(decimals) * 100n), MIN_USD_MICROS)
  } catch (error) {
    if (!(error instanceof ChainFailure)) throw error
    return ASSUMED_USD_MICROS
  }
}
