/** Batches JSON-RPC calls that are made at the same moment or while a request is under way, so that a busy process sends fewer requests. */
import type { JsonRpc, RpcCall, RpcParams } from './json-rpc.ts'
import { Refusal } from './refusal.ts'

/** Providers limit the size of a batch. */
const MAX_CALLS = 50
/** Calls wait no longer than this for a request that is under way. */
const MAX_WAIT_MS = 4
/** A provider that seems not to support batches gets one again after this time: its first batch may have failed for another reason. */
const NO_BATCH_MS = 10 * 60_000

type Asker = { readonly resolve: (answer: unknown) => void; readonly reject: (error: unknown) => void }
type Waiting = RpcCall & { readonly askers: readonly Asker[] }

export function batchCalls(
  rpc: Pick<JsonRpc, 'call' | 'batch'>,
  nowMs: () => number = () => performance.now(),
): (method: string, params: RpcParams) => Promise<unknown> {
  let waiting: (RpcCall & Asker)[] = []
  let underWay = 0
  let timer: NodeJS.Timeout | null = null
  let supportsBatches = false
  /** A provider whose first batch fails and whose single calls succeed seems not to support batches. */
  let noBatchUntilMs = Number.NEGATIVE_INFINITY

  function flush(): void {
    if (timer !== null) clearTimeout(timer)
    timer = null
    const calls = distinct(waiting)
    waiting = []
    for (let start = 0; start < calls.length; start += MAX_CALLS) {
      underWay += 1
      void send(calls.slice(start, start + MAX_CALLS)).finally(() => {
        underWay -= 1
        if (waiting.length > 0) flush()
      })
    }
  }

  async function send(calls: readonly Waiting[]): Promise<void> {
    if (calls.length === 1 || nowMs() < noBatchUntilMs) return sendSingly(calls)
    try {
      const answers = await rpc.batch(calls.map(({ method, params }) => ({ method, params })))
      supportsBatches = true
      for (const [i, { askers }] of calls.entries()) {
        const answer = answers[i]
        for (const { resolve, reject } of askers) answer instanceof Refusal ? reject(answer) : resolve(answer)
      }
    } catch (error) {
      if (!supportsBatches) return sendSingly(calls, () => (noBatchUntilMs = nowMs() + NO_BATCH_MS))
      for (const { askers } of calls) for (const { reject } of askers) reject(error)
    }
  }

  async function sendSingly(calls: readonly Waiting[], onAnswer: () => void = () => undefined): Promise<void> {
    const sendOne = async ({ method, params, askers }: Waiting) => {
      try {
        const answer = await rpc.call(method, params)
        onAnswer()
        for (const { resolve } of askers) resolve(answer)
      } catch (error) {
        for (const { reject } of askers) reject(error)
      }
    }
    await Promise.all(calls.map(sendOne))
  }

  return (method, params) =>
    new Promise((resolve, reject) => {
      waiting.push({ method, params, resolve, reject })
      if (waiting.length > 1) return
      if (underWay === 0) setImmediate(flush)
      else timer = setTimeout(flush, MAX_WAIT_MS)
    })
}

/** The same call asked several times is sent once. */
function distinct(calls: readonly (RpcCall & Asker)[]): readonly Waiting[] {
  if (calls.length === 1) return calls.map((call) => ({ ...call, askers: [call] }))
  const byText = new Map<string, Waiting & { readonly askers: Asker[] }>()
  for (const call of calls) {
    const text = `${call.method} ${JSON.stringify(call.params)}`
    const known = byText.get(text)
    if (known === undefined) byText.set(text, { method: call.method, params: call.params, askers: [call] })
    else known.askers.push(call)
  }
  return [...byText.values()]
}
