/** Verifies that a known service signed each request, and signs each answer, as in docs/solver-protocol.md. */

import { contentDigest } from '@tandem/party/solver-auth/message-signature.ts'
import { signAnswer } from '@tandem/party/solver-auth/sign.ts'
import type { SigningKey } from '@tandem/party/solver-auth/signing-key.ts'
import { createRequestVerifier, type KnownCaller, type VerifiedRequest } from '@tandem/party/solver-auth/verify-request.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
    verified: VerifiedRequest | null
  }
}

export interface Caller {
  readonly service: string
  /** Throws if the caller has stopped waiting. Call this before work that would then be wasted. */
  assertInTime(): void
}

const EMPTY_DIGEST = contentDigest('')

export type Authentication = {
  readonly key: SigningKey
  readonly services: readonly KnownCaller[]
}

/** Call this before the routes and other hooks are added. */
export function authenticate(app: FastifyInstance, { key, services }: Authentication): void {
  const verifier = createRequestVerifier({ callers: services, recipient: key.publicKey })
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.decorateRequest('verified', null)
  app.decorateRequest('caller')

  app.addHook('onRequest', async (request) => {
    const { method, headers, url: target } = request
    const verified = verifier.verify({ method, target, headers })
    request.verified = verified
    verified.assertFresh()
    if (method === 'GET' && verified.contentDigest !== EMPTY_DIGEST) throw wrongDigest()
    request.caller = callerOf(verified, performance.now())
  })

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (contentDigest(body) === request.verified?.contentDigest) parseJson(request, body.toString(), done)
    else done(wrongDigest())
  })

  app.addHook('preHandler', async ({ caller }) => caller.assertInTime())

  app.addHook('onSend', async (request, reply, payload) => {
    const { verified } = request
    if (verified === null) return payload
    if (typeof payload !== 'string') throw new Error('only text answers can be signed')
    reply.headers(signAnswer(key, { status: reply.statusCode, body: payload, requestSignature: verified.signature, nowMs: Date.now() }))
    return payload
  })
}

function callerOf({ caller, waitMs }: VerifiedRequest, arrivedMs: number): Caller {
  return {
    service: caller,
    assertInTime() {
      if (performance.now() - arrivedMs <= waitMs) return
      throw new TandemError('chain_unavailable', `too late: the caller waits only ${waitMs} ms for the answer`)
    },
  }
}

function wrongDigest(): TandemError {
  return new TandemError('unauthorized', 'content-digest does not match the body')
}
