/** Offers the solver to sign redeems of sources together, once their users are paid for good: cheaper for it, and nothing is at stake any more. */
import type { ChainClient } from '../../chains/port/client.ts'
import type { SpendableDeposit } from '../../chains/port/spend.ts'
import { clientFor, loadLiveFacts } from '../../engine/facts.ts'
import type { Signer } from '../../keys/key.ts'
import { createSigner } from '../../keys/signer.ts'
import type { ChainId } from '../../protocol/chain.ts'
import type { HtlcTerms } from '../../protocol/htlc.ts'
import { redeemable } from '../../protocol/playbook.ts'
import { deriveOrder, type OrderState } from '../../protocol/state.ts'
import { findOrder } from '../../store/orders/orders.ts'
import { type Errand, type ErrandContext, solverOf } from './solver-sync.ts'

type Ability = NonNullable<ChainClient['batchRedeem']>

/** Signing takes about 20 ms for each, during which nobody else is served. */
const MAX_TOGETHER = 20
/** A solver that could not use an offer is not asked about the same order again for this long. */
const OFFER_AGAIN_MS = 60_000
const MAX_REMEMBERED = 100_000

/** Remembers what was offered lately; forgetting it costs a question. */
export function createCosignErrands(context: ErrandContext): (states: readonly OrderState[]) => readonly Errand[] {
  const offered = new Map<string, number>()

  return (states) => {
    const groups = new Map<string, OrderState[]>()
    for (const state of states) {
      const { id, solverId, source } = state.order
      if (Date.now() - (offered.get(id) ?? 0) < OFFER_AGAIN_MS || !mayCosign(context, state)) continue
      const key = `${solverId} ${source.chain}`
      groups.set(key, [...(groups.get(key) ?? []), state])
    }
    return [...groups].map(([key, group]) => ({
      key: `cosign ${key}`,
      async run() {
        const together = group.slice(0, MAX_TOGETHER)
        if (offered.size >= MAX_REMEMBERED) offered.clear()
        for (const { order } of together) offered.set(order.id, Date.now())
        await offer(context, together)
        return 'done'
      },
    }))
  }
}

/** The user has the destination for good, all that was agreed on is there, and the service holds the user's key. */
function mayCosign({ clients }: ErrandContext, { order, source, destination, isAgreed }: OrderState): boolean {
  if (order.source.clientKey || clientFor(clients, order.source.chain).batchRedeem === undefined) return false
  const isPaid = destination.counted.every((d) => d.spend?.kind === 'redeemed' && d.spend.isFinal)
  return isPaid && destination.counted.length > 0 && isAgreed && source.counted.length > 0 && source.counted.every((d) => d.spend === null)
}

type Item = {
  readonly orderId: string
  readonly terms: HtlcTerms
  readonly deposits: readonly SpendableDeposit[]
  readonly signer: Signer
}

async function offer(context: ErrandContext, states: readonly OrderState[]): Promise<void> {
  const [first] = states
  const items = (await Promise.all(states.map((state) => itemOf(context, state.order.id)))).filter((item) => item !== null)
  if (first === undefined || items.length === 0) return
  const ability = requireAbility(context, first.order.source.chain)
  const solver = solverOf(context, first.order.solverId)
  const session = ability.cosign(items)
  const { draft } = await solver.cosign({
    items: items.map(({ orderId, deposits }, index) => ({
      order_id: orderId,
      deposits: deposits.map(({ id, amount }) => ({ id, amount: amount.toString() })),
      nonces: [...(session.nonces[index] ?? [])],
    })),
  })
  if (draft === null) return
  const transaction = session.finish(draft)
  const spent = new Set(draft.inputs.map(({ deposit }) => deposit))
  const orderIds = items.filter(({ deposits }) => deposits.some(({ id }) => spent.has(id))).map(({ orderId }) => orderId)
  await solver.completeCosigned({ order_ids: orderIds, transaction })
}

function requireAbility({ clients }: ErrandContext, chain: ChainId): Ability {
  const { batchRedeem } = clientFor(clients, chain)
  if (batchRedeem === undefined) throw new Error(`redeems on ${chain} are not signed by two`)
  return batchRedeem
}

/** By the chains as they are at this moment: this gives the deposits away. */
async function itemOf(context: ErrandContext, orderId: string): Promise<Item | null> {
  const { db, vault } = context
  const stored = await findOrder(db, orderId)
  if (stored === null) return null
  const state = deriveOrder(await loadLiveFacts(context, stored, []))
  const key = await vault.get(db, orderId, 'source-key')
  if (key === null || !mayCosign(context, state)) return null
  const deposits = redeemable(state, 'source').map(({ id, amount }) => ({ id, amount }))
  return { orderId, terms: stored.order.source.terms, deposits, signer: createSigner(key) }
}
