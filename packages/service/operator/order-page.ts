/** The operator's page of one order shows every event, attempt and decision, but no secret, key, signature or signed transaction. */
import { clientFor, factsOf } from '@tandem/party/engine/facts.ts'
import { type OrderHistory, readOrderHistory } from '@tandem/party/store/operator-view/order-history.ts'
import type { OrderSnapshot, StoredOrder } from '@tandem/party/store/orders/orders.ts'
import { formatUnits } from '@tandem/protocol/amount.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { explorerTxUrl } from '@tandem/protocol/explorer.ts'
import type { Leg } from '@tandem/protocol/order.ts'
import { whyNotReveal } from '@tandem/protocol/playbook.ts'
import { deriveOrder, type OrderState } from '@tandem/protocol/state.ts'
import { phaseMeanings } from '@tandem/protocol/swap-state.ts'
import { countsHeight } from '@tandem/protocol/timelock.ts'
import { exchangeOf, isAbout } from '@tandem/protocol/wire/amounts.ts'
import type { ActionRecord, HistoryRecord, LegRecord, OrderPageRecord } from '@tandem/protocol/wire/operator.ts'
import type { ServiceContext } from '../context.ts'
import { describeOrder, requireSnapshot } from '../orders/view.ts'
import { durationText, judgeRules, statusMeaning, timeOf, waitsFor, whyStuck } from './explain.ts'

export async function describeOrderPage(context: ServiceContext, orderId: string): Promise<OrderPageRecord> {
  const { db, registry } = context
  const snapshot = await requireSnapshot(context, orderId)
  const { stored, refusals } = snapshot
  const { order } = stored
  const history = await readOrderHistory(db, order.id)
  const now = context.now()
  const state = deriveOrder(factsOf(registry, snapshot, now))
  const chains = { source: registry.chain(order.source.chain), destination: registry.chain(order.destination.chain) }
  const changedAt = history.statuses.at(-1)?.at ?? stored.createdAt
  return {
    order_id: order.id,
    status: state.status,
    status_means: statusMeaning(state),
    app: stored.app ?? '',
    solver_id: order.solverId,
    created_at: stored.createdAt.toISOString(),
    deadline: timeOf(order.deadline),
    closed: stored.closed,
    waits_for: waitsFor(state, refusals),
    stuck: stored.closed
      ? null
      : whyStuck({ state, chains, actions: history.actions, since: BigInt(Math.floor(changedAt.getTime() / 1000)), now }),
    not_revealed_because: state.secret !== null || state.secretShown ? null : whyNotReveal(state),
    declined: stored.declined,
    facts: factsText(context, state, stored),
    exchange: describeExchange(context, snapshot),
    legs: { source: describeLeg(context, state, 'source'), destination: describeLeg(context, state, 'destination') },
    rules: judgeRules(state),
    actions: history.actions.map(describeAction),
    history: describeHistory(context, stored, history),
  }
}

function describeExchange(context: ServiceContext, snapshot: OrderSnapshot): OrderPageRecord['exchange'] {
  const { from, to } = exchangeOf(describeOrder(context, snapshot))
  const text = (asset: string, amount: bigint) => amountText(context.registry, asset, amount)
  return { from: text(from.asset, from.amount), to: `${isAbout(to) ? 'about ' : ''}${text(to.asset, to.amount)}` }
}

function factsText({ registry }: ServiceContext, state: OrderState, stored: StoredOrder): OrderPageRecord['facts'] {
  const yesNo = (value: boolean) => (value ? 'yes' : 'no')
  const secondsText = (seconds: bigint) => (seconds > 0n ? durationText(seconds) : 'none')
  return [
    { name: 'both chains make blocks', value: yesNo(state.chainsAlive) },
    { name: 'the source was funded in time', value: yesNo(state.fundedInTime) },
    { name: 'the solver agreed to these deposits', value: yesNo(state.isAgreed) },
    { name: 'time for the solver to pay', value: secondsText(state.gapSeconds) },
    { name: 'time to show the secret', value: secondsText(state.revealSecondsLeft) },
    { name: 'the secret', value: secretText(state, stored) },
    { name: 'grants of the user', value: state.grants.map(({ kind }) => kind).join(', ') || 'none' },
    ...(state.prefund > 0n
      ? [
          {
            name: state.order.source.depositAddress === null ? 'prefunded amount' : 'at the deposit address',
            value: amountText(registry, state.order.source.terms.asset, state.prefund),
          },
        ]
      : []),
  ]
}

function amountText({ assets }: ServiceContext['registry'], id: string, amount: bigint): string {
  const asset = assets.find((one) => one.id === id)
  return asset === undefined ? `${amount} of ${id}` : `${formatUnits(amount, asset.decimals)} ${asset.symbol}`
}

