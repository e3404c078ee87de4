/** The passphrase of a command comes from a file or a variable: arguments are visible to other users of the machine. */
import { createSecretReader } from '@tandem/party/config/read-secret.ts'

export type PassphraseOptions = { readonly passphraseFile?: string; readonly passphraseEnv?: string }

/** A thief of the file can try passphrases for years. */
const MIN_LENGTH = 12

export const isNamed = ({ passphraseFile, passphraseEnv }: PassphraseOptions): boolean =>
  passphraseFile !== undefined || passphraseEnv !== undefined

/** Errors must not quote the passphrase. */
export async function readPassphrase({ passphraseFile, passphraseEnv }: PassphraseOptions): Promise<string> {
  if ((passphraseFile === undefined) === (passphraseEnv === undefined))
    throw new Error('say where the passphrase is: --passphrase-file <file> or --passphrase-env <variable>')
  const [option, reference] =
    passphraseFile === undefined
      ? (['--passphrase-env', { env: passphraseEnv ?? '' }] as const)
      : (['--passphrase-file', { file: passphraseFile }] as const)
  const passphrase = await createSecretReader(process.cwd()).read(reference, option)
  if (passphrase.length < MIN_LENGTH) throw new Error(`${option}: the passphrase is too short: expected ${MIN_LENGTH} characters or more`)
  return passphrase
}
