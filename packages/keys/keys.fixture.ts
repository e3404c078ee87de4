/** Test keys sign without a call of `signerFor`, for a purpose that no order has. */
import { heldKeyOf, holdKey } from './held-keys.ts'
import type { Curve, Key, Signer } from './key.ts'
import { signingOf } from './operations.ts'
import type { Purpose } from './purpose.ts'
import type { RawSigners } from './raw-signer.ts'
import { createSecp256k1Key } from './secp256k1.ts'

export const testPurpose: Purpose = { kind: 'deploy', chain: 'test', asset: 'test:test' }

export type TestSigner = Key<'secp256k1'> & Signer<'secp256k1'> & RawSigners['secp256k1']

export function createTestSigner(privateKey: string): TestSigner {
  const key = createSecp256k1Key(privateKey)
  return { ...key, ...rawSignerOf(key), ...key.signerFor(testPurpose) }
}

/** These sign a digest, which no operation of a family does. */
export const testSigning = signingOf('secp256k1', { digest: (signer, digest: Uint8Array) => signer.signEcdsa(digest) })

/** Signs what no operation of ours makes, as another wallet would. */
export function rawSignerOf<C extends Curve>(key: Key<C>): RawSigners[C] {
  return heldKeyOf(key.signerFor(testPurpose).handle).rawSignerFor(testPurpose) as RawSigners[C]
}

/** The key of this signer signs in this way. */
export function signerBy<C extends Curve>(raw: RawSigners[C]): Signer<C> {
  return holdKey<C>(raw.curve as C, { publicKey: raw.publicKey, rawSignerFor: () => raw }).signerFor(testPurpose)
}

/** The copy of the key records the purpose of each operation that it signs. */
export function withRecordedPurposes<K extends Key>(key: K): { readonly key: K; readonly purposes: readonly Purpose[] } {
  const purposes: Purpose[] = []
  const recording = (signer: Signer): Signer => ({
    ...signer,
    permit(operation, args) {
      purposes.push(signer.purpose)
      signer.permit?.(operation, args)
    },
  })
  return { key: { ...key, signerFor: (purpose: Purpose) => recording(key.signerFor(purpose)) }, purposes }
}
