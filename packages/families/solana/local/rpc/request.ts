// Answers the text of one JSON-RPC message: a request or a batch of them.
import { jsonText } from './json-text.ts'
import { RpcError } from './rpc-error.ts'

export type Answer = (method: string, params: readonly unknown[]) => unknown

type Request = { readonly id?: number | string | null; readonly method: string; readonly params?: readonly unknown[] | null }

const PARSE_ERROR = -32_700
const INVALID_REQUEST = -32_600
const INTERNAL_ERROR = -32_603

export function answerText(text: string, answer: Answer): string {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return failure(null, new RpcError(PARSE_ERROR, 'Parse error'))
  }
  if (!Array.isArray(parsed)) return answerOne(parsed, answer)
  if (parsed.length === 0) return failure(null, new RpcError(INVALID_REQUEST, 'Invalid request'))
  return `[${parsed.map((request) => answerOne(request, answer)).join(',')}]`
}

function answerOne(request: unknown, answer: Answer): string {
  if (!isRequest(request)) return failure(null, new RpcError(INVALID_REQUEST, 'Invalid request'))
  const { id = null, method, params } = request
  try {
    return jsonText({ jsonrpc: '2.0', result: answer(method, params ?? []) ?? null, id })
  } catch (error) {
    if (error instanceof RpcError) return failure(id, error)
    return failure(id, new RpcError(INTERNAL_ERROR, error instanceof Error ? error.message : String(error)))
  }
}

function failure(id: Request['id'], { code, message, data }: RpcError): string {
  return jsonText({ jsonrpc: '2.0', error: { code, message, ...(data !== undefined && { data }) }, id })
}

function isRequest(value: unknown): value is Request {
  if (typeof value !== 'object' || value === null || !('method' in value) || typeof value.method !== 'string') return false
  return !('params' in value) || value.params === null || Array.isArray(value.params)
}
