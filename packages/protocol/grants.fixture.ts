/** Tests use these grants to initiate. */
import type { InitiateGrant } from './order.ts'

export function signedGrant(signature: string): InitiateGrant {
  return { kind: 'initiate', leg: 'source', consent: { kind: 'signature', signature } }
}

export function prefundedGrant(deadline: bigint): InitiateGrant {
  return { kind: 'initiate', leg: 'source', consent: { kind: 'prefunded', deadline } }
}
