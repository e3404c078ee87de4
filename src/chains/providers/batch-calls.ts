/** Batches JSON-RPC calls that are made at the same moment, so that following a chain costs one request per poll and not one per block. */
import type { JsonRpc, RpcCall } from './json-rpc.ts'
import { Refusal } from './refusal.ts'

/** Providers limit how many calls a batch may have. */
const MAX_CALLS = 50
/** Then a provider that seemed to take no batches is tried again: its first one may have failed for another reason. */
const SINGLY_MS = 10 * 60_000

type Waiting = RpcCall & { readonly resolve: (answer: unknown) => void; readonly reject: (error: unknown) => void }

export function batchCalls(
  rpc: Pick<JsonRpc, 'call' | 'batch'>,
  nowMs: () => number = () => performance.now(),
): (method: string, params: readonly unknown[]) => Promise<unknown> {
  let waiting: Waiting[] = []
  let takesBatches = false
  /** Not every provider takes batches: one whose first batch fails and whose single calls succeed gets none for a while. */
  let singlyUntilMs = Number.NEGATIVE_INFINITY

  function flush(): void {
    const calls = waiting
    waiting = []
    for (let start = 0; start < calls.length; start += MAX_CALLS) void send(calls.slice(start, start + MAX_CALLS))
  }

  async function send(calls: readonly Waiting[]): Promise<void> {
    if (calls.length === 1 || nowMs() < singlyUntilMs) return sendSingly(calls)
    try {
      const answers = await rpc.batch(calls.map(({ method, params }) => ({ method, params })))
      takesBatches = true
      for (const [i, { resolve, reject }] of calls.entries()) answers[i] instanceof Refusal ? reject(answers[i]) : resolve(answers[i])
    } catch (error) {
      if (takesBatches) for (const { reject } of calls) reject(error)
      else sendSingly(calls, () => (singlyUntilMs = nowMs() + SINGLY_MS))
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
