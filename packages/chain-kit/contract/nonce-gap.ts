/** Broadcasts to nodes that queue nothing: one that lacks a transaction with an earlier nonce refuses the later one. */
import { setTimeout as sleep } from 'node:timers/promises'
import { ChainFailure } from '../port/failure.ts'

/** Several actions of one signer broadcast at a time. The earlier nonce is usually on its way to the node. */
const GAP_RETRY_MS = [20, 50, 100, 200, 400]

/** Broadcasts again while the node lacks the earlier nonce. */
export async function pastNonceGap<V extends string>(broadcastOnce: () => Promise<V | 'nonce-gap'>): Promise<V> {
  for (const waitMs of GAP_RETRY_MS) {
    const verdict = await broadcastOnce()
    if (verdict !== 'nonce-gap') return verdict
    await sleep(waitMs)
  }
  const verdict = await broadcastOnce()
  if (verdict === 'nonce-gap') throw new ChainFailure('unreachable', 'the node lacks an earlier transaction of this account')
  return verdict
}
