/** Signs which source deposits the solver pays for, and how much, once per order and by the solver's own view of the chains. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { Signer } from '@tandem/keys/key.ts'
import { orderPurpose } from '@tandem/keys/purpose.ts'
import { clientFor } from '@tandem/party/engine/facts.ts'
import { durably } from '@tandem/party/store/database/durably.ts'
import { recordDecline, recordOwnFill } from '@tandem/party/store/orders/fills.ts'
import type { StoredOrder } from '@tandem/party/store/orders/orders.ts'
import { isCommittedTo } from '@tandem/party/store/solver/commitments.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Fill } from '@tandem/protocol/fill.ts'
import { type Judgement, judgeFill, withFill } from '@tandem/protocol/fill-rules.ts'
import type { OrderFacts } from '@tandem/protocol/state.ts'
import type { SolverFill, SolverFillRequest } from '@tandem/protocol/wire/solver.ts'
import type { Caller } from '../authenticate.ts'
import { decideOnDeposit } from '../instant-refund/decide.ts'
import { type OrderContext, requireOwnOrder } from '../orders.ts'
import { judgePrice, type PriceJudgement } from '../pricing/price-check.ts'
import { orNotSigned, readProven } from '../read-live-facts.ts'

export async function signFill(context: OrderContext, orderId: string, request: SolverFillRequest, caller: Caller): Promise<SolverFill> {
  const { db, clients, solverId } = context
  const stored = await requireOwnOrder(context, orderId, caller)
  const { source } = stored.order
  const { partialDeposits } = clientFor(clients, source.chain)
  if (partialDeposits === undefined) return { solver_id: solverId, signature: null, ...(await decideOnDeposit(context, stored)) }
  const fill: Fill = {
    deposits: request.deposits,
    blockHash: request.block_hash,
    destinationAmount: BigInt(request.destination_amount),
  }
  const signed = (signature: string): SolverFill => ({ solver_id: solverId, answer: 'signed', signature, reason: null })
  const refused = (answer: 'wait' | 'declined', reason: string): SolverFill => ({ solver_id: solverId, answer, signature: null, reason })

  // The block hash is not compared: a reorg may have moved the deposits to another block.
  if (stored.fill !== null) {
    if (!isSame(stored.fill, fill)) return refused('declined', 'the solver signed for other deposits')
    // By now the solver may have a reason not to pay, such as the price.
    const decision = await decideOnDeposit(context, stored)
    if (decision.answer === 'declined') return { solver_id: solverId, signature: null, ...decision }
    return signed(await orNotSigned(partialDeposits.signFill(source.terms, orderId, fill, fillSigner(context, stored))))
  }
  if (stored.declined !== null) return refused('declined', stored.declined)
  const judgement = await judge(context, stored, fill)
  if (judgement.kind === 'reject') throw new TandemError('bad_request', judgement.why)
  if (judgement.kind === 'wait') return refused('wait', judgement.why)
  if (judgement.kind === 'decline') {
    // The decline is final, so that the order stops reserving inventory.
    await recordDecline(db, orderId, judgement.why)
    return refused('declined', judgement.why)
  }
  const recorded = await record(context, stored, fill)
  if (recorded === 'short') return refused('wait', `too little of ${stored.order.destination.terms.asset} is available`)
  if (recorded === 'refund signed') return refused('declined', 'an instant refund is signed already')
  if (recorded === 'raced') return signFill(context, orderId, request, caller)
  context.wake()
  return signed(recorded.signature)
}

/**
 * Judges a fill by what the chain shows. If recent polls do not support a signature, the chains are read again: a refusal is final, and a
 * missing deposit may just not have been polled yet, while the service would ask again only a quarter of a second later.
 */
async function judge(context: OrderContext, stored: StoredOrder, fill: Fill): Promise<Judgement> {
  const { registry } = context
  const { minAmount, maxAmount } = registry.asset(stored.order.destination.terms.asset)
  const judgeBy = (facts: OrderFacts): Judgement => {
    const price = priceOf(context, stored, fill, facts)
    const isUnknown = price.kind === 'no price' && !price.isOver
    const maxNow = price.kind === 'limit' ? price.maxAmount : isUnknown ? null : 0n
    const judgement = judgeFill(facts, fill, { minAmount, maxAmount, maxNow })
    return judgement.kind === 'sign' && isUnknown ? { kind: 'wait', why: 'there is no price at the moment' } : judgement
  }
  const prove = async (how = {}) =>
    (await readProven(context, stored, { signing: 'fill', legs: ['source'], htlcsOf: [], deposits: fill.deposits }, how)).facts
  const judgement = judgeBy(await prove())
  return judgement.kind === 'sign' ? judgement : judgeBy(await prove({ acceptedAgeMs: 0 }))
}

/** Inventory is reserved for the order before anything is signed. */
async function record(
  context: OrderContext,
  stored: StoredOrder,
  fill: Fill,
): Promise<'short' | 'refund signed' | 'raced' | { readonly signature: string }> {
  const { db, clients, inventory, guard } = context
  const { id, source, destination } = stored.order
  if (guard.hasSignedRefund(id, fill.deposits)) return 'refund signed'
  if ((await inventory.reserve({ orderId: id, asset: destination.terms.asset, amount: fill.destinationAmount })) !== null) return 'short'
  const { partialDeposits } = clientFor(clients, source.chain)
  if (partialDeposits === undefined) throw new Error(`${source.chain} does not support partial deposits`)
  const signature = await orNotSigned(partialDeposits.signFill(source.terms, id, fill, fillSigner(context, stored)))
  return durably(db, async (tx) => {
    // If a refund is signed concurrently after this check, its commitment still prevents the payment.
    if (await isCommittedTo(tx, id, 'refund_signed')) return 'refund signed'
    const filled = destinationOf(clientFor(clients, destination.chain), stored, fill)
    return (await recordOwnFill(tx, id, fill, filled, signature)) ? { signature } : 'raced'
  })
}

function fillSigner({ keys, clients }: OrderContext, { order }: StoredOrder): Signer {
  const { chain, terms } = order.source
  return keys.of(clientFor(clients, chain)).signerFor(orderPurpose(chain, { order: order.id, leg: 'source', verb: 'fill', terms }))
}

function destinationOf(client: ChainClient, { order }: StoredOrder, fill: Fill) {
  const { terms } = withFill(order, fill).destination
  return { amount: terms.amount, swapId: client.swapId(terms) }
}

/** The solver's own price limit, applied also to deposits in time: after the signature it has to pay. */
function priceOf(context: OrderContext, stored: StoredOrder, fill: Fill, { events }: OrderFacts): PriceJudgement {
  const mined = events.source.filter(({ deposit, block }) => fill.deposits.includes(deposit) && block !== null)
  const minedAt = mined.map(({ block }) => block?.time ?? 0n)
  return judgePrice(context, stored, minedAt, fill.destinationAmount)
}

function isSame(known: Fill, asked: Fill): boolean {
  return known.destinationAmount === asked.destinationAmount && known.deposits.join() === asked.deposits.join()
}
