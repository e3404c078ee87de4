/** `tandem keys` makes the ed25519 keys by which services and solvers know each other, and derives those with which an API seals. */
import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { loadConfig } from '@tandem/party/config/load-config.ts'
import { loadPartyConfig } from '@tandem/party/config/load-party-config.ts'
import { ServiceConfig } from '@tandem/party/config/schema.ts'
import { createSigningKey } from '@tandem/party/solver-auth/signing-key.ts'
import { deriveSealingKeys } from '@tandem/party/store/orders/sealed-values.ts'
import { configPath } from './config-path.ts'
import type { Terminal } from './terminal.ts'

export async function createKeyCommand(file: string, terminal: Terminal): Promise<void> {
  const seed = randomBytes(32).toString('hex')
  await writeKey(file, seed)
  terminal.answer(createSigningKey(seed).publicKey)
  terminal.note(`This is the public key, for the other party. The private key is in ${file}: name this file in your configuration.`)
}

export async function showKeyCommand(options: { readonly config?: string }, terminal: Terminal): Promise<void> {
  const { given, readSecret } = await loadPartyConfig(configPath(options.config))
  const reference = given.party === 'service' ? given.config.solver_signing_key : given.config.signing_key
  terminal.answer(createSigningKey(await readSecret(reference)).publicKey)
  terminal.note(
    given.party === 'service'
      ? 'This is the public key of the service. Operators of solvers list it in `services`.'
      : 'This is the public key of the solver. Operators of services list it in `solvers`.',
  )
}

/** Writes the seal key into a new file, and shows the setting that takes the place of the vault key where the API runs alone. */
export async function sealingKeysCommand(file: string, options: { readonly config?: string }, terminal: Terminal): Promise<void> {
  const { config, readSecret } = await loadConfig(ServiceConfig, configPath(options.config), 'database')
  if (config.vault_key === undefined)
    throw new Error('this configuration has no vault_key to derive from: use the configuration of the engine')
  const { publicKey, sealKey } = deriveSealingKeys(await readSecret(config.vault_key))
  await writeKey(file, sealKey)
  terminal.answer(JSON.stringify({ sealing: { public_key: publicKey, seal_key: { file } } }, null, 2))
  terminal.note(
    `Put this in the place of vault_key in the configuration of the process with \`--role api\`, and ${file} on its machine. Keep the vault key away from there.`,
  )
}

/** A file is never overwritten, because it may hold a key that is in use. */
async function writeKey(file: string, key: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writeFile(file, `${key}\n`, { mode: 0o600, flag: 'wx' })
}
