/** Verifies the caller of a request: a known key must have signed it recently, and it must not have been used before. */
import type { IncomingHttpHeaders } from 'node:http'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Role } from '@tandem/protocol/order.ts'
import { parseInput, parseSignature, REQUEST_COMPONENTS, requestBase } from './message-signature.ts'
import { createVerifyingKey, type VerifyingKey } from './signing-key.ts'

export type KnownCaller = { readonly id: string; readonly publicKey: string }

export type RequestToVerify = {
  readonly method: string
  readonly target: string
  readonly headers: IncomingHttpHeaders
}

export type VerifiedRequest = {
  readonly caller: string
  /** The caller waits this long for the answer, counted from the arrival of the request. */
  readonly waitMs: number
  readonly contentDigest: string
  /** The signature of the answer covers this signature of the request. */
  readonly signature: string
  /** Throws if the request is too old, from the future, or a repeat. It is separate because this refusal can be signed. */
  assertFresh(): void
}

export interface RequestVerifier {
  /** Throws `unauthorized`. */
  verify(request: RequestToVerify): VerifiedRequest
}

/** Clocks of two parties may differ by this much. */
const CLOCK_TOLERANCE_SECONDS = 30

/** A larger `waitMs` is refused. */
const MAX_WAIT_SECONDS = 60

/** The limit is per caller. It allows about 1,600 requests a second while nonces are remembered, and takes about 10 MB. */
const MAX_NONCES = 100_000

type Caller = { readonly id: string; readonly key: VerifyingKey; readonly nonces: Nonces }

export function createRequestVerifier(options: {
  readonly callers: readonly KnownCaller[]
  readonly recipient: string
  /** This party verifies. The default is a solver. */
  readonly role?: Role
  readonly nowMs?: () => number
  readonly maxNonces?: number
}): RequestVerifier {
  const { recipient, role = 'solver', nowMs = Date.now, maxNonces = MAX_NONCES } = options
  const others = role === 'solver' ? 'service' : 'solver'
  const callers = new Map<string, Caller>(
    options.callers.map(({ id, publicKey }) => [
      publicKey,
      { id, key: createVerifyingKey(publicKey), nonces: createNonces(CLOCK_TOLERANCE_SECONDS, maxNonces) },
    ]),
  )
  if (callers.size < options.callers.length) throw new Error(`two ${others}s have the same public key: every ${others} needs its own`)
  let startedAt = seconds()

  function seconds(): number {
    return Math.floor(nowMs() / 1000)
  }

  function assertFresh({ nonces }: Caller, nonce: string, created: number): void {
    const now = seconds()
    const off = created - now
    // If our clock was ahead at the start and is set back, requests must not be refused until it catches up.
    startedAt = Math.min(startedAt, now)
    if (Math.abs(off) > CLOCK_TOLERANCE_SECONDS) {
      const which = off > 0 ? 'ahead of' : 'behind'
      throw unauthorized(
        `the request was signed ${Math.abs(off)} s ${which} our clock, at most ${CLOCK_TOLERANCE_SECONDS} s are accepted: set the clocks of both machines (NTP)`,
      )
    }
    // Nonces are only in memory, so a request from before the start may have been used already.
    if (created < startedAt) throw unauthorized('the request was signed before this process was started: sign a new one')
    const use = nonces.use(nonce, created, now)
    if (use === 'full')
      throw new TandemError('rate_limited', `more than ${maxNonces} requests within ${2 * CLOCK_TOLERANCE_SECONDS} s`, {
        retryAfterSeconds: 1,
      })
    if (!use) throw unauthorized('the nonce was used before: every request needs its own')
  }

  return {
    verify({ method, target, headers }) {
      const { signature: signatureHeader, 'signature-input': inputHeader, 'content-digest': contentDigest } = headers
      if (typeof signatureHeader !== 'string' || typeof inputHeader !== 'string' || typeof contentDigest !== 'string')
        throw unauthorized('requests must have the headers content-digest, signature-input and signature (RFC 9421)')
      const signature = parseSignature(signatureHeader)
      const input = parseInput(inputHeader, REQUEST_COMPONENTS)
      if (signature === null || input?.nonce === undefined || input.expires === undefined || input.nonce.length < 16)
        throw unauthorized('signature-input or signature is not in the form of the protocol (docs/solver-protocol.md)')
      const caller = callers.get(input.keyid)
      if (caller === undefined) throw unauthorized(`the key ${input.keyid} is not known here: add it to ${others}s`)
      if (headers['tandem-recipient'] !== recipient)
        throw unauthorized(`the request is for another ${role}: our public key is ${recipient}`)
      if (!caller.key.verify(requestBase({ method, target, contentDigest, recipient }, input.text), signature))
        throw unauthorized('the signature does not fit the request: a proxy must not change its path, query or body')
      const waitSeconds = Math.min(Math.max(input.expires - input.created, 0), MAX_WAIT_SECONDS)
      const { nonce, created } = input
      return {
        caller: caller.id,
        waitMs: waitSeconds * 1000,
        contentDigest,
        signature: signatureHeader,
        assertFresh: () => assertFresh(caller, nonce, created),
      }
    },
  }
}

function unauthorized(message: string): TandemError {
  return new TandemError('unauthorized', message)
}

interface Nonces {
  /**
   * Returns false if the nonce was used before, and `full` if there are too many to remember. A repeated request has the same `created`.
   */
  use(nonce: string, created: number, now: number): boolean | 'full'
}

/** A request older than `keepSeconds` is refused by its time alone, so its nonce can be forgotten. */
export function createNonces(keepSeconds: number, maxCount: number): Nonces {
  const bySecond = new Map<number, Set<string>>()
  let count = 0
  let forgottenAt = 0

  function forgetOld(now: number): void {
    if (now === forgottenAt) return
    forgottenAt = now
    for (const [second, nonces] of bySecond) {
      if (second >= now - keepSeconds) continue
      bySecond.delete(second)
      count -= nonces.size
    }
  }

  return {
    use(nonce, created, now) {
      forgetOld(now)
      const nonces = bySecond.get(created) ?? new Set()
      if (nonces.has(nonce)) return false
      if (count >= maxCount) return 'full'
      bySecond.set(created, nonces.add(nonce))
      count += 1
      return true
    },
  }
}
