/** A solver signs a request of the API with its key to see the orders of all apps that it has: docs/solver-protocol.md. */
import { contentDigest } from '@tandem/party/solver-auth/message-signature.ts'
import { createRequestVerifier, type KnownCaller, type RequestToVerify } from '@tandem/party/solver-auth/verify-request.ts'
import { TandemError } from '@tandem/protocol/error.ts'

export interface SolverRequests {
  /** Returns the id of the solver that signed the request, which must have no body; null if it is not signed. Throws `unauthorized`. */
  signerOf(request: RequestToVerify): string | null
}

const EMPTY_DIGEST = contentDigest('')

/** `ownKey` is the public key of the service. */
export function createSolverRequests(solvers: readonly KnownCaller[], ownKey: string): SolverRequests {
  // A key that several solvers share names none of them.
  const callers = solvers.filter(({ publicKey }) => solvers.filter((other) => other.publicKey === publicKey).length === 1)
  const verifier = createRequestVerifier({ callers, recipient: ownKey, role: 'service' })
  return {
    signerOf(request) {
      if (request.headers.signature === undefined && request.headers['signature-input'] === undefined) return null
      const verified = verifier.verify(request)
      verified.assertFresh()
      if (verified.contentDigest !== EMPTY_DIGEST) throw new TandemError('unauthorized', 'content-digest does not match the body')
      return verified.caller
    },
  }
}
