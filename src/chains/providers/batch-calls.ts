/** Batches JSON-RPC calls that are made at the same moment: one request per poll, not one per block. */
import type { JsonRpc, RpcCall } from './json-rpc.ts'
import { Refusal } from './refusal.ts'

/** Providers limit how many calls a batch may have. */
const MAX_CALLS = 50
/** A provider that seems not to support batches gets one again after this time: its first batch may have failed for another reason. */
const NO_BATCH_MS = 10 * 60_000

type Waiting = RpcCall & { readonly resolve: (answer: unknown) => void; readonly reject: (error: unknown) => void }

export function batchCalls(
  rpc: Pick<JsonRpc, 'call' | 'batch'>,
  nowMs: () => number = () => performance.now(),
): (method: string, params: readonly unknown[]) => Promise<unknown> {
  let waiting: Waiting[] = []
  let supportsBatches = false
  /** A provider whose first batch fails and whose single calls succeed seems not to support batches. */
  let noBatchUntilMs = Number.NEGATIVE_INFINITY

  function flush(): void {
    const calls = waiting
    waiting = []
    for (let start = 0; start < calls.length; start += MAX_CALLS) void send(calls.slice(start, start + MAX_CALLS))
  }

  async function send(calls: readonly Waiting[]): Promise<void> {
    if (calls.length === 1 || nowMs() < noBatchUntilMs) return sendSingly(calls)
    try {
      const answers = await rpc.batch(calls.map(({ method, params }) => ({ method, params })))
      supportsBatches = true
      for (const [i, { resolve, reject }] of calls.entries()) answers[i] instanceof Refusal ? reject(answers[i]) : resolve(answers[i])
    } catch (error) {
      if (supportsBatches) for (const { reject } of calls) reject(error)
      else sendSingly(calls, () => (noBatchUntilMs = nowMs() + NO_BATCH_MS))
    }
  }

  function sendSingly(calls: readonly Waiting[], onAnswer: () => void = () => undefined): void {
    for (const { method, params, resolve, reject } of calls) {
      rpc.call(method, params).then((answer) => {
        onAnswer()
        resolve(answer)
      }, reject)
    }
  }

  return (method, params) =>
    new Promise((resolve, reject) => {
      waiting.push({ method, params, resolve, reject })
      if (waiting.length === 1) queueMicrotask(flush)
    })
}
