/** Test keys sign without a call of `signerFor`, for a purpose that no order has. */
import type { Key, KeyOf, Secp256k1Signer, Signer } from './key.ts'
import type { Purpose } from './purpose.ts'
import { createSecp256k1Key } from './secp256k1.ts'

export const testPurpose: Purpose = { kind: 'deploy', chain: 'test', asset: 'test:test' }

export type TestSigner = KeyOf<Secp256k1Signer> & Secp256k1Signer

export function createTestSigner(privateKey: string): TestSigner {
  const key = createSecp256k1Key(privateKey)
  return { ...key, ...key.signerFor(testPurpose) }
}

/** The copy of the key records the purpose of each of its signatures. */
export function withRecordedPurposes<K extends Key>(key: K): { readonly key: K; readonly purposes: readonly Purpose[] } {
  const purposes: Purpose[] = []
  const recording = (signer: Signer) =>
    Object.fromEntries(
      Object.entries(signer).map(([name, value]: [string, unknown]) => {
        if (typeof value !== 'function') return [name, value]
        const recorded = (...args: readonly unknown[]) => {
          purposes.push(signer.purpose)
          return Reflect.apply(value, undefined, args)
        }
        return [name, recorded]
      }),
    )
  return { key: { ...key, signerFor: (purpose: Purpose) => recording(key.signerFor(purpose)) }, purposes }
}
