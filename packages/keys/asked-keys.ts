/** Keys that another process holds: it is asked for each signature, decodes what is to be signed, and may refuse. */
import type { Curve, Key, KeyHandle, PublicKey, Signer } from './key.ts'

export type AskedSigner = Pick<Signer, 'curve' | 'publicKey' | 'purpose'>

/** The chain of the purposes says whose operation or job it is. */
export type Question = {
  readonly way: 'operation' | 'job'
  readonly name: string
  readonly signers: readonly AskedSigner[]
  readonly args: readonly unknown[]
}

/** The process that has the keys. Each call rejects if it refuses or cannot be reached. */
export interface KeyHolder {
  sign(question: Question): Promise<unknown>
  /** Nonces of the first call stay with the holder until the second takes them up. */
  begin(question: Question): Promise<{ readonly value: unknown; readonly session: string }>
  finish(session: string, name: string, args: readonly unknown[]): Promise<unknown>
}

const holders = new WeakMap<KeyHandle, KeyHolder>()

export function createAskedKey<C extends Curve>({ curve, publicKey }: PublicKey & { readonly curve: C }, holder: KeyHolder): Key<C> {
  const handle: KeyHandle = { curve }
  holders.set(handle, holder)
  return { curve, publicKey, signerFor: (purpose) => ({ curve, publicKey, purpose, handle }) }
}

/** Returns null for a key that this process holds. */
export function holderOf(signers: readonly Pick<Signer, 'handle'>[]): KeyHolder | null {
  const [first, ...others] = signers.map(({ handle }) => holders.get(handle) ?? null)
  if (first === undefined || others.some((other) => other !== first)) throw new Error('keys of different holders cannot sign together')
  return first
}
