/** JSON-RPC as Bitcoin Core speaks it: errors carry a code, also in batches. */
import { ChainFailure } from '../../port/failure.ts'
import type { NodeHttp } from './node-http.ts'
import { asArray, asRecord, type JsonRecord, parseJson } from './node-json.ts'

/** The node understood the question and said no. */
export class RpcRefusal extends Error {
  readonly code: number

  constructor(method: string, code: number, message: string) {
    super(`${method}: ${message} (${code})`)
    this.name = 'RpcRefusal'
    this.code = code
  }
}

export type RpcCall = { readonly method: string; readonly params: readonly unknown[] }

export interface JsonRpc {
  call(method: string, params: readonly unknown[], timeoutMs?: number): Promise<unknown>
  /** Answers in the order of the calls; null for those refused. */
  batch(calls: readonly RpcCall[]): Promise<readonly unknown[]>
}

const TIMEOUT_MS = 20_000
/** Bitcoin Core while it starts: "Loading block index…". */
const RPC_IN_WARMUP = -28

export function createJsonRpc(http: NodeHttp): JsonRpc {
  const post = async (body: unknown, timeoutMs: number): Promise<unknown> => {
    const { status, text } = await http({ body: JSON.stringify(body), timeoutMs })
    if (status === 401 || status === 403) throw new ChainFailure('unreachable', 'the node refuses our user name and password')
    // Core answers refused calls with status 404 or 500 and the reason as JSON; a 503 means that its work queue is full.
    if (status === 503) throw new ChainFailure('unreachable', 'the node is too busy to answer')
    return parseJson(text())
  }
  return {
    async call(method, params, timeoutMs = TIMEOUT_MS) {
      const answer = asRecord(await post({ jsonrpc: '1.0', id: 0, method, params }, timeoutMs))
      const refusal = refusalOf(method, answer)
      if (refusal === null) return answer.result
      if (refusal.code === RPC_IN_WARMUP) throw new ChainFailure('unreachable', `the node is still starting: ${refusal.message}`)
      throw refusal
    },
    async batch(calls) {
      if (calls.length === 0) return []
      const answers = asArray(
        await post(
          calls.map((call, id) => ({ jsonrpc: '1.0', id, ...call })),
          TIMEOUT_MS,
        ),
      ).map(asRecord)
      const byId = new Map(answers.map((answer) => [answer.id, answer]))
      return calls.map((call, id) => {
        const answer = byId.get(id)
        if (answer === undefined) throw new ChainFailure('unreachable', `the node left out an answer to ${call.method}`)
        return refusalOf(call.method, answer) === null ? answer.result : null
      })
    },
  }
}

function refusalOf(method: string, answer: JsonRecord): RpcRefusal | null {
  const error = answer.error
  if (error === null || error === undefined) return null
  const { code, message } = asRecord(error)
  return new RpcRefusal(method, typeof code === 'number' ? code : 0, typeof message === 'string' ? message : 'no reason given')
}
