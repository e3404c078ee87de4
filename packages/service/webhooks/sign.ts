/** Signatures of the Standard Webhooks convention: HMAC-SHA256 over id, time and body. */
import { createHmac } from 'node:crypto'

export type Signed = { readonly 'webhook-id': string; readonly 'webhook-timestamp': string; readonly 'webhook-signature': string }

/** One signature for each secret. */
export function signWebhook(id: string, timestamp: bigint, body: string, secrets: readonly string[]): Signed {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp.toString(), 'webhook-signature': signatures.join(' ') }
}
