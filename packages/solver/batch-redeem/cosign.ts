/** Handles redeems that the service cosigns once the users' redeems are final: many sources in one transaction, without secrets. */

import type { RedeemItem } from '@tandem/chain-kit/port/abilities/spending.ts'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Key } from '@tandem/keys/key.ts'
import type { OrderAction } from '@tandem/keys/purpose.ts'
import { clientFor, loadFacts } from '@tandem/party/engine/facts.ts'
import type { Limit } from '@tandem/party/engine/signing-limit.ts'
import { readAttempts } from '@tandem/party/store/actions/attempts.ts'
import { keepCosigned } from '@tandem/party/store/actions/batches.ts'
import type { StoredOrder } from '@tandem/party/store/orders/orders.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { actionKey } from '@tandem/protocol/order.ts'
import { redeemable } from '@tandem/protocol/playbook.ts'
import { isSecretFor } from '@tandem/protocol/secret.ts'
import { deriveOrder } from '@tandem/protocol/state.ts'
import type { SolverCosign, SolverCosigned, SolverCosignRequest } from '@tandem/protocol/wire/solver.ts'
import type { Caller } from '../authenticate.ts'
import { type OrderContext, requireOwnOrder } from '../orders.ts'

type Ability = NonNullable<ChainClient['cosignedRedeem']>

/** A service is not trusted. This limit costs about half of a CPU core. Without drafts the solver redeems by script path. */
const MAX_PER_MINUTE = 3_000
const draftLimit = ({ service }: Caller): Limit => ({
  name: `cosigned redeems of ${service}`,
  perMinute: MAX_PER_MINUTE,
  what: `more than ${MAX_PER_MINUTE} deposits of cosigned redeems in a minute`,
})
/** Verifying a transaction is as expensive as drafting it. */
const completeLimit = ({ service }: Caller): Limit => ({
  name: `completed cosigned redeems of ${service}`,
  perMinute: MAX_PER_MINUTE,
  what: `more than ${MAX_PER_MINUTE} orders of completed cosigned redeems in a minute`,
})

/** Drafts the solver's part. Stores nothing: `takeCosigned` verifies the completed transaction from scratch. */
export async function draftCosigned(context: OrderContext, request: SolverCosignRequest, caller: Caller): Promise<SolverCosign> {
  const { db, solverId } = context
  await context.signingLimit.count(
    draftLimit(caller),
    request.items.reduce((sum, { deposits }) => sum + deposits.length, 0),
  )
  const orders = await Promise.all(request.items.map(({ order_id: id }) => requireOwnOrder(context, id, caller)))
  const { ability, key, chain } = requireAbility(context, orders)
  const items: (RedeemItem & { readonly offer: string })[] = []
  const actions: OrderAction[] = []
  for (const [index, stored] of orders.entries()) {
    const offered = request.items[index]
    if (offered === undefined || (await readAttempts(db, actionKey(stored.order.id, 'source', 'redeem'))).length > 0) continue
    const item = await itemOf(context, stored)
    const isSame =
      item !== null &&
      item.deposits.length === offered.deposits.length &&
      item.deposits.every(
        ({ id, amount }, place) => offered.deposits[place]?.id === id && offered.deposits[place]?.amount === amount.toString(),
      )
    if (!isSame || !(await ability.isOffer(offered.offer, item.deposits.length))) continue
    items.push({ ...item, offer: offered.offer })
    actions.push({ order: stored.order.id, leg: 'source', verb: 'cosigned-redeem', terms: item.terms })
  }
  const [first, ...more] = actions
  if (first === undefined) return { solver_id: solverId, draft: null }
  try {
    const signer = key.signerFor({ kind: 'order', chain, actions: [first, ...more] })
    return { solver_id: solverId, draft: await ability.draft(items, signer) }
  } catch (error) {
    if (!(error instanceof ChainFailure)) throw error
    throw new TandemError('chain_unavailable', 'the solver cannot prepare a redeem at the moment; try again', { cause: error })
  }
}

/** Takes a completed transaction if it pays the solver. If it is not mined, the engine replaces it by an ordinary redeem. */
export async function takeCosigned(context: OrderContext, { order_ids: ids, transaction }: SolverCosigned, caller: Caller): Promise<void> {
  await context.signingLimit.count(completeLimit(caller), ids.length)
  const orders = await Promise.all(ids.map((id) => requireOwnOrder(context, id, caller)))
  const { ability, key } = requireAbility(context, orders)
  const items = await Promise.all(orders.map((stored) => itemOf(context, stored)))
  const known = items.filter((item) => item !== null)
  if (known.length !== orders.length) throw new TandemError('conflict', 'not all of these orders can be redeemed now')
  await ability.verify(transaction, known, key)
  await keepCosigned(context.db, ids, transaction)
  context.wake()
}

function requireAbility(
  { clients, keys }: OrderContext,
  orders: readonly StoredOrder[],
): { readonly ability: Ability; readonly key: Key; readonly chain: ChainId } {
  const chains = new Set(orders.map(({ order }) => order.source.chain))
  const [chain] = chains
  if (chain === undefined || chains.size > 1) throw new TandemError('bad_request', 'the sources are not all on the same chain')
  const client = clientFor(clients, chain)
  const { cosignedRedeem } = client
  if (cosignedRedeem === undefined) throw new TandemError('bad_request', `redeems on ${chain} cannot be cosigned`)
  return { ability: cosignedRedeem, key: keys.of(client), chain }
}

/** Returns null if the source cannot be redeemed: the secret is unknown, or all deposits are spent. */
async function itemOf({ db, registry, now }: OrderContext, stored: StoredOrder): Promise<RedeemItem | null> {
  const [facts] = await loadFacts(db, registry, [stored], now())
  if (facts === undefined) return null
  const state = deriveOrder(facts)
  const { terms } = stored.order.source
  const deposits = redeemable(state, 'source').map(({ id, amount }) => ({ id, amount }))
  if (state.secret === null || !isSecretFor(state.secret, terms.secretHash) || deposits.length === 0) return null
  return { terms, deposits, secret: state.secret }
}
