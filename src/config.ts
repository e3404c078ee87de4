/** The two parties' configuration files: one schema each, unknown keys refused, secrets by reference only. */
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { type Static, type TSchema, Type } from 'typebox'
import { Value } from 'typebox/value'

const strict = { additionalProperties: false } as const

/** Where a secret is, never the secret itself. File paths are relative to the configuration file. */
const SecretReference = Type.Union([Type.Object({ file: Type.String() }, strict), Type.Object({ env: Type.String() }, strict)])
export type SecretReference = Static<typeof SecretReference>

const Listen = Type.Object({ host: Type.String(), port: Type.Integer({ minimum: 0, maximum: 65535 }) }, strict)

const common = {
  environment: Type.Literal('local'),
  database_url: Type.String(),
  listen: Listen,
  chains: Type.Record(Type.String(), Type.Object({ endpoints: Type.Record(Type.String(), Type.String()) }, strict)),
  deployments: Type.Record(
    Type.String(),
    Type.Object({ htlc: Type.Union([Type.String(), Type.Null()]), token: Type.Union([Type.String(), Type.Null()]) }, strict),
  ),
  /** US dollars per whole coin, as a decimal string. */
  prices: Type.Record(Type.String(), Type.String()),
}

export const ServiceConfig = Type.Object(
  {
    ...common,
    vault_key: SecretReference,
    /** Pays for what the service sends: relayed initiations, redeems, refunds. */
    relay_key: SecretReference,
    solvers: Type.Array(Type.Object({ id: Type.String(), url: Type.String(), token: SecretReference }, strict)),
  },
  strict,
)
export type ServiceConfig = Static<typeof ServiceConfig>

export const SolverConfig = Type.Object(
  {
    ...common,
    solver_id: Type.String({ minLength: 1 }),
    private_key: SecretReference,
    token: SecretReference,
    spread_bips: Type.Integer({ minimum: 0, maximum: 5000 }),
    fixed_fee_usd: Type.String(),
    quote_seconds: Type.Integer({ minimum: 5, maximum: 3600 }),
  },
  strict,
)
export type SolverConfig = Static<typeof SolverConfig>

export type LoadedConfig<T> = {
  readonly config: T
  readSecret(reference: SecretReference): Promise<string>
}

export async function loadConfig<S extends TSchema>(schema: S, path: string): Promise<LoadedConfig<Static<S>>> {
  let parsed: unknown
  try {
    parsed = JSON.parse(await readFile(path, 'utf8'))
  } catch (cause) {
    throw new Error(`cannot read the configuration ${path}: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
  if (!Value.Check(schema, parsed)) {
    const [first] = Value.Errors(schema, parsed)
    // JSON Schema refuses an unknown key by the schema `false`.
    const why = first?.keyword === 'boolean' ? 'is not a known setting' : first?.message
    throw new Error(`configuration ${path} is not valid: ${first?.instancePath || '/'} ${why}`)
  }
  return { config: parsed, readSecret: (reference) => readSecret(reference, dirname(path)) }
}

async function readSecret(reference: SecretReference, base: string): Promise<string> {
  const [place, value] =
    'file' in reference
      ? [`the file ${reference.file}`, await readFile(resolve(base, reference.file), 'utf8')]
      : [`the environment variable ${reference.env}`, process.env[reference.env]]
  if (value === undefined) throw new Error(`${place} is not set`)
  if (value.trim() === '') throw new Error(`${place} is empty, and should hold a secret`)
  return value.trim()
}
