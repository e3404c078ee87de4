/** Whether the keys of a solver are where its configuration says: with a signer, the solver has public keys only. */
import { keyReferences } from './keyring.ts'
import type { ChainsConfig, SolverConfig } from './schema.ts'

export function signerProblems({
  signer,
  private_key: keys,
}: ChainsConfig & Partial<Pick<SolverConfig, 'signer' | 'private_key'>>): readonly string[] {
  if (signer === undefined || keys === undefined) return []
  const places = [
    ...((signer.socket === undefined) === (signer.url === undefined) ? ['/signer needs either /socket or /url'] : []),
    ...((signer.url === undefined) === (signer.tls === undefined) ? [] : ['/signer/url and /signer/tls belong together']),
  ]
  const held = keyReferences(keys, { chains: [], assets: [] }).filter(({ reference }) => !('public_key' in reference))
  return [
    ...places,
    ...held.map(
      ({ place }) =>
        `/private_key${place} names a private key, and /signer is there: a solver with a signer has public keys only. ` +
        'Put {"public_key": …} in its place, as `tandem keys show --all` prints it for the signer, and remove the private key from this machine',
    ),
  ]
}
