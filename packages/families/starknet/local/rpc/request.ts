// Answers the text of one JSON-RPC message: a request or a batch of them.
import { internalError, invalidRequest, parseError, RpcError } from './rpc-error.ts'

export type Answer = (method: string, params: unknown) => unknown

type Id = number | string | null

export function answerText(text: string, answer: Answer): string {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return failure(null, parseError())
  }
  if (!Array.isArray(parsed)) return answerOne(parsed, answer)
  if (parsed.length === 0) return failure(null, invalidRequest())
  return `[${parsed.map((request) => answerOne(request, answer)).join(',')}]`
}

function answerOne(request: unknown, answer: Answer): string {
  if (!isRequest(request)) return failure(null, invalidRequest())
  const { id = null, method, params } = request
  try {
    return JSON.stringify({ jsonrpc: '2.0', id, result: answer(method, params) })
  } catch (error) {
    return failure(id, error instanceof RpcError ? error : internalError(error instanceof Error ? error.message : String(error)))
  }
}

function failure(id: Id, { code, message, data }: RpcError): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } })
}

function isRequest(value: unknown): value is { readonly id?: Id; readonly method: string; readonly params?: unknown } {
  return typeof value === 'object' && value !== null && 'method' in value && typeof value.method === 'string'
}
