/** Events of orders are delivered to webhooks. An endpoint that is slow or down delays only its own messages. */

import { createHmac } from 'node:crypto'
import { createLoop } from '@tandem/party/engine/loop.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { numberEvents, pruneEvents } from '@tandem/party/store/events/order-events.ts'
import { findOrderSnapshots } from '@tandem/party/store/orders/orders.ts'
import type { Vault } from '@tandem/party/store/orders/sealed-values.ts'
import { type Delivery, failDelivery, finishDelivery, pruneDeliveries, takeDeliveries } from '@tandem/party/store/webhooks/deliveries.ts'
import { findWebhook, hasWebhooks } from '@tandem/party/store/webhooks/webhooks.ts'
import type { OrderEventRecord } from '@tandem/protocol/wire/order-event.ts'
import type { Logger } from '@tandem/runtime/log.ts'
import type { DescribeContext } from '../events/describe-events.ts'
import { describeOrder } from '../orders/view.ts'
import { sendMessage } from './send.ts'

export type WebhookWorkerContext = DescribeContext & {
  readonly db: Database
  readonly vault: Pick<Vault, 'open'>
  readonly log: Logger
  readonly allowPrivate: boolean
}

export interface WebhookWorker {
  /** The caller calls this when the status of an order may have changed. */
  wake(): void
  /** The aborted deliveries are repeated later. */
  stop(): Promise<void>
}

const POLL_MS = 5000
const COOLDOWN_MS = 100
const PRUNE_MS = 60_000

/** Endpoints that fail have slots of their own. */
const MAX_CONCURRENT = { sound: 64, failing: 32 } as const

/** The backoff between attempts adds up to three days. */
const BACKOFF_SECONDS = [5, 30, 120, 600, 1800, 3600, 7200, 14_400, 14_400, 28_800, 43_200, 57_600, 86_400] as const

/** An endpoint has at most this cooldown after a failure. */
const MAX_COOLDOWN_SECONDS = 600

export function startWebhookWorker(context: WebhookWorkerContext): WebhookWorker {
  const { db, vault, log } = context
  const active = new Map<Promise<void>, { readonly webhookId: string; readonly failing: boolean }>()
  const stopping = new AbortController()
  let isUsed = false
  let prunedAtMs = Number.NEGATIVE_INFINITY

  const loop = createLoop({
    intervalMs: POLL_MS,
    cooldownMs: COOLDOWN_MS,
    async run() {
      await numberEvents(db)
      isUsed = await hasWebhooks(db)
      if (performance.now() - prunedAtMs >= PRUNE_MS) await prune()
      if (!isUsed) return false
      for (const failing of [false, true]) await startDue(failing)
      return false
    },
    onError: (error) => log.error({ err: error }, 'delivering to webhooks failed; will retry'),
  })

  async function prune(): Promise<void> {
    const more = await pruneEvents(db)
    await pruneDeliveries(db)
    if (!more) prunedAtMs = performance.now()
  }

  async function startDue(failing: boolean): Promise<void> {
    const same = [...active.values()].filter((one) => one.failing === failing)
    const free = MAX_CONCURRENT[failing ? 'failing' : 'sound'] - same.length
    if (free <= 0) return
    const busy = [...new Set([...active.values()].map(({ webhookId }) => webhookId))]
    for (const delivery of await takeDeliveries(db, failing, busy, free)) {
      const running = deliver(delivery).finally(() => {
        active.delete(running)
        loop.wake()
      })
      active.set(running, { webhookId: delivery.webhookId, failing })
    }
  }

  async function deliver(delivery: Delivery): Promise<void> {
    const about = { webhook: delivery.webhookId, order: delivery.orderId, attempt: delivery.attempts }
    try {
      const { url, secrets } = await findWebhook(db, vault, delivery.webhookId)
      const body = await describeMessage(context, delivery)
      const headers = signWebhook(`msg_${delivery.messageId}`, context.now(), body, secrets)
      const { ok, error } = await sendMessage({ url, headers, body, allowPrivate: context.allowPrivate, signal: stopping.signal })
      if (ok) {
        await finishDelivery(db, delivery)
        return
      }
      // Another process takes the delivery when its lease ends.
      if (stopping.signal.aborted) return
      const seconds = BACKOFF_SECONDS[delivery.attempts - 1]
      const againInSeconds = seconds === undefined ? null : Math.round(seconds * (0.9 + Math.random() * 0.2))
      await failDelivery(db, delivery, {
        error: error.slice(0, 200),
        againInSeconds,
        restSeconds: Math.min(seconds ?? 0, MAX_COOLDOWN_SECONDS),
      })
      log.warn({ ...about, reason: error.slice(0, 200), againInSeconds }, 'a webhook was not delivered')
    } catch (error) {
      log.error({ ...about, err: error }, 'a webhook could not be delivered; will retry')
    }
  }

  return {
    wake() {
      if (isUsed) loop.wake()
    },
    async stop() {
      await loop.stop()
      stopping.abort()
      await Promise.all(active.keys())
    },
  }
}

async function describeMessage(
  context: DescribeContext & { readonly db: Database },
  { orderId, status, at }: Pick<Delivery, 'orderId' | 'status' | 'at'>,
): Promise<string> {
  const [snapshot] = await findOrderSnapshots(context.db, [orderId])
  if (snapshot === undefined) throw new Error(`there is no order ${orderId}`)
  const data: OrderEventRecord = { order_id: orderId, status, at: at.toISOString(), order: describeOrder(context, snapshot) }
  return JSON.stringify({ type: 'order.status_changed', timestamp: at.toISOString(), data })
}

export type Signed = { readonly 'webhook-id': string; readonly 'webhook-timestamp': string; readonly 'webhook-signature': string }

export function signWebhook(id: string, timestamp: bigint, body: string, secrets: readonly string[]): Signed {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp.toString(), 'webhook-signature': signatures.join(' ') }
}
