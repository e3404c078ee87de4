/** Sends JSON-RPC to one provider, as single calls and batches. */
import { ChainFailure } from '../port/failure.ts'
import type { ProviderHttp, ProviderResponse } from './http.ts'
import { Refusal, saysTooMany } from './refusal.ts'

export type RpcParams = readonly unknown[] | Readonly<Record<string, unknown>>

export type RpcCall = { readonly method: string; readonly params: RpcParams }

export interface JsonRpc {
  /** Rejects with a Refusal, or with ChainFailure('unreachable') when there is no usable answer. */
  call(method: string, params: RpcParams, timeoutMs?: number): Promise<unknown>
  /** Answers are in the order of the calls. A call that is refused has its Refusal in that place. */
  batch(calls: readonly RpcCall[]): Promise<readonly unknown[]>
}

export type JsonRpcOptions = {
  readonly version: '1.0' | '2.0'
  readonly timeoutMs: number
  /** Some refusals are only a fault of the provider itself (start-up, storage), which this describes. Null stands for any other refusal. */
  readonly troubleIn: (refusal: Refusal) => string | null
  /** True means that the refusal says that we send too many requests. By default its code and its words decide. */
  readonly isRateLimit?: (refusal: Refusal) => boolean
  /** False means that the method is not idempotent and must not be retried. By default all are repeatable. */
  readonly isRepeatable?: (method: string) => boolean
}

const MAX_MESSAGE_LENGTH = 300

/** Proxies in front of a node answer these without JSON. */
const statusMeanings: Readonly<Record<number, string>> = {
  401: 'the provider refuses our credentials (HTTP 401)',
  403: 'the provider refuses our credentials (HTTP 403)',
  503: 'the provider is too busy to answer (HTTP 503)',
}

export function createJsonRpc(http: ProviderHttp, options: JsonRpcOptions): JsonRpc {
  const { version, troubleIn, isRateLimit = saysRateLimit, isRepeatable = () => true } = options
  let lastId = 0

  function outcomeOf(method: string, answer: JsonRpcAnswer, status: number): unknown {
    const unreachable = (why: string) => new ChainFailure('unreachable', `${method}: ${why}`)
    if (typeof answer.error === 'object' && answer.error !== null) {
      const refusal = refusalOf(answer.error)
      if (isRateLimit(refusal)) throw http.limited()
      const trouble = troubleIn(refusal)
      if (trouble !== null) throw unreachable(trouble)
      return refusal
    }
    // 5xx with a JSON body is a failure of the provider, not of the chain.
    if (!('result' in answer)) throw unreachable(`HTTP ${status} without a result`)
    return answer.result
  }

  return {
    async call(method, params, timeoutMs = options.timeoutMs) {
      lastId += 1
      const body = JSON.stringify({ jsonrpc: version, id: lastId, method, params })
      const response = await http.request({ what: method, body, timeoutMs, repeatable: isRepeatable(method) })
      const outcome = outcomeOf(method, parseAnswer(method, response), response.status)
      if (outcome instanceof Refusal) throw outcome
      return outcome
    },
    async batch(calls) {
      const [first] = calls
      if (first === undefined) return []
      const what = `${first.method} and ${calls.length - 1} more`
      const body = JSON.stringify(calls.map((call, id) => ({ jsonrpc: version, id, ...call })))
      const repeatable = calls.every(({ method }) => isRepeatable(method))
      const response = await http.request({ what, body, timeoutMs: options.timeoutMs, repeatable })
      const answers = parseBatch(what, response)
      // Some providers answer a whole batch with one error.
      if (!Array.isArray(answers)) {
        const outcome = outcomeOf(what, answers, response.status)
        throw outcome instanceof Refusal ? outcome : new ChainFailure('unreachable', `${what}: one answer for a batch`)
      }
      const byId = new Map(answers.map((answer) => [answer.id, answer]))
      return calls.map(({ method }, id) => {
        const answer = byId.get(id)
        if (answer === undefined) throw new ChainFailure('unreachable', `${method}: the provider left its answer out of the batch`)
        return outcomeOf(method, answer, response.status)
      })
    },
  }
}

type JsonRpcAnswer = { readonly id?: unknown; readonly error?: unknown; readonly result?: unknown }

function parseBatch(what: string, response: ProviderResponse): JsonRpcAnswer | JsonRpcAnswer[] {
  const answer = parseAnswer(what, response)
  return Array.isArray(answer) ? answer.filter((one) => typeof one === 'object' && one !== null) : answer
}

function parseAnswer(what: string, { status, text }: ProviderResponse): JsonRpcAnswer {
  const unreachable = (why: string) => new ChainFailure('unreachable', `${what}: ${why}`)
  let answer: unknown
  try {
    answer = JSON.parse(text())
  } catch {
    throw unreachable(statusMeanings[status] ?? `HTTP ${status} without JSON`)
  }
  if (typeof answer !== 'object' || answer === null) throw unreachable(`HTTP ${status} without a JSON-RPC answer`)
  return answer
}

/** Providers use these codes beside the HTTP status. */
function saysRateLimit({ code, message }: Refusal): boolean {
  return code === 429 || code === -32_429 || saysTooMany(message)
}

function refusalOf(error: object): Refusal {
  const code = 'code' in error && typeof error.code === 'number' ? error.code : 0
  const message = 'message' in error && typeof error.message === 'string' ? error.message : 'error without a message'
  return new Refusal(code, message.slice(0, MAX_MESSAGE_LENGTH), 'data' in error ? error.data : null)
}
