/** Reads and checks a configuration file: shape, names, unknown keys. It refers to secrets; they are in other files or in environment variables. */
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Static } from 'typebox'
import { nameProblems } from './name-problems.ts'
import { literalHeaders } from './read-endpoint.ts'
import type { SecretReference, ServiceConfig, SolverConfig } from './schema.ts'
import { shapeProblems } from './shape-problems.ts'

export type LoadedConfig<T> = {
  readonly config: T
  /** Resolves a reference; a plain text is returned as it is. Throws if the secret is empty. */
  readSecret(reference: SecretReference | string): Promise<string>
  /** Of a file that is named relative to the configuration file. */
  pathOf(file: string): string
}

type PartySchema = typeof ServiceConfig | typeof SolverConfig

export async function loadConfig<S extends PartySchema>(schema: S, path: string): Promise<LoadedConfig<Static<S>>> {
  return checkConfig(schema, path, await readConfigFile(path))
}

export async function readConfigFile(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (cause) {
    throw new Error(`cannot read the configuration ${path}: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
}

export async function checkConfig<S extends PartySchema>(schema: S, path: string, parsed: unknown): Promise<LoadedConfig<Static<S>>> {
  assertNone(path, literalHeaders(parsed))
  assertNone(path, shapeProblems(schema, parsed))
  const config = parsed as Static<S>
  assertNone(path, await nameProblems(config))
  return { config, readSecret: (reference) => readSecret(reference, dirname(path)), pathOf: (file) => resolve(dirname(path), file) }
}

function assertNone(path: string, problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(`configuration ${path} is not valid: ${problems.join('\n  and ')}`)
}

async function readSecret(reference: SecretReference | string, base: string): Promise<string> {
  if (typeof reference === 'string') return reference
  const [place, value] =
    'file' in reference
      ? [`the file ${reference.file}`, await readFile(resolve(base, reference.file), 'utf8')]
      : [`the environment variable ${reference.env}`, process.env[reference.env]]
  if (value === undefined) throw new Error(`${place} is not set`)
  if (value.trim() === '') throw new Error(`${place} is empty: expected a secret`)
  return value.trim()
}
