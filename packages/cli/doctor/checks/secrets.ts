/** Every secret of the configuration must exist, be well formed, and be readable by its owner only. */
import { stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { createKey, curves } from '@tandem/keys/keyring.ts'
import type { SecretReference } from '@tandem/party/config/schema.ts'
import { createSigningKey } from '@tandem/party/solver-auth/signing-key.ts'
import { createVault, readSealKey } from '@tandem/party/store/orders/sealed-values.ts'
import { type Check, type Finding, fail, ok, reasonOf, warn } from '../check.ts'
import type { DoctorContext } from '../doctor-context.ts'

/** The form of these secrets is checked. */
const parsers: Readonly<Record<string, (value: string) => unknown>> = {
  vault_key: createVault,
  'sealing.seal_key': readSealKey,
  solver_signing_key: createSigningKey,
  signing_key: createSigningKey,
  ...Object.fromEntries(['relay_key', 'private_key', 'earnings.signing_key'].flatMap(keyParsers)),
}

/** The checks are by place. `relay_key` is the place of the secp256k1 key, and so is `relay_key.secp256k1`. */
function keyParsers(name: string): readonly (readonly [string, (value: string) => unknown])[] {
  const byCurve = curves.map((curve) => [`${name}.${curve}`, (value: string) => createKey(curve, value)] as const)
  return [[name, (value) => createKey('secp256k1', value)], ...byCurve]
}

export const secrets: Check = {
  name: 'secrets',
  async run(context) {
    const references = findReferences(context.config)
    return (await Promise.all(references.map(([place, reference]) => checkSecret(context, place, reference)))).flat()
  },
}

async function checkSecret(context: DoctorContext, place: string, reference: SecretReference): Promise<readonly Finding[]> {
  const where = 'file' in reference ? `the file ${reference.file}` : `the environment variable ${reference.env}`
  try {
    const value = await context.readSecret(reference)
    parsers[place]?.(value)
  } catch (error) {
    return [fail(place, reasonOf(error), `put it into ${where}, readable by the user who runs the ${context.party}`)]
  }
  const exposure = 'file' in reference ? await exposureOf(place, resolve(dirname(context.path), reference.file)) : null
  const header = headerIn(place)
  return [exposure ?? ok(place, header === null ? `read from ${where}` : `header ${header} from ${where}`)]
}

/** Returns the header whose value is at a place like `chains.ethereum.endpoints.rpc.headers.x-api-key`, or null. */
function headerIn(place: string): string | null {
  return /^chains\.[^.]+\.endpoints\..+\.headers\.(.+)$/.exec(place)?.[1] ?? null
}

async function exposureOf(place: string, path: string): Promise<Finding | null> {
  const { mode } = await stat(path)
  const advice = `chmod 600 ${path}`
  if ((mode & 0o007) !== 0) return fail(place, `every user of this machine can open ${path}`, advice)
  if ((mode & 0o070) !== 0) return warn(place, `the group of ${path} can open it`, advice)
  return null
}

/** Places have the names of the file: `relay_key.ed25519`. */
function findReferences(value: unknown, place: readonly string[] = []): readonly (readonly [string, SecretReference])[] {
  if (typeof value !== 'object' || value === null) return []
  if (isReference(value)) return [[place.join('.'), value]]
  return Object.entries(value).flatMap(([name, inner]) => findReferences(inner, [...place, name]))
}

function isReference(value: object): value is SecretReference {
  const [name, ...more] = Object.keys(value)
  return more.length === 0 && (name === 'file' || name === 'env')
}
