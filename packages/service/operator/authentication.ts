/** Operators authenticate by the cookie of the page, with CSRF protection, or by a bearer token. */
import { createHash } from 'node:crypto'
import type { Database } from '@tandem/party/store/database/database.ts'
import { closeSession, findSession, openSession } from '@tandem/party/store/operators/sessions.ts'
import { findOperator, isSameText, type Operator, secretOf } from '@tandem/party/store/operators/tokens.ts'
import { createValidHashes } from '@tandem/party/store/operators/valid-hashes.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import { customerOf } from '../caller-network.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The authentication of every route of the operator sets this field. */
    operator: CallingOperator | null
  }
}

export type CallingOperator = Operator & {
  readonly cookie: string | null
  readonly until: Date | null
}

export interface OperatorAuthentication {
  readonly authenticate: onRequestAsyncHookHandler
  login(request: FastifyRequest, reply: FastifyReply, token: string): Promise<CallingOperator>
  logout(request: FastifyRequest, reply: FastifyReply): Promise<void>
  /** Throws unless the request carries a valid bearer token. */
  assertBearer(request: FastifyRequest): Promise<void>
}

const COOKIE = 'tandem_operator'
const PATH = '/operator'

/** Only a caller that can read the answers of the service knows this token; a page of another origin cannot. */
export function csrfTokenOf(cookie: string): string {
  return createHash('sha256').update(`csrf ${cookie}`).digest('hex')
}

export function createOperatorAuthentication(options: {
  readonly db: Database
  /** A proxy in front of this process serves the page over TLS. */
  readonly isSecure: boolean
}): OperatorAuthentication {
  const { db } = options
  const limit = createLoginLimit()
  const validHashes = createValidHashes(db)

  function setCookie(request: FastifyRequest, reply: FastifyReply, value: string, expires: Date): void {
    const secure = options.isSecure || request.protocol === 'https' ? '; Secure' : ''
    void reply.header(
      'set-cookie',
      `${COOKIE}=${value}; Path=${PATH}; Expires=${expires.toUTCString()}; HttpOnly; SameSite=Strict${secure}`,
    )
  }

  function refuse(request: FastifyRequest, why: string): TandemError {
    limit.addFailure(request.ip)
    return new TandemError('unauthorized', why)
  }

  /**
   * After too many failures of an address only a valid secret passes, so that others behind the same address cannot lock an operator out.
   * Valid secrets are known without a query, so a wrong one stays cheap.
   */
  async function assertMayTry(request: FastifyRequest, secret: string | null): Promise<void> {
    const refusal = limit.refusalOf(request.ip)
    if (refusal !== null && (secret === null || !(await validHashes.has(secret)))) throw refusal
  }

  async function byToken(request: FastifyRequest, token: string): Promise<CallingOperator> {
    await assertMayTry(request, secretOf(token))
    const operator = await findOperator(db, token)
    if (operator === null) throw refuse(request, 'the token is wrong or revoked: `tandem operator token NAME` makes a new one')
    return { ...operator, cookie: null, until: null }
  }

  async function bySession(request: FastifyRequest, cookie: string): Promise<CallingOperator> {
    await assertMayTry(request, cookie)
    const session = await findSession(db, cookie)
    if (session === null) throw refuse(request, 'the session has ended: log in again')
    return { ...session, cookie }
  }

  async function authenticate(request: FastifyRequest): Promise<void> {
    assertSameOrigin(request)
    const bearer = bearerOf(request)
    if (bearer !== null) {
      request.operator = await byToken(request, bearer)
      return
    }
    const cookie = cookieOf(request)
    if (cookie === null) throw new TandemError('unauthorized', 'log in first, with a token from `tandem operator token NAME`')
    const operator = await bySession(request, cookie)
    if (!isRead(request)) assertCsrf(request, cookie)
    request.operator = operator
  }

  return {
    authenticate,
    async login(request, reply, token) {
      assertSameOrigin(request)
      const operator = await byToken(request, token)
      const { cookie, until } = await openSession(db, operator.tokenId)
      setCookie(request, reply, cookie, until)
      return { ...operator, cookie, until }
    },
    async logout(request, reply) {
      const cookie = request.operator?.cookie ?? null
      if (cookie !== null) await closeSession(db, cookie)
      setCookie(request, reply, '', new Date(0))
    },
    async assertBearer(request) {
      const token = bearerOf(request)
      if (token === null)
        throw new TandemError('unauthorized', 'the header Authorization: Bearer with a token from `tandem operator token NAME` is missing')
      await byToken(request, token)
    },
  }
}

export function requireOperator({ operator }: FastifyRequest): CallingOperator {
  if (operator === null) throw new TandemError('unauthorized', 'log in first')
  return operator
}

export function assertMayWrite(request: FastifyRequest): void {
  if (!requireOperator(request).mayWrite)
    throw new TandemError('forbidden', 'this token only reads: `tandem operator token NAME --write` makes one that may halt and resume')
}

const isRead = ({ method }: FastifyRequest) => method === 'GET' || method === 'HEAD'

/** Browsers send `Sec-Fetch-Site`. It is needed because another port of this host is another origin, but gets cookies of `SameSite=Strict`. */
function assertSameOrigin({ headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    throw new TandemError('forbidden', 'only the operator page of this service may call this')
}

function assertCsrf({ headers }: FastifyRequest, cookie: string): void {
  const given = headers['x-csrf-token']
  if (typeof given !== 'string' || !isSameText(given, csrfTokenOf(cookie)))
    throw new TandemError('forbidden', 'the header x-csrf-token is missing or wrong: GET /operator/api/session returns it')
}

function bearerOf({ headers }: FastifyRequest): string | null {
  return /^Bearer (\S{1,200})$/i.exec(headers.authorization ?? '')?.[1] ?? null
}

function cookieOf({ headers }: FastifyRequest): string | null {
  const pair = (headers.cookie ?? '').split(';').find((part) => part.trim().startsWith(`${COOKIE}=`))
  const value = pair?.trim().slice(COOKIE.length + 1) ?? ''
  return /^[0-9a-f]{64}$/.test(value) ? value : null
}

export interface LoginLimit {
  /** Returns null unless this address has failed too often. */
  refusalOf(address: string): TandemError | null
  addFailure(address: string): void
}

const WINDOW_MS = 60_000
const MAX_FAILURES = 20
/** Beyond this number the oldest entry is evicted, so that strangers cannot fill the memory. */
const MAX_ADDRESSES = 10_000

export function createLoginLimit(nowMs: () => number = () => performance.now()): LoginLimit {
  const windows = new Map<string, { readonly endsAt: number; failures: number }>()

  return {
    refusalOf(address) {
      const window = windows.get(customerOf(address))
      if (window === undefined || nowMs() >= window.endsAt || window.failures < MAX_FAILURES) return null
      const seconds = Math.ceil((window.endsAt - nowMs()) / 1000)
      return new TandemError('rate_limited', `too many wrong tokens from your address: try again in ${seconds} seconds`, {
        retryAfterSeconds: seconds,
      })
    },
    addFailure(address) {
      const network = customerOf(address)
      const known = windows.get(network)
      if (known !== undefined && nowMs() < known.endsAt) {
        known.failures += 1
        return
      }
      windows.delete(network)
      windows.set(network, { endsAt: nowMs() + WINDOW_MS, failures: 1 })
      const oldest = windows.keys().next().value
      if (windows.size > MAX_ADDRESSES && oldest !== undefined) windows.delete(oldest)
    },
  }
}
