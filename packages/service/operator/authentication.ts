/** Who calls: by the cookie of the page, with CSRF protection, or by a bearer token. */
import { createHash } from 'node:crypto'
import type { Database } from '@tandem/party/store/database/database.ts'
import { closeSession, findSession, openSession } from '@tandem/party/store/operators/sessions.ts'
import { findOperator, isSameText, type Operator, secretOf } from '@tandem/party/store/operators/tokens.ts'
import { createValidHashes } from '@tandem/party/store/operators/valid-hashes.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import { createLoginLimit } from './login-limit.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the authentication of every route of the operator. */
    operator: CallingOperator | null
  }
}

export type CallingOperator = Operator & {
  /** Null for a bearer token. */
  readonly cookie: string | null
  readonly until: Date | null
}

export interface OperatorAuthentication {
  /** For every route but the login. Sets `request.operator`. */
  readonly authenticate: onRequestAsyncHookHandler
  login(request: FastifyRequest, reply: FastifyReply, token: string): Promise<CallingOperator>
  logout(request: FastifyRequest, reply: FastifyReply): Promise<void>
  /** Throws unless the request carries a valid token as bearer. */
  assertBearer(request: FastifyRequest): Promise<void>
}

const COOKIE = 'tandem_operator'
const PATH = '/operator'

/** Known only to who can read the answers of the service, as a page of another origin cannot. */
export function csrfTokenOf(cookie: string): string {
  return createHash('sha256').update(`csrf ${cookie}`).digest('hex')
}

export function createOperatorAuthentication(options: {
  readonly db: Database
  /** The page is served over TLS by a proxy in front of us. */
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

  /** Counts as a failure of the caller's address. */
  function refuse(request: FastifyRequest, why: string): TandemError {
    limit.noteFailure(request.ip)
    return new TandemError('unauthorized', why)
  }

  /**
   * After too many failures of the address only a right secret passes: others behind the same address must not lock an operator out. Which are right is known
   * without the database, so a wrong one costs no more than before.
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

/** Browsers state it. Another port of this host is another origin, but gets cookies of `SameSite=Strict`. */
function assertSameOrigin({ headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    throw new TandemError('forbidden', 'only the operator page of this service may call this')
}

function assertCsrf({ headers }: FastifyRequest, cookie: string): void {
  const given = headers['x-csrf-token']
  if (typeof given !== 'string' || !isSameText(given, csrfTokenOf(cookie)))
    throw new TandemError('forbidden', 'the header x-csrf-token is missing or wrong: GET /operator/api/session tells it')
}

function bearerOf({ headers }: FastifyRequest): string | null {
  return /^Bearer (\S{1,200})$/i.exec(headers.authorization ?? '')?.[1] ?? null
}

function cookieOf({ headers }: FastifyRequest): string | null {
  const pair = (headers.cookie ?? '').split(';').find((part) => part.trim().startsWith(`${COOKIE}=`))
  const value = pair?.trim().slice(COOKIE.length + 1) ?? ''
  return /^[0-9a-f]{64}$/.test(value) ? value : null
}
