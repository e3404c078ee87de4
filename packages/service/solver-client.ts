/** The HTTP client of one solver signs every request, and verifies the signature and the shape of every answer. */

import { signRequest } from '@tandem/party/solver-auth/sign.ts'
import { createVerifyingKey, type SigningKey } from '@tandem/party/solver-auth/signing-key.ts'
import { answerProblem } from '@tandem/party/solver-auth/verify-answer.ts'
import { type ErrorCode, QuoteUsed, TandemError } from '@tandem/protocol/error.ts'
import {
  SolverChanges,
  SolverChangesAnswer,
  SolverCosign,
  type SolverCosigned,
  type SolverCosignRequest,
  SolverFill,
  type SolverFillRequest,
  SolverHealth,
  SolverInstantRefund,
  type SolverInstantRefundRequest,
  SolverLiquidity,
  SolverOrderAcceptance,
  type SolverOrderRequest,
  SolverQuote,
  type SolverQuoteRequest,
  SolverRefusal,
} from '@tandem/protocol/wire/solver.ts'
import { callHttpBytes } from '@tandem/runtime/http-client.ts'
import { Compile } from 'typebox/compile'

/** Calls reject with a `TandemError` if the solver declines, and with a `SolverFailure` if it times out or its answer is invalid. */
export interface SolverClient {
  readonly id: string
  quote(request: SolverQuoteRequest, timeoutMs?: number): Promise<SolverQuote>
  order(request: SolverOrderRequest, timeoutMs?: number): Promise<SolverOrderAcceptance>
  fill(orderId: string, request: SolverFillRequest): Promise<SolverFill>
  cosign(request: SolverCosignRequest): Promise<SolverCosign>
  completeCosigned(request: SolverCosigned): Promise<unknown>
  instantRefund(orderId: string, request: SolverInstantRefundRequest): Promise<SolverInstantRefund>
  /** Resolves to the chains for which the solver needs no hints for a while. */
  tellChanges(chains: readonly string[]): Promise<readonly string[]>
  /** Resolves when something has happened since number `after` on a chain that is not in `except`, or after a while. */
  changesSince(
    after: number,
    except: readonly string[],
    signal: AbortSignal,
  ): Promise<{ readonly next: number; readonly chains: readonly string[] }>
  liquidity(): Promise<SolverLiquidity>
  health(): Promise<SolverHealth>
}

export type SolverClientOptions = {
  readonly id: string
  readonly baseUrl: string
  readonly signingKey: SigningKey
  /** Only answers that the solver signed with this key count. */
  readonly publicKey: string
  readonly timeoutMs: number
}

export class SolverFailure extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'SolverFailure'
  }
}

const MAX_ANSWER_BYTES = 512 * 1024
/** This must be longer than a solver holds the request. */
const LONG_POLL_MS = 30_000
/** Before it signs, the solver reads its chains in some ten sequential requests, each of which takes a slow node seconds. */
const SIGNING_MS = 45_000

/** Any other code is a fault of the solver, not of the request. */
const RELAYED_CODES: ReadonlySet<string> = new Set<ErrorCode>([
  'bad_request',
  'amount_out_of_range',
  'unsupported_pair',
  'insufficient_liquidity',
  'no_quotes',
  'price_moved',
  'invalid_address',
  'conflict',
  'chain_unavailable',
  'rate_limited',
])

const isQuote = Compile(SolverQuote)
const isAcceptance = Compile(SolverOrderAcceptance)
const isFill = Compile(SolverFill)
const isCosign = Compile(SolverCosign)
const isInstantRefund = Compile(SolverInstantRefund)
const isLiquidity = Compile(SolverLiquidity)
const isChanges = Compile(SolverChanges)
const isChangesAnswer = Compile(SolverChangesAnswer)
const isHealth = Compile(SolverHealth)
const isRefusal = Compile(SolverRefusal)

type Answer = { readonly solver_id: string }
type Limits = { readonly timeoutMs: number; readonly signal?: AbortSignal }
type Checker<T extends Answer> = { Check(value: unknown): value is T }

