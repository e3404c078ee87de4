/** The part of the service that moves money: it watches the chains, relays, redeems, refunds, agrees with solvers, and delivers webhooks. No HTTP server. */

import { releaseLogOf } from '@tandem/party/config/load-config.ts'
import { type Engine, startEngine } from '@tandem/party/engine/engine.ts'
import { createDifferenceLog } from '@tandem/party/engine/evidence/differences.ts'
import { startRollbackGuard } from '@tandem/party/engine/rollback/rollback-guard.ts'
import type { ServiceMetrics } from '@tandem/party/metrics/service-metrics.ts'
import { payForPayout } from '@tandem/party/store/orders/paid-refunds.ts'
import { divideRoundingUp } from '@tandem/protocol/amount.ts'
import type { Order } from '@tandem/protocol/order.ts'
import type { Keep } from '@tandem/runtime/closing.ts'
import type { ApiMemory, EngineView } from './api-side.ts'
import type { EngineKeys, ServiceBase } from './base.ts'
import { createCosignTasks } from './batch-redeem/offer-cosign.ts'
import type { ServiceContext } from './context.ts'
import { claimQuestions, type SignClaims } from './earnings/claim-question.ts'
import { createClaimSigner } from './earnings/sign-claims.ts'
import { answering, answerQuestions } from './engine-questions/answer-questions.ts'
import { createHints } from './hints/hints.ts'
import { createDepositQuestions } from './instant-refund/ask-about-deposits.ts'
import { createAutomaticRefundTasks } from './instant-refund/automatic-refunds.ts'
import { recordRefundCost } from './instant-refund/refund-budget.ts'
import { refundWishes, type SignRefunds } from './instant-refund/refund-wish.ts'
import { signWishedRefunds } from './instant-refund/sign-wished-refunds.ts'
import { startOrderLog } from './order-log/order-log.ts'
import { fillTasks } from './partial-deposits/agree-on-fill.ts'
import { createServiceParty } from './party.ts'
import { createCollectTasks } from './prefund/collect-prefunds.ts'
import { payForReclaim, recordReclaimCost } from './prefund/reclaim-budget.ts'
import { createSolverSync, type SyncContext } from './solver-sync/solver-sync.ts'
import { startWebhookWorker } from './webhooks/webhook-worker.ts'

const DEFAULT_COSIGN_GATHER_SECONDS = 1

const NO_CLAIM_KEY = 'its configuration has no private key in earnings.signing_key'

/** If the price is unknown, the part of a payout's fee that the service pays is assumed to be worth this much. */
const ASSUMED_FEE_USD_MICROS = 1_000_000n

export type EngineSideOptions = {
  readonly keys: EngineKeys
  readonly metrics: ServiceMetrics
  /** The memory of the API in this process is null if the process has no API. */
  readonly memory: Pick<ApiMemory, 'events' | 'watchPayments'> | null
}

export async function startEngineSide(base: ServiceBase, options: EngineSideOptions, keep: Keep): Promise<EngineView> {
  const { loaded, db, registry, clients, solvers, log, now } = base
  const { config } = loaded
  const { keys, metrics, memory } = options
  const { relay, vault } = keys
  const guard = await startRollbackGuard({ db, path: loaded.pathOf(releaseLogOf(config)), log })
  const webhooks = startWebhookWorker({ db, vault, registry, now, log, allowPrivate: config.webhooks?.allow_private ?? false })
  const onDifferences = createDifferenceLog(log, { onDifference: metrics.onDifference })
  const context: SyncContext = {
    ...base,
    vault,
    onDifferences,
    wake: () => engine.wake(),
    get polls() {
      return engine.polls
    },
  }
  const sync = createSolverSync(context, [
    (states) => fillTasks(context, states),
    createDepositQuestions(context),
    createAutomaticRefundTasks(context),
    createCosignTasks(context, { gatherMs: 1_000 * (config.cosign_gather_seconds ?? DEFAULT_COSIGN_GATHER_SECONDS) }),
    createCollectTasks(context),
  ])
  const party = createServiceParty({
    db,
    vault,
    relay,
    guard,
    onReconciled(states) {
      memory?.watchPayments(states)
      return sync.startDueTasks(states)
    },
    sponsorPayout: (order, amount) => sponsorPayout(context, order, amount),
    onInstantRefund: (order) => recordRefundCost(context, order),
    payForReclaim: (order, amount) => payForReclaim(context, order, amount),
    onReclaim: (order) => recordReclaimCost(context, order),
  })
  const orderLog = startOrderLog({ db, registry, log, now, onStep: metrics.onStep })
  const hints = createHints(solvers, { onHint: (chain) => engine.wakeChain(chain), announcedChains: () => engine.announcedChains() })
  const engine: Engine = startEngine({
    db,
    registry,
    clients,
    party,
    log,
    now,
    onActivity: hints.send,
    onDerived,
    onAction: metrics.onAction,
    onDifferences,
  })
  const signRefunds: SignRefunds = (wish) => signWishedRefunds(context, wish)
  const signClaims: SignClaims | null = keys.claims === null ? null : createClaimSigner(base, keys.claims)
  const answers = answerQuestions({ db, sealer: vault, log }, [
    answering(refundWishes, async (wish) => {
      await signRefunds(wish)
      return null
    }),
    signClaims === null ? { kind: claimQuestions.name, whyNot: NO_CLAIM_KEY } : answering(claimQuestions, signClaims),
  ])
  for (const part of [answers, hints, sync, webhooks, guard, engine]) keep(() => part.stop())
  // The network closes before the engine, so that the engine does not wait for requests to nodes.
  keep(base.closeNetwork)
  keep(() => orderLog.stop())
  return {
    ...engine,
    expectOrders(chains) {
      engine.expectOrders(chains)
      orderLog.wake()
    },
    problem: () => null,
    signRefunds,
    signClaims,
  }

  function onDerived(): void {
    orderLog.wake()
    webhooks.wake()
    memory?.events.wake()
  }
}

/** Charges the budget of instant refunds, because both are network fees that a user makes us pay. False once the budget is used up. */
async function sponsorPayout(
  { db, prices, registry, settings }: Pick<ServiceContext, 'db' | 'prices' | 'registry' | 'settings'>,
  { id, destination }: Order,
  amount: bigint,
): Promise<boolean> {
  const { asset } = destination.terms
  const price = prices.find(asset)
  const unit = 10n ** BigInt(registry.asset(asset).decimals)
  const usdMicros = price === null ? ASSUMED_FEE_USD_MICROS : divideRoundingUp(amount * price, unit * 100n)
  return payForPayout(db, id, usdMicros, settings.refundBudget)
}
