/** JSON-RPC over HTTP with a time limit on every request and errors that never quote the request: it may hold a secret or a key. */
import { setMaxListeners } from 'node:events'
import { type Hex, isHex } from 'viem'
import { callHttp, HttpFailure } from '../../../http-client.ts'
import { ChainFailure } from '../../port/failure.ts'
import { Refusal } from '../../providers/refusal.ts'

/** A refusal with what a reverted call returned, if anything. */
export class NodeRefusal extends Refusal {
  declare readonly data: Hex | null

  constructor(code: number, message: string, data: Hex | null) {
    super(code, message, data)
    this.name = 'NodeRefusal'
  }
}

export interface Rpc {
  /** Rejects with a NodeRefusal, or with ChainFailure('unreachable') when there is no usable answer. */
  request(method: string, params: readonly unknown[]): Promise<unknown>
  close(): void
}

const MAX_MESSAGE_LENGTH = 300
const HTTP_TOO_MANY_REQUESTS = 429
const JSON_HEADERS = { 'content-type': 'application/json' } as const
/** More than any page of logs that a provider would send. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024

export function createRpc(url: string, timeoutMs: number): Rpc {
  const closing = new AbortController()
  // One for each request that is running.
  setMaxListeners(0, closing.signal)
  let lastId = 0

  async function request(method: string, params: readonly unknown[]): Promise<unknown> {
    const unreachable = (why: string) => new ChainFailure('unreachable', `${method}: ${why}`)
    if (closing.signal.aborted) throw unreachable('the connection is closed')
    lastId += 1
    const body = JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params })
    try {
      const answer = await callHttp({
        url,
        headers: JSON_HEADERS,
        body,
        timeoutMs,
        maxBytes: MAX_ANSWER_BYTES,
        signal: closing.signal,
        // A broadcast that was mined meanwhile would be refused for its nonce: whether it got through is for the next look to tell.
        repeatable: method !== 'eth_sendRawTransaction',
      })
      return parseAnswer(answer.text, answer.status, unreachable)
    } catch (error) {
      if (!(error instanceof HttpFailure)) throw error
      throw unreachable(closing.signal.aborted ? 'the connection was closed' : error.message)
    }
  }

  return { request, close: () => closing.abort() }
}

function parseAnswer(text: string, status: number, unreachable: (why: string) => ChainFailure): unknown {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    throw unreachable(`HTTP ${status} without JSON`)
  }
  if (typeof answer !== 'object' || answer === null) throw unreachable(`HTTP ${status} without a JSON-RPC answer`)
  if (status === HTTP_TOO_MANY_REQUESTS) throw unreachable('rate limited (HTTP 429)')
  if ('error' in answer && typeof answer.error === 'object' && answer.error !== null) {
    const refusal = refusalOf(answer.error)
    throw isRateLimit(refusal) ? unreachable(`rate limited (${refusal.code} ${refusal.message})`) : refusal
  }
  // 5xx with a JSON body is the provider's, not the chain's.
  if (!('result' in answer)) throw unreachable(`HTTP ${status} without a result`)
  return answer.result
}

function refusalOf(error: object): NodeRefusal {
  const code = 'code' in error && typeof error.code === 'number' ? error.code : 0
  const message = 'message' in error && typeof error.message === 'string' ? error.message : 'error without a message'
  return new NodeRefusal(code, message.slice(0, MAX_MESSAGE_LENGTH), 'data' in error ? revertData(error.data) : null)
}

/**
 * EIP-1474 has -32005 for a limit that is exceeded: most say it of too many requests, some of too large a range of logs. Words that came out of
 * a contract are none of the provider's.
 */
function isRateLimit({ code, message, data }: NodeRefusal): boolean {
  if (code === 3 || data !== null || /revert/i.test(message)) return false
  if (/rate.?limit|too many requests|requests per|request (count|limit)|throttl|quota|compute units|over capacity/i.test(message))
    return true
  return code === HTTP_TOO_MANY_REQUESTS || (code === -32005 && !/range|blocks|results|logs|size/i.test(message))
}

/** Bare in most nodes; some wrap it in an object. */
function revertData(data: unknown): Hex | null {
  if (isHex(data)) return data
  return typeof data === 'object' && data !== null && 'data' in data && isHex(data.data) ? data.data : null
}
