/** This client calls the service's HTTP interface like an integrator's app. */
import type { OrderToFund } from '@tandem/chain-kit/local/local-chain.ts'

export type QuoteAnswer = {
  readonly solver_id: string
  readonly source: { readonly asset: string; readonly amount: string; readonly display: string }
  readonly destination: { readonly asset: string; readonly amount: string; readonly display: string }
  readonly estimated_time: number
  /** The recipient gets at least this, where the fee of the payout comes out of the amount. */
  readonly net_amount?: string
  readonly network_fee?: string
  readonly destination_gas?: { readonly asset: string; readonly amount: string; readonly display: string; readonly fee: number }
}

export type CreatedOrder = OrderToFund & {
  readonly order_id: string
  readonly order_token?: string
  /** The package refunds a deposit without the service. Only the first answer contains it. */
  readonly refund_package?: Record<string, unknown>
}

export type SwapRecord = {
  readonly swap_id: string
  readonly chain: string
  readonly amount: string
  readonly timelock: number
  readonly network_fee?: string
  readonly filled_amount: string
  readonly deposit_address?: string
  readonly deposit_amount?: string
  readonly secret: string
  readonly instant_refund_tx?: string
  readonly initiate_tx_hash: string
  readonly redeem_tx_hash: string
  readonly refund_tx_hash: string
  readonly current_confirmations: number
}

export type OrderRecord = {
  readonly order_id: string
  readonly status: string
  readonly deadline: number
  readonly next_action: { readonly who: string; readonly what: string; readonly by: number | null } | null
  readonly source_swap: SwapRecord
  readonly destination_swap: SwapRecord
}

export type OrderRequest = {
  /** `delegate` is the account that initiates for the owner. */
  readonly source: { readonly asset: string; readonly owner?: string; readonly amount: string; readonly delegate?: string }
  readonly destination: { readonly asset: string; readonly owner: string; readonly amount: string }
  readonly nonce?: string
  readonly slippage?: number
  readonly affiliate_fees?: readonly { readonly address: string; readonly fee: number; readonly asset?: string }[]
  readonly secret_hash?: string
  readonly deposit?: 'address'
  readonly destination_gas?: boolean
}

export class ApiError extends Error {
  readonly httpStatus: number
  readonly code: string

  constructor(httpStatus: number, code: string, message: string) {
    super(message)
    this.name = 'ApiError'
    this.httpStatus = httpStatus
    this.code = code
  }
}

export interface ApiClient {
  quote(query: {
    readonly from: string
    readonly to: string
    readonly from_amount?: string
    readonly to_amount?: string
    readonly affiliate_fee?: string
    readonly destination_gas?: 'true'
  }): Promise<QuoteAnswer>
  createOrder(request: OrderRequest, headers?: Readonly<Record<string, string>>): Promise<CreatedOrder>
  order(orderId: string): Promise<OrderRecord>
  initiate(orderId: string, signature: string): Promise<string>
  refund(orderId: string, body?: { readonly address?: string; readonly order_token?: string }): Promise<string>
  /** The promise rejects with an `ApiError` when the envelope says Error. */
  call(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<unknown>
}

export type ApiClientOptions = {
  readonly baseUrl: string
  readonly appId: string
  /** An overloaded service is asked again this often, after the time that it names. The default is never. */
  readonly retries?: number
}

export function createApiClient(options: ApiClientOptions): ApiClient {
  async function send(url: string, request: RequestInit): Promise<Response> {
    for (let retriesLeft = options.retries ?? 0; ; retriesLeft -= 1) {
      const response = await fetch(url, request)
      const seconds = Number(response.headers.get('retry-after') ?? 0)
      if (response.status !== 503 || seconds === 0 || retriesLeft <= 0) return response
      await response.body?.cancel()
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
    }
  }

  async function call(method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<unknown> {
    const response = await send(`${options.baseUrl}${path}`, {
      method,
      headers: { 'service-app-id': options.appId, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const envelope = (await response.json()) as { status: string; error: string | null; result: unknown; code?: string }
    if (envelope.status !== 'Ok') throw new ApiError(response.status, envelope.code ?? '', envelope.error ?? response.statusText)
    return envelope.result
  }

  return {
    call,
    async quote(query) {
      const quotes = (await call('GET', `/quote?${new URLSearchParams(query)}`)) as QuoteAnswer[]
      const [best] = quotes
      if (best === undefined) throw new Error('no quotes')
      return best
    },
    createOrder: async (request, headers) => (await call('POST', '/orders', request, headers)) as CreatedOrder,
    order: async (orderId) => (await call('GET', `/orders/${orderId}`)) as OrderRecord,
    initiate: async (orderId, signature) => (await call('PATCH', `/orders/${orderId}?action=initiate`, { signature })) as string,
    refund: async (orderId, body = {}) => (await call('PATCH', `/orders/${orderId}?action=refund`, body)) as string,
  }
}
