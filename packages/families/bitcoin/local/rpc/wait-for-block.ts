// The blocking call of the JSON-RPC interface: `waitfornewblock` is answered after the next block, or after its timeout.
import { setTimeout as sleep } from 'node:timers/promises'
import type { BitcoinNode } from '../node.ts'

/** Resolves when the request may be answered: at once for every other method. Does not check the request, whose answer follows. */
export async function waitForBlock(node: BitcoinNode, body: string): Promise<void> {
  const timeoutMs = timeoutOf(body)
  if (timeoutMs === null) return
  const timer = new AbortController()
  const timeout = timeoutMs > 0 ? [sleep(timeoutMs, undefined, { ref: false, signal: timer.signal }).catch(() => undefined)] : []
  await Promise.race([node.nextTip(), ...timeout])
  timer.abort()
}

/** Null unless it is this call; 0: without a timeout. */
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
