/** Reads the keys of a service that seal and open: an engine has the vault key, and a process with `--role api` only what was derived from it. */
import type { LoadedConfig } from '@tandem/party/config/load-config.ts'
import type { ServiceConfig } from '@tandem/party/config/schema.ts'
import { createVault, type SealingKeys, type Vault } from '@tandem/party/store/orders/sealed-values.ts'

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
