/** What a transaction may cost in network fees, by its data. */
import type { MarkReader, SigningFacts } from '@tandem/chain-kit/port/signing-facts.ts'
import type { PriceFeed } from '@tandem/party/prices/feed.ts'
import { usdMicros } from '@tandem/protocol/amount.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { FeeEntry } from '../journal/entries.ts'
import { readClaim } from '../journal/fee-budgets.ts'
import type { History } from '../journal/history.ts'
import type { AskedQuestion } from '../wire/question.ts'
import { Refusal, type Request } from './request.ts'

export type CostContext = {
  readonly facts: ReadonlyMap<ChainId, SigningFacts>
  readonly markReaders: ReadonlyMap<ChainId, MarkReader>
  readonly prices: Pick<PriceFeed, 'find'>
  readonly history: Pick<History, 'contested'>
}

/** `verified` are claims that contradict earlier ones, and are true by the nodes. */
export type Cost = Pick<Request, 'fee' | 'transaction'> & { readonly verified: ReadonlySet<string> }

const COLLECTING: ReadonlySet<string> = new Set(['redeem', 'refund', 'cosigned-redeem'])

export async function readCost(context: CostContext, chain: Chain, { name, args, signers }: AskedQuestion): Promise<Cost> {
  const facts = context.facts.get(chain.id)
  if (facts === undefined) throw new Refusal(`the fees of ${chain.id} are not known`)
  const worst = facts.worstFee(name, args)
  const transaction = facts.transactionId?.(name, args) ?? null
  if (worst === null) return { fee: null, transaction, verified: new Set() }
  if (worst < 0n) throw new Refusal(`its fee would be ${worst}`)
  const isCollecting = signers.every(({ purpose }) => purpose.kind === 'order' && purpose.actions.every(({ verb }) => COLLECTING.has(verb)))
  const claims = facts.claims?.(name, args) ?? []
  const verified = await verify(context, chain.id, claims)
  const fee: FeeEntry = {
    budget: isCollecting ? 'collect' : 'pay',
    worth: worthOf(context, chain, { amount: worst, decimals: facts.feeDecimals, isCollecting }).toString(),
    marks: [...facts.marks(name, args)],
    claims: [...claims],
  }
  return { fee, transaction, verified }
}

type Amount = { readonly amount: bigint; readonly decimals: number; readonly isCollecting: boolean }

/** Without a price nothing is paid, and what is ours is collected. */
function worthOf({ prices }: CostContext, chain: Chain, { amount, decimals, isCollecting }: Amount): bigint {
  const price = prices.find(chain.nativeAsset)
  if (price !== null) return usdMicros(amount, decimals, price)
  if (isCollecting) return 0n
  throw new Refusal(
    `the signer has no price of ${chain.nativeAsset}, which pays the fees of ${chain.id}: limits_usd.fees_per_hour cannot be kept`,
  )
}

/**
 * A coin has one amount. With signatures over two of them a fee would be larger than each question says. Only what contradicts an earlier question is asked of the
 * nodes, so a thief cannot make a coin unusable by a false amount.
 */
async function verify({ history, markReaders }: CostContext, chain: ChainId, claims: readonly string[]): Promise<ReadonlySet<string>> {
  const contested = history.contested(claims)
  for (const claim of contested) {
    const { mark, amount } = readClaim(claim)
    const known = await markReaders.get(chain)?.amountOf?.(mark)
    if (known?.toString() !== amount) throw contradicts(claim)
  }
  return new Set(contested)
}

export function contradicts(claim: string): Refusal {
  const { mark, amount } = readClaim(claim)
  return new Refusal(`${mark} is said to have ${amount}, and was said to have another amount`)
}
