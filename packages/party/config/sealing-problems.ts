/**
 * Which keys a configuration must have: an engine the vault key and the private keys that sign claims, and a process with `--role api` only what
 * was derived from them.
 */
import { keyReferences } from './keyring.ts'
import type { ChainsConfig, ServiceConfig } from './schema.ts'

/** Only a service has a `relay_key` and seals something. */
export function sealingProblems(
  config: ChainsConfig & Partial<Pick<ServiceConfig, 'relay_key' | 'vault_key' | 'sealing' | 'earnings'>>,
): readonly string[] {
  const { relay_key: relayKey, vault_key: vaultKey, sealing, earnings } = config
  if (relayKey === undefined) return []
  if (vaultKey === undefined && sealing === undefined)
    return ['/vault_key is missing (the configuration of a process with `--role api` has /sealing instead)']
  if (vaultKey !== undefined && sealing !== undefined)
    return ['/sealing and /vault_key are both given: an engine has /vault_key, a process with `--role api` has /sealing']
  return sealing === undefined ? [] : claimKeyProblems(earnings)
}

function claimKeyProblems(earnings: ServiceConfig['earnings']): readonly string[] {
  const given = earnings === undefined ? [] : keyReferences(earnings.signing_key, { chains: [], assets: [] })
  return given
    .filter(({ reference }) => !('public_key' in reference))
    .map(
      ({ place }) =>
        `/earnings/signing_key${place} names a private key, and this configuration has /sealing: a process with \`--role api\` must not have ` +
        'the key that signs what affiliates can claim. Put {"public_key": …} in its place, as `tandem keys show --all` on the machine of the ' +
        'engine prints it, and remove the file of the private key from this machine',
    )
}
