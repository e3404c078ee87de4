/** The users' calls use keep-alive connections: the users run on the machine that they measure, and `fetch` costs several times as much. */

import { callHttp } from '@tandem/runtime/http-client.ts'
import { type ApiClient, ApiError, type CreatedOrder, type QuoteAnswer } from '../../demo/client/api-client.ts'

const LIMITS = { timeoutMs: 30_000, maxBytes: 1_000_000 } as const

export type QuickApi = Pick<ApiClient, 'quote' | 'createOrder'>

export function createQuickApi({ baseUrl, appId }: { readonly baseUrl: string; readonly appId: string }): QuickApi {
  async function call<T>(path: string, body?: unknown): Promise<T> {
    const { status, text } = await callHttp({
      url: `${baseUrl}${path}`,
      headers: { 'service-app-id': appId, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...LIMITS,
    })
    const envelope = JSON.parse(text) as { status: string; error: string | null; result: T; code?: string }
    if (envelope.status !== 'Ok') throw new ApiError(status, envelope.code ?? '', envelope.error ?? '')
    return envelope.result
  }

  return {
    async quote(query) {
      const [best] = await call<QuoteAnswer[]>(`/quote?${new URLSearchParams(query)}`)
      if (best === undefined) throw new Error('no quotes')
      return best
    },
    createOrder: (request) => call<CreatedOrder>('/orders', request),
  }
}

export async function callNode(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const { text } = await callHttp({
    url,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    ...LIMITS,
  })
  const { result, error } = JSON.parse(text) as { readonly result?: unknown; readonly error?: { readonly message: string } }
  if (error !== undefined) throw new Error(`${method}: ${error.message}`)
  return result
}