/** The text says where the secret is, never what it is. */
function secretText(state: OrderState, { clientSecret }: StoredOrder): string {
  if (state.secret !== null) return 'is public on a chain'
  if (state.secretShown) return 'was sent to a node'
  return clientSecret ? 'is kept by the client' : 'is kept by the service'
}

function describeLeg({ registry, clients }: ServiceContext, state: OrderState, leg: Leg): LegRecord {
  const swap = state.order[leg]
  const { symbol, decimals } = registry.assets.find(({ id }) => id === swap.terms.asset) ?? { symbol: '', decimals: 0 }
  const chain = registry.chain(swap.chain)
  const { phase, confirmations, deposits } = state[leg]
  const text = (amount: bigint) => `${formatUnits(amount, decimals)} ${symbol}`
  return {
    chain: swap.chain,
    asset: swap.terms.asset,
    amount: formatUnits(swap.terms.amount, decimals),
    symbol,
    phase,
    phase_means: phaseMeanings[phase],
    address: clients.has(swap.chain) ? clientFor(clients, swap.chain).swapId(swap.terms) : swap.swapId,
    owner: swap.userAddress ?? '',
    confirmations: Number(confirmations),
    required_confirmations: swap.requiredConfirmations,
    timelock: unitsText(chain, swap.terms.timelock),
    explorer_tx_url: explorerTxUrl(chain),
    deposits: deposits.map(({ tx, amount, confirmations: depth, unitsLeft, spend }) => ({
      tx,
      amount: text(amount),
      confirmations: Number(depth),
      left: unitsLeft === null ? null : unitsLeft > 0n ? unitsText(chain, unitsLeft) : 'expired',
      spent:
        spend === null
          ? null
          : { kind: spend.kind, tx: spend.tx, paid: spend.paid === null || spend.paid === 0n ? null : text(spend.paid) },
    })),
  }
}

/** Heights get the time that they take on average. The text is for people, never for safety. */
function unitsText({ clock, blockMs }: Chain, units: bigint): string {
  if (countsHeight(clock)) return `${units} ${clock.unit}, about ${durationText((units * blockMs) / 1000n)}`
  return durationText(clock.unit === 'milliseconds' ? units / 1000n : units)
}

function describeAction(action: OrderHistory['actions'][number]): ActionRecord {
  return {
    verb: action.verb,
    leg: action.leg,
    wanted: action.wanted,
    cancelling: action.cancelling,
    failures: action.failures,
    last_error: action.lastError,
    refusal: action.refusal,
    due_at: action.dueAt.toISOString(),
    running: action.isRunning,
    attempts: action.attempts.map(({ number, tx, sender, at, revertedAt, refusedAt }) => ({
      number,
      tx,
      sender,
      at: at.toISOString(),
      reverted_at: revertedAt?.toISOString() ?? null,
      refused_at: refusedAt?.toISOString() ?? null,
    })),
  }
}

function describeHistory(context: ServiceContext, { order, createdAt }: StoredOrder, history: OrderHistory): readonly HistoryRecord[] {
  const plain = { tx: null, leg: null }
  const withAmount = (leg: Leg, amount: bigint | null) =>
    amount === null ? '' : ` with ${amountText(context.registry, order[leg].terms.asset, amount)}`
  const records: HistoryRecord[] = [
    ...(history.statuses.some(({ status }) => status === 'created')
      ? []
      : [{ ...plain, at: createdAt.toISOString(), kind: 'status' as const, text: 'created' }]),
    ...history.statuses.map(({ status, at }) => ({ ...plain, at: at.toISOString(), kind: 'status' as const, text: status })),
    ...history.events.map(({ leg, kind, tx, amount, height, seenAt }) => ({
      at: seenAt.toISOString(),
      kind: 'chain' as const,
      text: `${leg} ${kind}${withAmount(leg, amount)}${height === null ? ', not in a block' : `, block ${height}`}`,
      tx,
      leg,
    })),
    ...history.grants.map(({ kind, leg, at }) => ({
      ...plain,
      at: at.toISOString(),
      kind: 'grant' as const,
      text: `the user granted: ${kind} ${leg}`,
    })),
    ...history.actions.flatMap(({ leg, verb, attempts }) =>
      attempts.map(({ number, tx, at, revertedAt, refusedAt }) => ({
        at: at.toISOString(),
        kind: 'transaction' as const,
        text: `the service signed ${verb} ${leg}, attempt ${number}${revertedAt === null ? '' : ', reverted'}${refusedAt === null ? '' : ', refused by all nodes'}`,
        tx,
        leg,
      })),
    ),
  ]
  return records.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
}
