/** Offers to cosign the solver's redeem of a source once the user's redeem is final. A cosigned redeem is cheaper, and the user has nothing left to lose. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { SpendableDeposit } from '@tandem/chain-kit/port/spend.ts'
import type { Signer } from '@tandem/keys/key.ts'
import { createOrderKey } from '@tandem/keys/keyring.ts'
import { orderPurpose } from '@tandem/keys/purpose.ts'
import { proveFacts } from '@tandem/party/engine/evidence/evidence.ts'
import { clientFor, loadLiveFacts } from '@tandem/party/engine/facts.ts'
import { findOrder, type StoredOrder } from '@tandem/party/store/orders/orders.ts'
import { assertSealed } from '@tandem/party/store/orders/swap-seals.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { redeemable } from '@tandem/protocol/playbook.ts'
import type { OrderState } from '@tandem/protocol/state.ts'
import { type SyncContext, type SyncTask, solverOf } from '../solver-sync/solver-sync.ts'

type Ability = NonNullable<ChainClient['cosignedRedeem']>

/** A worker thread needs about 20 ms per order to sign. */
const MAX_BATCH = 20
/** A cosigned order is not offered again for this long. */
const OFFER_AGAIN_MS = 60_000
/** This is the first backoff after the solver drafted nothing for an order, because it may see the user's redeem as final a block later. */
const FIRST_BACKOFF_MS = 1_000
const MAX_REMEMBERED = 100_000

type Offered = { readonly againAtMs: number; readonly declined: number }
type Gathered = { readonly sinceMs: number; readonly states: Map<string, OrderState> }

type CosignOptions = {
  /** Redeems that become final within this time share a transaction, which costs less than one transaction each. */
  readonly gatherMs: number
  readonly nowMs?: () => number
}

/** Recent offers are only in memory, so a restart repeats an offer. */
export function createCosignTasks(
  context: SyncContext,
  { gatherMs, nowMs = Date.now }: CosignOptions,
): (states: readonly OrderState[]) => readonly SyncTask[] {
  const offered = new Map<string, Offered>()
  const gathered = new Map<string, Gathered>()

  function remember(orderId: string, isCosigned: boolean): void {
    if (offered.size >= MAX_REMEMBERED) offered.clear()
    const declined = isCosigned ? 0 : (offered.get(orderId)?.declined ?? 0) + 1
    const backoffMs = isCosigned ? OFFER_AGAIN_MS : Math.min(FIRST_BACKOFF_MS * 2 ** Math.min(declined - 1, 10), OFFER_AGAIN_MS)
    offered.set(orderId, { againAtMs: nowMs() + backoffMs, declined })
  }

  /** Returns false if the batch is full. */
  function gather(key: string, state: OrderState): boolean {
    const group = gathered.get(key) ?? { sinceMs: nowMs(), states: new Map() }
    gathered.set(key, group)
    if (group.states.size < MAX_BATCH || group.states.has(state.order.id)) group.states.set(state.order.id, state)
    return group.states.has(state.order.id)
  }

  const waitFor = (key: string, { order }: OrderState, dueAtMs: number): SyncTask => ({
    key,
    orderIds: [order.id],
    dueAtMs,
    run: async () => 'soon',
  })

  const taskOf = (key: string, { sinceMs, states }: Gathered): SyncTask => ({
    key,
    orderIds: [...states.keys()],
    dueAtMs: states.size < MAX_BATCH ? sinceMs + gatherMs : sinceMs,
    async run() {
      gathered.delete(key)
      const batch = [...states.values()]
      let cosigned: ReadonlySet<string> = new Set()
      try {
        cosigned = await offer(context, batch)
      } finally {
        for (const { order } of batch) remember(order.id, cosigned.has(order.id))
      }
      return 'done'
    },
  })

  return (states) => {
    const later: SyncTask[] = []
    const keys = new Set<string>()
    for (const state of states.filter((one) => mayCosign(context, one))) {
      const { id, solverId, source } = state.order
      const againAtMs = offered.get(id)?.againAtMs ?? 0
      const key = `cosign ${solverId} ${source.chain}`
      if (nowMs() < againAtMs) later.push(waitFor(key, state, againAtMs))
      else if (gather(key, state)) keys.add(key)
      else later.push(waitFor(key, state, nowMs() + gatherMs))
    }
    return [...[...gathered].filter(([key]) => keys.has(key)).map(([key, group]) => taskOf(key, group)), ...later]
  }
}

