/** HTTP to a node with a time limit; every failure to get an answer becomes `ChainFailure('unreachable')` without credentials in it. */
import { ChainFailure } from '../../port/failure.ts'

export type NodeResponse = { readonly status: number; readonly bytes: Uint8Array; readonly text: () => string }
export type NodeRequest = { readonly path?: string; readonly body?: string; readonly timeoutMs: number }
export type NodeHttp = (request: NodeRequest) => Promise<NodeResponse>

/** `url` may carry `user:password@`, sent as Basic authentication. */
export function createNodeHttp(url: string): NodeHttp {
  const { base, authorization } = splitCredentials(url)

  async function ask({ path = '', body, timeoutMs }: NodeRequest): Promise<NodeResponse> {
    const response = await fetch(`${base}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...authorization, ...(body === undefined ? {} : { 'content-type': 'text/plain' }) },
      ...(body === undefined ? {} : { body }),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const bytes = new Uint8Array(await response.arrayBuffer())
    return { status: response.status, bytes, text: () => new TextDecoder().decode(bytes) }
  }

  return async (request) => {
    try {
      // Nodes close kept connections when they please. What we ask may be asked twice: a transaction that a node has is not a new one.
      return await ask(request).catch((error: unknown) => (isCutOff(error) ? ask(request) : Promise.reject(error)))
    } catch (cause) {
      const { timeoutMs } = request
      const why = cause instanceof Error && cause.name === 'TimeoutError' ? `no answer within ${timeoutMs} ms` : 'no connection'
      // Providers put keys into paths and queries.
      throw new ChainFailure('unreachable', `${new URL(base).origin}: ${why}`, { cause })
    }
  }
}

function isCutOff(error: unknown): boolean {
  const { cause } = error instanceof Error ? error : { cause: null }
  return cause instanceof Error && 'code' in cause && ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(String(cause.code))
}

function splitCredentials(url: string) {
  const parsed = new URL(url)
  const user = decodeURIComponent(parsed.username)
  const password = decodeURIComponent(parsed.password)
  parsed.username = ''
  parsed.password = ''
  const authorization: Record<string, string> = user === '' ? {} : { authorization: `Basic ${btoa(`${user}:${password}`)}` }
  return { base: parsed.href.replace(/\/+$/, ''), authorization }
}
