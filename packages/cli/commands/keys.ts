/** `tandem keys` makes the ed25519 keys by which services and solvers know each other. */
import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { loadPartyConfig } from '@tandem/party/config/load-party-config.ts'
import { createSigningKey } from '@tandem/party/solver-auth/signing-key.ts'
import { configPath } from './config-path.ts'
import type { Terminal } from './terminal.ts'

/** A file is never overwritten, because it may hold a key that is in use. */
export async function createKeyCommand(file: string, terminal: Terminal): Promise<void> {
  const seed = randomBytes(32).toString('hex')
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writeFile(file, `${seed}\n`, { mode: 0o600, flag: 'wx' })
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
