/** The operations and jobs of each chain family by their names, for the process that holds the keys of others. */
import type { Signer } from './key.ts'

export type SigningFamily = {
  readonly name: string
  /** The chain refuses a second HTLC of the same terms, so an initiation may be signed again with any nonce. */
  readonly locksOnce?: true
  /** Returns the nonces or coins that the transaction uses up: of two that share one, at most one is ever mined. */
  usedUp?(name: string, args: readonly unknown[]): readonly string[]
  /** Returns the deposits that are refunded, if that is all that is signed; null means the whole source. It throws for what names no deposit. */
  refunded?(name: string, args: readonly unknown[]): readonly string[] | null
}

export type SigningWay = 'operation' | 'job'

/** What runs with signers whose keys this process holds. Only a job has two parts. */
export interface NamedSigning {
  readonly locksOnce: boolean
  usedUp(args: readonly unknown[]): readonly string[]
  refunded(args: readonly unknown[]): readonly string[] | null
  sign(signers: readonly Signer[], args: readonly unknown[]): Promise<unknown>
  begin?(signers: readonly Signer[], args: readonly unknown[]): Promise<BegunSigning>
}

export type BegunSigning = {
  readonly value: unknown
  finish(name: string, args: readonly unknown[]): Promise<unknown>
}

const listed = new Map<string, NamedSigning>()

export function listSigning(
  way: SigningWay,
  family: SigningFamily,
  signings: Readonly<Record<string, Pick<NamedSigning, 'sign' | 'begin'>>>,
): void {
  for (const [name, signing] of Object.entries(signings)) {
    const key = keyOf(family.name, way, name)
    if (listed.has(key)) throw new Error(`the ${way} "${name}" of ${family.name} is listed twice`)
    listed.set(key, {
      ...signing,
      locksOnce: family.locksOnce === true,
      usedUp: (args) => family.usedUp?.(name, args) ?? [],
      refunded: (args) => family.refunded?.(name, args) ?? null,
    })
  }
}

/** The families are those whose code a chain signs with. The first that has the name counts, so a name has one meaning on a chain. */
export function findSigning(families: readonly string[], way: SigningWay, name: string): NamedSigning | null {
  for (const family of families) {
    const found = listed.get(keyOf(family, way, name))
    if (found !== undefined) return found
  }
  return null
}

const keyOf = (family: string, way: SigningWay, name: string) => `${family} ${way} ${name}`
