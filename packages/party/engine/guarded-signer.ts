/** A signer that signs only while a condition holds. */
import type { Signer } from '@tandem/keys/key.ts'

/** `assertMaySign` throws to refuse a signature. */
export function guardSigner(signer: Signer, assertMaySign: () => void): Signer {
  const guard =
    <Args extends readonly unknown[], Result>(sign: (...args: Args) => Result) =>
    (...args: Args): Result => {
      assertMaySign()
      return sign(...args)
    }
  switch (signer.curve) {
    case 'secp256k1':
      return {
        ...signer,
        signEcdsa: guard(signer.signEcdsa),
        signSchnorr: guard(signer.signSchnorr),
        startMusig: guard(signer.startMusig),
        lend: guard(signer.lend),
      }
    case 'ed25519':
      return { ...signer, signMessage: guard(signer.signMessage) }
    case 'stark':
      return { ...signer, signFelt: guard(signer.signFelt) }
  }
}