export function createSolverClient({ id, baseUrl, signingKey, publicKey, timeoutMs }: SolverClientOptions): SolverClient {
  const root = new URL(baseUrl)
  const prefix = `${root.pathname.replace(/\/+$/, '')}/v1`
  const solverKey = createVerifyingKey(publicKey)

  async function ask<T extends Answer>(path: string, body: unknown, checker: Checker<T>, limits?: Limits): Promise<T> {
    const { status, answer } = await send(path, body, limits)
    if (status === 200) {
      if (!checker.Check(answer)) throw new SolverFailure(`solver ${id} answered ${path} in an invalid shape`)
      if (answer.solver_id !== id) throw new SolverFailure(`solver ${id} calls itself "${oneLine(answer.solver_id)}"`)
      return answer
    }
    if (isRefusal.Check(answer) && RELAYED_CODES.has(answer.code)) throw readRefusal(answer)
    const reason = isRefusal.Check(answer) ? `: ${oneLine(answer.message)}` : ''
    throw new SolverFailure(`solver ${id} answered ${path} with HTTP ${status}${reason}`)
  }

  /** An overloaded solver gets no requests for quotes and orders until the time that it named; its refusal is repeated meanwhile. */
  let overload: { readonly untilMs: number; readonly refusal: TandemError } | null = null

  async function askUnlessOverloaded<T extends Answer>(path: string, body: unknown, checker: Checker<T>, limitMs = timeoutMs): Promise<T> {
    if (overload !== null && performance.now() < overload.untilMs) throw overload.refusal
    try {
      return await ask(path, body, checker, { timeoutMs: limitMs })
    } catch (error) {
      if (error instanceof TandemError && error.retryAfterSeconds !== null)
        overload = { untilMs: performance.now() + error.retryAfterSeconds * 1000, refusal: error }
      throw error
    }
  }

  async function send(
    path: string,
    body: unknown,
    limits: Limits = { timeoutMs },
  ): Promise<{ readonly status: number; readonly answer: unknown }> {
    const text = body === undefined ? '' : JSON.stringify(body)
    const target = `${prefix}${path}`
    const method = body === undefined ? 'GET' : 'POST'
    let requestSignature = ''
    /** A repeat over a new connection needs a nonce of its own. */
    const sign = () => {
      const nowMs = Date.now()
      const signed = signRequest(signingKey, { method, target, body: text, recipient: publicKey, waitMs: limits.timeoutMs, nowMs })
      requestSignature = signed.signature
      return { ...signed, ...(body !== undefined && { 'content-type': 'application/json' }) }
    }
    const { status, headers, bytes } = await callHttpBytes({
      url: `${root.origin}${target}`,
      headers: sign,
      ...(body !== undefined && { body: text }),
      ...limits,
      maxBytes: MAX_ANSWER_BYTES,
    }).catch((error) => {
      throw new SolverFailure(`solver ${id} did not answer ${path}`, { cause: error })
    })
    const problem = answerProblem(solverKey, { status, headers, body: bytes, requestSignature })
    if (problem !== null)
      throw new SolverFailure(
        `the answer of solver ${id} to ${path} ${problem}; it is HTTP ${status}: ${oneLine(bytes.subarray(0, 300).toString('utf8'))}`,
      )
    return { status, answer: parseJson(bytes, path) }
  }

  function parseJson(bytes: Buffer, path: string): unknown {
    try {
      return JSON.parse(bytes.toString('utf8'))
    } catch (error) {
      throw new SolverFailure(`solver ${id} answered ${path} with something that is not JSON`, { cause: error })
    }
  }

  return {
    id,
    quote: (request, limitMs) => askUnlessOverloaded<SolverQuote>('/quote', request, isQuote, limitMs),
    order: (request, limitMs) => askUnlessOverloaded<SolverOrderAcceptance>('/orders', request, isAcceptance, limitMs),
    async fill(orderId, request) {
      const answer = await ask<SolverFill>(`/orders/${orderId}/fill`, request, isFill, { timeoutMs: SIGNING_MS })
      return { ...answer, reason: answer.reason === null ? null : oneLine(answer.reason) }
    },
    cosign: (request) => ask<SolverCosign>('/cosign', request, isCosign, { timeoutMs: SIGNING_MS }),
    completeCosigned: (request) => ask<SolverHealth>('/cosign/complete', request, isHealth),
    instantRefund: (orderId, request) =>
      ask<SolverInstantRefund>(`/orders/${orderId}/instant-refund`, request, isInstantRefund, { timeoutMs: SIGNING_MS }),
    tellChanges: async (chains) => (await ask<SolverChangesAnswer>('/changes', { chains }, isChangesAnswer)).needless ?? [],
    changesSince: (after, except, signal) =>
      ask<SolverChanges>(`/changes?after=${after}${except.length > 0 ? `&except=${except.join(',')}` : ''}`, undefined, isChanges, {
        timeoutMs: LONG_POLL_MS,
        signal,
      }),
    liquidity: () => ask<SolverLiquidity>('/liquidity', undefined, isLiquidity),
    async health() {
      const answer = await ask<SolverHealth>('/health', undefined, isHealth)
      return { ...answer, ...(answer.problem !== undefined && { problem: oneLine(answer.problem) }) }
    },
  }
}

function readRefusal({ code, message, retry_after: retryAfterSeconds, price_now: priceNow }: SolverRefusal): TandemError {
  if (code === 'conflict' && priceNow !== undefined) return new QuoteUsed(oneLine(message), priceNow)
  // The solver limits this service, not the user.
  const relayed = code === 'rate_limited' ? 'chain_unavailable' : (code as ErrorCode)
  return new TandemError(relayed, oneLine(message), { ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) })
}

/** The solver's text must be safe to store and to show. */
function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, ' ').slice(0, 300)
}
