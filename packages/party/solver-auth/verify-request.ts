/** Verifies who calls: the signature of a known key over this very request, its time, and that it was not used before. */
import type { IncomingHttpHeaders } from 'node:http'
import { TandemError } from '@tandem/protocol/error.ts'
import { parseInput, parseSignature, REQUEST_COMPONENTS, requestBase } from './message-signature.ts'
import { createVerifyingKey, type VerifyingKey } from './signing-key.ts'

export type KnownCaller = { readonly id: string; readonly publicKey: string }

export type RequestToVerify = {
  readonly method: string
  /** Path and query as they were received. */
  readonly target: string
  readonly headers: IncomingHttpHeaders
}

export type VerifiedRequest = {
  /** The id of the caller. */
  readonly caller: string
  /** How long the caller waits for the answer, from when the request arrived. */
  readonly waitMs: number
  /** The body must have it. */
  readonly contentDigest: string
  /** Of the request: the signature of the answer covers it. */
  readonly signature: string
  /**
   * Throws if the request is too old, from the future, or was used before. Separate, because whoever got so far has signed the request: the refusal can be signed.
   */
  assertFresh(): void
}

export interface RequestVerifier {
  /** Throws `unauthorized`. */
  verify(request: RequestToVerify): VerifiedRequest
}

/** Clocks of two parties may differ by this much. */
const CLOCK_TOLERANCE_SECONDS = 30

/** Longer than any call waits. */
const MAX_WAIT_SECONDS = 60

/** Per caller: about 1,600 requests a second for as long as nonces are remembered. About 10 MB. */
const MAX_NONCES = 100_000

type Caller = { readonly id: string; readonly key: VerifyingKey; readonly nonces: Nonces }

export function createRequestVerifier(options: {
  readonly callers: readonly KnownCaller[]
  /** Our public key. */
  readonly recipient: string
  readonly nowMs?: () => number
  readonly maxNonces?: number
}): RequestVerifier {
  const { recipient, nowMs = Date.now, maxNonces = MAX_NONCES } = options
  const callers = new Map<string, Caller>(
    options.callers.map(({ id, publicKey }) => [
      publicKey,
      { id, key: createVerifyingKey(publicKey), nonces: createNonces(CLOCK_TOLERANCE_SECONDS, maxNonces) },
    ]),
  )
  if (callers.size < options.callers.length) throw new Error('two services have the same public key: every service needs its own')
  let startedAt = seconds()

  function seconds(): number {
    return Math.floor(nowMs() / 1000)
  }

  function assertFresh({ nonces }: Caller, nonce: string, created: number): void {
    const now = seconds()
    const off = created - now
    // The clock was ahead and is set back: otherwise every request until then would be refused.
    startedAt = Math.min(startedAt, now)
    if (Math.abs(off) > CLOCK_TOLERANCE_SECONDS) {
      const which = off > 0 ? 'ahead of' : 'behind'
      throw unauthorized(
        `the request was signed ${Math.abs(off)} s ${which} our clock, at most ${CLOCK_TOLERANCE_SECONDS} s are accepted: set the clocks of both machines (NTP)`,
      )
    }
    // Nonces are in memory only: a request from before the start may have been used.
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
      if (caller === undefined) throw unauthorized(`the key ${input.keyid} is not known here: add it to services`)
      if (headers['tandem-recipient'] !== recipient) throw unauthorized(`the request is for another solver: our public key is ${recipient}`)
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

/** Remembers the nonces of one caller for as long as their requests could be repeated. */
interface Nonces {
  /** False: it was used before. `full`: there are too many to remember. `created`: of its request, which a repeat has too. */
  use(nonce: string, created: number, now: number): boolean | 'full'
}

/** A request is refused on its time alone when its second is older than `keepSeconds`: so its nonce can be forgotten. */
export function createNonces(keepSeconds: number, most: number): Nonces {
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
      if (count >= most) return 'full'
      bySecond.set(created, nonces.add(nonce))
      count += 1
      return true
    },
  }
}
