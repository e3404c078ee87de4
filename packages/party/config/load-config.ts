/** Reads and checks a configuration file. Secrets are in other files or in environment variables, to which the file only refers. */
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
import type { PartyConfig, SecretReference, ServiceConfig, SolverConfig } from './schema.ts'
import { sealingProblems } from './sealing.ts'
import { shapeProblems } from './shape-problems.ts'

export type LoadedConfig<T> = {
  readonly config: T
  /** The chains and assets of its environment, and those that it adds. */
  readonly rows: Environment
  /** Throws if the secret is empty. */
  readSecret(reference: SecretReference | string): Promise<string>
  pathOf(file: string): string
}

type PartySchema = typeof ServiceConfig | typeof SolverConfig

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
  assertNone(path, sealingProblems(config))
  const { rows, added, problems } = environmentWith(config.environment, config.registry)
  assertNone(path, problems)
  assertNone(path, nameProblems(config, rows))
  assertNone(path, additionProblems(config, rows, added))
  if (use === 'chains') assertNone(path, await connectProblems(config, rows, added))
  return {
    config,
    rows,
    readSecret: (reference) => readSecret(reference, dirname(path), settingOf(config, reference)),
    pathOf: (file) => resolve(dirname(path), file),
  }
}

function assertNone(path: string, problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(`configuration ${path} is not valid: ${problems.join('\n  and ')}`)
}

/** `setting` is the path of the setting that names the secret. */
async function readSecret(reference: SecretReference | string, base: string, setting: string): Promise<string> {
  if (typeof reference === 'string') return reference
  const place = `${setting}: the ${'file' in reference ? `file ${resolve(base, reference.file)}` : `environment variable ${reference.env}`}`
  const value = 'file' in reference ? await readSecretFile(resolve(base, reference.file), place) : process.env[reference.env]
  if (value === undefined) throw new Error(`${place} is not set`)
  if (value.trim() === '') throw new Error(`${place} is empty: expected a secret`)
  return value.trim()
}

async function readSecretFile(path: string, place: string): Promise<string> {
  return readFile(path, 'utf8').catch((cause: unknown) => {
    throw new Error(`${place} ${fileFault(cause)}`, { cause })
  })
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
