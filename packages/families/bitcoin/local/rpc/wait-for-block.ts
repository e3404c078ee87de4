// Answers the blocking call of the JSON-RPC interface: `waitfornewblock` waits for the next block, or for its timeout.
import { setTimeout as sleep } from 'node:timers/promises'
import type { BitcoinNode } from '../node.ts'

/** The promise resolves when the request may be answered, which is immediately for every other method. */
export async function waitForBlock(node: BitcoinNode, body: string): Promise<void> {
  const timeoutMs = timeoutOf(body)
  if (timeoutMs === null) return
  const timer = new AbortController()
  const timeout = timeoutMs > 0 ? [sleep(timeoutMs, undefined, { ref: false, signal: timer.signal }).catch(() => undefined)] : []
  await Promise.race([node.nextTip(), ...timeout])
  timer.abort()
}

function timeoutOf(body: string): number | null {
  if (!body.includes('"waitfornewblock"')) return null
  try {
    const { method, params } = JSON.parse(body)
    if (method !== 'waitfornewblock') return null
    const timeout = Array.isArray(params) ? params[0] : params?.timeout
    return typeof timeout === 'number' ? timeout : 0
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
