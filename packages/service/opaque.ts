import { hash } from 'node:crypto'

/** What a solver sees of an app or an owner. */
export function opaque(kind: 'app' | 'owner', name: string): string {
  return hash('sha256', `tandem ${kind} ${name}`, 'hex').slice(0, kind === 'app' ? 32 : 64)
}
