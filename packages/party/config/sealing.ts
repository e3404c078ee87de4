/** Which keys of a service seal and open: an engine has the vault key, and a process with `--role api` only what was derived from it. */
import { createVault, type SealingKeys, type Vault } from '../store/orders/sealed-values.ts'
import type { LoadedConfig } from './load-config.ts'
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

/** `what` needs the vault key: a process or a command. */
export async function readVault(
  { config, readSecret }: Pick<LoadedConfig<ServiceConfig>, 'config' | 'readSecret'>,
  what: string,
): Promise<Vault> {
  if (config.vault_key === undefined)
    throw new Error(
      `${what} needs vault_key, and this configuration has sealing, with which nothing can be opened: use the configuration of the engine`,
    )
  return createVault(await readSecret(config.vault_key))
}

export async function readSealingKeys({
  config,
  readSecret,
}: Pick<LoadedConfig<ServiceConfig>, 'config' | 'readSecret'>): Promise<SealingKeys> {
  if (config.sealing === undefined)
    throw new Error(
      'a process with `--role api` must not have vault_key, which opens all secrets and keys of orders: put sealing in its place, as `tandem keys sealing` on the machine of the engine prints it, and remove the file of the vault key from this machine',
    )
  const { public_key: publicKey, seal_key: sealKey } = config.sealing
  return { publicKey, sealKey: await readSecret(sealKey) }
}
