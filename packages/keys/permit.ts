/** A chain family may refuse to sign what does not serve the stated purpose. */
import type { PublicKey } from './key.ts'
import type { Purpose } from './purpose.ts'

/** Throws `SigningRefused` unless the operation of the family with these arguments does what the purpose says, and nothing else. */
export type PermitSigning = (request: SigningRequest) => void

export type SigningRequest = {
  readonly key: PublicKey
  readonly purpose: Purpose
  readonly operation: string
  readonly args: readonly unknown[]
  /** The key was made for the user of one order. It is absent for keys of our own, which pay ourselves. */
  readonly isOrderKey?: true
}

export class SigningRefused extends Error {
  constructor(purpose: Purpose, reason: string) {
    super(`refused to sign for ${describe(purpose)}: ${reason}`)
    this.name = 'SigningRefused'
  }
}

function describe(purpose: Purpose): string {
  if (purpose.kind !== 'order') return `the purpose "${purpose.kind}" on ${purpose.chain}`
  const actions = purpose.actions.map(({ verb, leg, order }) => `${verb} of the ${leg} of ${order}`)
  return `${actions.join(', ')} on ${purpose.chain}`
}
