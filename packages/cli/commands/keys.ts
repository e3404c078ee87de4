/** `tandem keys` makes, encrypts and shows keys: those by which services and solvers know each other, and those of chains. */
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import type { Curve } from '@tandem/keys/key.ts'
import { createKey, curves, randomPrivateKey } from '@tandem/keys/keyring.ts'
import { encryptSecret, isEncrypted } from '@tandem/party/config/encrypted-file.ts'
import { readPublicKeys } from '@tandem/party/config/keyring.ts'
import { type LoadedParty, loadPartyConfig } from '@tandem/party/config/load-party-config.ts'
import { fileFault } from '@tandem/party/config/problem-texts.ts'
import type { KeyReference, KeyReferences } from '@tandem/party/config/schema.ts'
import { createSigningKey } from '@tandem/party/solver-auth/signing-key.ts'
import { configPath } from './config-path.ts'
import { isNamed, type PassphraseOptions, readPassphrase } from './read-passphrase.ts'
import type { Terminal } from './terminal.ts'
import { writeKeyFile } from './write-key-file.ts'

export type CreateOptions = PassphraseOptions & { readonly curve?: string; readonly encrypt?: boolean }

/** With `--encrypt` only the encrypted key is written. */
export async function createKeyCommand(file: string, options: CreateOptions, terminal: Terminal): Promise<void> {
  const curve = parseCurve(options.curve)
  if (options.encrypt !== true && isNamed(options)) throw new Error('a passphrase is used with --encrypt only')
  const key = randomPrivateKey(curve)
  const text = options.encrypt === true ? await encryptSecret(key, await readPassphrase(options)) : `${key}\n`
  await writeKeyFile(file, text)
  terminal.answer(hexOf(createKey(curve, key).publicKey))
  const naming = options.encrypt === true ? `name this file and its passphrase` : `name this file`
  terminal.note(`This is the public key, for the other party. The private key is in ${file}: ${naming} in your configuration.`)
}

/** Replaces the file by its encrypted form in one step: it holds the one or the other. */
export async function encryptKeyCommand(file: string, options: PassphraseOptions, terminal: Terminal): Promise<void> {
  const secret = (await readFile(file, 'utf8').catch((cause: unknown) => throwFault(file, cause))).trim()
  if (secret === '') throw new Error(`${file} is empty: expected a secret`)
  if (isEncrypted(secret)) throw new Error(`${file} is encrypted already`)
  const next = `${file}.encrypted-${process.pid}`
  const encrypted = await encryptSecret(secret, await readPassphrase(options))
  try {
    await writeFile(next, encrypted, { mode: 0o600, flag: 'wx', flush: true })
    await rename(next, file)
  } catch (error) {
    await rm(next, { force: true })
    throw error
  }
  terminal.note(
    `${file} is encrypted. Copies of the plain file, in backups or on this disk, are not: for a key of much value, create a new one.`,
  )
}

function throwFault(file: string, cause: unknown): never {
  throw new Error(`${file} ${fileFault(cause)}`, { cause })
}

function parseCurve(text = 'ed25519'): Curve {
  const curve = curves.find((known) => known === text)
  if (curve === undefined) throw new Error(`--curve takes ${curves.join(', ')}, got "${text}"`)
  return curve
}

export type ShowOptions = { readonly config?: string; readonly all?: boolean }

export async function showKeyCommand(options: ShowOptions, terminal: Terminal): Promise<void> {
  const loaded = await loadPartyConfig(configPath(options.config))
  const { given } = loaded
  const reference = given.party === 'service' ? given.config.solver_signing_key : given.config.signing_key
  const publicKey = await publicSigningKey(reference, loaded)
  if (options.all === true) {
    terminal.answer(JSON.stringify(await publicSettings(loaded, { public_key: publicKey }), null, 2))
    terminal.note('With these settings a copy of the configuration can watch, and sign nothing.')
    return
  }
  terminal.answer(publicKey)
  terminal.note(
    given.party === 'service'
      ? 'This is the public key of the service. Operators of solvers list it in `services`.'
      : 'This is the public key of the solver. Operators of services list it in `solvers`.',
  )
}

async function publicSigningKey(reference: KeyReference, { readSecret }: LoadedParty): Promise<string> {
  return 'public_key' in reference ? reference.public_key : createSigningKey(await readSecret(reference)).publicKey
}

async function publicSettings(loaded: LoadedParty, signing: { readonly public_key: string }): Promise<object> {
  const { given } = loaded
  if (given.party === 'solver') return { private_key: await publicSetting(given.config.private_key, loaded), signing_key: signing }
  const { relay_key, earnings } = given.config
  return {
    relay_key: await publicSetting(relay_key, loaded),
    solver_signing_key: signing,
    ...(earnings !== undefined && { earnings: { ...earnings, signing_key: await publicSetting(earnings.signing_key, loaded) } }),
  }
}

/** In the shape of the setting, with public keys only. */
async function publicSetting(references: KeyReferences, loaded: LoadedParty): Promise<object> {
  const shown = (await readPublicKeys(references, loaded)).map(({ chain, owner, key }) => {
    return { chain, entry: [owner, { public_key: hexOf(key.publicKey) }] as const }
  })
  const ofChains = shown.flatMap(({ chain, entry }) => (chain === null ? [] : [entry]))
  return {
    ...Object.fromEntries(shown.flatMap(({ chain, entry }) => (chain === null ? [entry] : []))),
    ...(ofChains.length > 0 && { chains: Object.fromEntries(ofChains) }),
  }
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
