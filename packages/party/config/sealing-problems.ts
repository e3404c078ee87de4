/** Which keys a configuration must have: an engine the vault key, and a process with `--role api` only what was derived from it. */
import type { PartyConfig, ServiceConfig } from './schema.ts'

/** A solver has no `relay_key` and seals nothing. */
export function sealingProblems(
  config: PartyConfig & Partial<Pick<ServiceConfig, 'relay_key' | 'vault_key' | 'sealing'>>,
): readonly string[] {
  const { relay_key: relayKey, vault_key: vaultKey, sealing } = config
  if (relayKey === undefined) return []
  if (vaultKey === undefined && sealing === undefined)
    return ['/vault_key is missing (the configuration of a process with `--role api` has /sealing instead)']
  if (vaultKey !== undefined && sealing !== undefined)
    return ['/sealing and /vault_key are both given: an engine has /vault_key, a process with `--role api` has /sealing']
  return []
}
