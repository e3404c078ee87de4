/** These are signing jobs for tests. */
import type { MusigMessage } from './musig2-session.ts'
import type { Secp256k1RawSigner } from './raw-signer.ts'

export const testModule = import.meta.url

type Signers = readonly Secp256k1RawSigner[]

export const jobs = {
  ecdsa: (signers: Signers, digest: Uint8Array) => signers.map((signer) => signer.signEcdsa(digest)),
  purposes: (signers: Signers) => signers.map(({ purpose }) => purpose),
  nonces: (signers: Signers, each: number) => signers.map((signer) => Array.from({ length: each }, () => signer.startMusig().nonce)),
  /** Each signer signs the message of its place, with its first nonce. */
  parts: (signers: Signers, messages: readonly MusigMessage[]) =>
    signers.map((signer, index) => signer.startMusig().sign(messages[index] as MusigMessage)),
  die: () => process.exit(3),
}
