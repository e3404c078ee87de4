/** Reads and checks a configuration file. Secrets are elsewhere, and the file only refers to them. */
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { environmentWith } from '@tandem/families/registry.ts'
import type { Environment } from '@tandem/protocol/registry/environment.ts'
import type { Static } from 'typebox'
import { additionProblems } from './addition-problems.ts'
import { connectProblems, nameProblems } from './name-problems.ts'
import { parseJson } from './parse-json.ts'
import { fileFault } from './problem-texts.ts'
import { literalHeaders } from './read-endpoint.ts'
import { createSecretReader } from './read-secret.ts'
import type { KeyReference, PartyConfig, ServiceConfig, SolverConfig } from './schema.ts'
import { sealingProblems } from './sealing-problems.ts'
import { shapeProblems } from './shape-problems.ts'
import { signerProblems } from './signer-problems.ts'
import type { SignerConfig } from './signer-schema.ts'

export type LoadedConfig<T> = {
  readonly config: T
  /** The chains and assets of its environment, and those that it adds. */
  readonly rows: Environment
  /** Throws if the secret is empty, and for a public key: nothing can be signed with it. */
  readSecret(reference: KeyReference | string): Promise<string>
  /** What is wrong with the secrets that were read, although they can be used. */
  secretWarnings(): readonly string[]
  pathOf(file: string): string
}

type PartySchema = typeof ServiceConfig | typeof SolverConfig | typeof SignerConfig

/** A command that needs only the database starts seconds earlier, because it loads no chain family. */
export type ConfigUse = 'chains' | 'database'

export async function loadConfig<S extends PartySchema>(
  schema: S,
  path: string,
  use: ConfigUse = 'chains',
): Promise<LoadedConfig<Static<S>>> {
  return checkConfig(schema, path, await readConfigFile(path), use)
}

export async function readConfigFile(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new Error(`the configuration ${path} ${fileFault(cause)}`, { cause })
  })
  return parseJson(text, `the configuration ${path}`)
}

export async function checkConfig<S extends PartySchema>(
  schema: S,
  path: string,
  parsed: unknown,
  use: ConfigUse = 'chains',
): Promise<LoadedConfig<Static<S>>> {
  assertNone(path, literalHeaders(parsed))
  assertNone(path, shapeProblems(schema, parsed))
  const config = parsed as Static<S>
  assertNone(path, [...sealingProblems(config), ...signerProblems(config)])
  const { rows, added, problems } = environmentWith(config.environment, config.registry)
  assertNone(path, problems)
  assertNone(path, nameProblems(config, rows))
  assertNone(path, additionProblems(config, rows, added))
  if (use === 'chains') assertNone(path, await connectProblems(config, rows, added))
  const secrets = createSecretReader(dirname(path))
  return {
    config,
    rows,
    async readSecret(reference) {
      if (typeof reference === 'string') return reference
      const setting = settingOf(config, reference)
      if ('public_key' in reference) throw new Error(`${setting} is only a public key: what must sign needs the private key`)
      return secrets.read(reference, setting)
    },
    secretWarnings: secrets.warnings,
    pathOf: (file) => resolve(dirname(path), file),
  }
}

function assertNone(path: string, problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(`configuration ${path} is not valid: ${problems.join('\n  and ')}`)
}

function settingOf(value: unknown, wanted: unknown, path = ''): string {
  if (value === wanted) return path
  if (typeof value !== 'object' || value === null) return ''
  for (const [key, inner] of Object.entries(value)) {
    const found = settingOf(inner, wanted, `${path}/${key}`)
    if (found !== '') return found
  }
  return ''
}

/** A party records in the release log what it signed, outside of its database. Only a solver has a `solver_id`. */
export function releaseLogOf(config: Pick<PartyConfig, 'release_log'> & { readonly solver_id?: string }): string {
  return config.release_log ?? `releases-${encodeURIComponent(config.solver_id ?? 'service')}.log`
}
