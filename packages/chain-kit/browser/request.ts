/** Requests to a node of the integrator's choice. Each has a time limit, and every failure is a `NodeError`. */
import type { Node } from './family.ts'
import { NodeError } from './node-error.ts'

const TIMEOUT_MS = 20_000

export function limitOf({ signal }: Node): AbortSignal {
  const limit = AbortSignal.timeout(TIMEOUT_MS)
  return signal === undefined ? limit : AbortSignal.any([signal, limit])
}

export async function askNode(node: Node, path: string, body?: string, contentType = 'text/plain'): Promise<string> {
  const text = await findAtNode(node, path, body, contentType)
  if (text === null) throw new NodeError(`${path}: the node answered 404`)
  return text
}

export async function findAtNode(node: Node, path: string, body?: string, contentType = 'text/plain'): Promise<string | null> {
  const what = path === '' ? 'a request' : path
  const [status, text] = await answerOf(node, path, body, contentType).catch((error: unknown) => {
    node.signal?.throwIfAborted()
    throw new NodeError(`${what}: the node does not answer`, { cause: error })
  })
  if (status === 404) return null
  if (status !== 200) throw new NodeError(`${what}: the node answered ${status}: ${text.slice(0, 300)}`)
  return text
}

async function answerOf(node: Node, path: string, body: string | undefined, contentType: string): Promise<readonly [number, string]> {
  // A browser's own `fetch` refuses another `this`, so it is not called as a method.
  const { fetch } = node
  const response = await fetch(`${node.url}${path}`, {
    ...(body !== undefined && { method: 'POST', body, headers: { 'content-type': contentType } }),
    signal: limitOf(node),
  })
  return [response.status, await response.text()]
}

export async function askJson(node: Node, path: string, body: unknown): Promise<Readonly<Record<string, unknown>>> {
  const text = await askNode(node, path, JSON.stringify(body), 'application/json')
  const answer = parsed(text)
  if (typeof answer !== 'object' || answer === null) throw new NodeError(`the node answered ${text.slice(0, 100)}, expected an object`)
  return answer as Readonly<Record<string, unknown>>
}

/** `path` is below the node's URL. */
export async function jsonRpc(
  node: Node,
  method: string,
  params: readonly unknown[] | Readonly<Record<string, unknown>>,
  path = '',
): Promise<unknown> {
  const { result, error } = await askJson(node, path, { jsonrpc: '2.0', id: 1, method, params })
  const { message = 'no result' } = (error ?? {}) as { readonly message?: string }
  if (result === undefined || error != null) throw new NodeError(`${method}: the node answered ${message}`)
  return result
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Browsers refuse to call the global `fetch` as a method of another object, such as a node. */
export const plainFetch: typeof fetch = (...given) => globalThis.fetch(...given)
