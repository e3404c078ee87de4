// Solvers know apps and owners only by pseudonyms.
import { hash } from 'node:crypto'

/** A solver knows an app or an owner only by this pseudonym. */
export function opaque(kind: 'app' | 'owner', name: string): string {
  return hash('sha256', `tandem ${kind} ${name}`, 'hex').slice(0, kind === 'app' ? 32 : 64)
}