/** Returns true if the user's redeem is final, all agreed deposits exist and are unspent, and the service holds the user's key. */
function mayCosign({ clients }: SyncContext, { order, source, destination, isAgreed }: OrderState): boolean {
  if (order.source.clientKey || clientFor(clients, order.source.chain).cosignedRedeem === undefined) return false
  const isPaid = destination.counted.every((d) => d.spend?.kind === 'redeemed' && d.spend.isFinal)
  return isPaid && destination.counted.length > 0 && isAgreed && source.counted.length > 0 && source.counted.every((d) => d.spend === null)
}

type Item = {
  readonly orderId: string
  readonly terms: HtlcTerms
  readonly deposits: readonly SpendableDeposit[]
  readonly signer: Signer
}

async function offer(context: SyncContext, states: readonly OrderState[]): Promise<ReadonlySet<string>> {
  const [first] = states
  const items = (await Promise.all(states.map((state) => itemOf(context, state.order.id)))).filter((item) => item !== null)
  if (first === undefined || items.length === 0) return new Set()
  const ability = requireAbility(context, first.order.source.chain)
  const solver = solverOf(context, first.order.solverId)
  const session = await ability.cosign(items)
  const { draft } = await solver.cosign({
    items: items.map(({ orderId, deposits }, index) => ({
      order_id: orderId,
      deposits: deposits.map(({ id, amount }) => ({ id, amount: amount.toString() })),
      offer: session.offers[index] ?? '',
    })),
  })
  if (draft === null) return new Set()
  const { transaction, deposits: spentDeposits } = await session.finish(draft)
  const spent = new Set(spentDeposits)
  const orderIds = items.filter(({ deposits }) => deposits.some(({ id }) => spent.has(id))).map(({ orderId }) => orderId)
  await solver.completeCosigned({ order_ids: orderIds, transaction })
  return new Set(orderIds)
}

function requireAbility({ clients }: SyncContext, chain: ChainId): Ability {
  const { cosignedRedeem } = clientFor(clients, chain)
  if (cosignedRedeem === undefined) throw new Error(`redeems on ${chain} cannot be cosigned`)
  return cosignedRedeem
}

/** Returns false if somebody changed the rows of the order. The order's redeem is then not cosigned; the rest of the batch is. */
function isSealed({ vault, log }: SyncContext, stored: StoredOrder): boolean {
  try {
    assertSealed(vault, stored)
    return true
  } catch (error) {
    log.error({ order: stored.order.id, err: error }, 'a redeem of the solver is not cosigned')
    return false
  }
}

/** Returns null if the order may not be cosigned. The chains decide, not the rows, because cosigning gives the deposits to the solver. */
async function itemOf(context: SyncContext, orderId: string): Promise<Item | null> {
  const { db, vault } = context
  const stored = await findOrder(db, orderId)
  if (stored === null || !isSealed(context, stored)) return null
  const facts = await loadLiveFacts(context, stored, [])
  const { state, differences } = await proveFacts(context, facts, { legs: ['source', 'destination'], htlcsOf: [], finality: true })
  if (differences.length > 0) context.onDifferences?.({ order: orderId, action: 'cosigned redeem', differences })
  const key = await vault.get(db, orderId, 'source-key')
  if (key === null || !mayCosign(context, state)) return null
  const deposits = redeemable(state, 'source').map(({ id, amount }) => ({ id, amount }))
  const { chain, terms } = stored.order.source
  const purpose = orderPurpose(chain, { order: orderId, leg: 'source', verb: 'cosigned-redeem', terms })
  return { orderId, terms, deposits, signer: createOrderKey(clientFor(context.clients, chain), key).signerFor(purpose) }
}
