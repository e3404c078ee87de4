import { loadConfig } from '@tandem/party/config/load-config.ts'
import { ServiceConfig } from '@tandem/party/config/schema.ts'
import { deriveSealingKeys } from '@tandem/party/store/orders/sealed-values.ts'
import { configPath } from './config-path.ts'
import type { Terminal } from './terminal.ts'
import { writeKeyFile } from './write-key-file.ts'

/** Writes the seal key into a new file, and shows the setting that takes the place of the vault key where the API runs alone. */
export async function sealingKeysCommand(file: string, options: { readonly config?: string }, terminal: Terminal): Promise<void> {
  const { config, readSecret } = await loadConfig(ServiceConfig, configPath(options.config), 'database')
  if (config.vault_key === undefined)
    throw new Error('this configuration has no vault_key to derive from: use the configuration of the engine')
  const { publicKey, sealKey } = deriveSealingKeys(await readSecret(config.vault_key))
  await writeKeyFile(file, `${sealKey}\n`)
  terminal.answer(JSON.stringify({ sealing: { public_key: publicKey, seal_key: { file } } }, null, 2))
  terminal.note(
    `Put this in the place of vault_key in the configuration of the process with \`--role api\`, and ${file} on its machine. Keep the vault key away from there.`,
  )
}
