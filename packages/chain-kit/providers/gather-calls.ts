/** Sends calls that are made at the same moment as one batch: the number of messages is the cost, for us and for the node. */
import type { JsonRpc, RpcCall } from './json-rpc.ts'
import { Refusal } from './refusal.ts'

type Waiting = { readonly call: RpcCall; resolve(result: unknown): void; reject(error: unknown): void }

/** Providers limit the size of a batch. */
const MAX_BATCH = 50

/** `mayBatch` is false while it is unknown whether the node takes batches. */
export function gatherCalls(rpc: JsonRpc, mayBatch: () => boolean = () => true): JsonRpc['call'] {
  let waiting: Waiting[] = []

  async function sendAll(): Promise<void> {
    const all = waiting
    waiting = []
    if (!mayBatch()) await sendSingly(all)
    else for (let at = 0; at < all.length; at += MAX_BATCH) await send(all.slice(at, at + MAX_BATCH))
  }

  async function send(calls: readonly Waiting[]): Promise<void> {
    const [only, ...more] = calls
    if (only === undefined) return
    try {
      if (more.length === 0) return only.resolve(await rpc.call(only.call.method, only.call.params))
      const answers = await rpc.batch(calls.map(({ call }) => call))
      for (const [index, { resolve, reject }] of calls.entries()) {
        const answer = answers[index]
        if (answer instanceof Refusal) reject(answer)
        else resolve(answer)
      }
    } catch (error) {
      // One error for the whole batch, such as for its size, refuses none of its calls. A transaction may be sent twice.
      if (error instanceof Refusal && more.length > 0) return sendSingly(calls)
      for (const { reject } of calls) reject(error)
    }
  }

  async function sendSingly(calls: readonly Waiting[]): Promise<void> {
    await Promise.all(calls.map((one) => send([one])))
  }

  return (method, params) =>
    new Promise((resolve, reject) => {
      waiting.push({ call: { method, params }, resolve, reject })
      if (waiting.length === 1) setImmediate(() => void sendAll())
    })
}
