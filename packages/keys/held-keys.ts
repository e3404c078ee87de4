/** The keys of this process, by the handles that stand for them. Only this package reads it: an import rule sees to that. */
import type { Curve, Key, KeyHandle } from './key.ts'
import type { Purpose } from './purpose.ts'
import type { RawSigners } from './raw-signer.ts'

export type HeldKey<C extends Curve = Curve> = {
  readonly publicKey: Uint8Array
  rawSignerFor(purpose: Purpose): RawSigners[C]
  /** Only keys whose operations may run in worker threads have it. */
  readonly secret?: Uint8Array
}

const heldKeys = new WeakMap<KeyHandle, HeldKey>()

export function holdKey<C extends Curve>(curve: C, held: HeldKey<C>): Key<C> {
  const handle: KeyHandle = { curve }
  heldKeys.set(handle, held)
  const { publicKey } = held
  return { curve, publicKey, signerFor: (purpose) => ({ curve, publicKey, purpose, handle }) }
}

/** Throws for a handle that was not made here. */
export function heldKeyOf(handle: KeyHandle): HeldKey {
  const held = heldKeys.get(handle)
  if (held === undefined) throw new Error('this key is not held by this process')
  return held
}
