// Serves requests over websocket, and over HTTP as JSON-RPC.
import { type Listener, type LocalServer, startLocalServer } from '@tandem/chain-kit/local/local-server.ts'
import type { Fields } from '../ledger/metadata.ts'
import { RpcError } from './rpc-error.ts'

export type RpcHandlers = {
  readonly answer: (listener: Listener, request: Fields) => Fields
  readonly disconnected: (listener: Listener) => void
}

const MAX_BYTES = 1024 * 1024

export function startRpcServer({ answer, disconnected }: RpcHandlers, port: number): Promise<LocalServer> {
  return startLocalServer({
    port,
    maxBytes: MAX_BYTES,
    post: (body) => ({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(answerPost(String(body), answer)) }),
    socket: {
      answer: (listener, message) => JSON.stringify(answerMessage(message, (request) => answer(listener, request))),
      disconnected,
    },
  })
}

/** Subscriptions need a websocket, so this listener gets nothing. */
const NOBODY: Listener = { send: () => undefined }

/** A request is `{ method, params: [{ … }] }`. The status is part of the result, as nodes answer it. */
function answerPost(text: string, answer: RpcHandlers['answer']): Fields {
  const { method, params } = parsed(text) ?? {}
  const [given = {}] = Array.isArray(params) ? (params as readonly Fields[]) : []
  const {
    status,
    result,
    type: _,
    ...failure
  } = answerMessage(JSON.stringify({ ...given, command: method }), (request) => answer(NOBODY, request))
  return { result: status === 'success' ? { ...(result as Fields), status } : { ...failure, status } }
}

function answerMessage(text: string, answer: (request: Fields) => Fields): Fields {
  const request = parsed(text)
  if (request === null) return { error: 'jsonInvalid', status: 'error', type: 'response', value: text }
  const { id } = request
  const head = { ...(id !== undefined && { id }), type: 'response' }
  try {
    return { ...head, status: 'success', result: answer(request) }
  } catch (error) {
    const failure =
      error instanceof RpcError
        ? error
        : new RpcError('internal', { error_exception: error instanceof Error ? error.message : String(error) })
    return { ...head, status: 'error', ...failure.json, request }
  }
}

function parsed(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null
  } catch {
    return null
  }
}
