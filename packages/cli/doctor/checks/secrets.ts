/** Every secret of the configuration must exist, be well formed, and be readable by its owner only. */
import { dirname, resolve } from 'node:path'
import { createKey, curves } from '@tandem/keys/keyring.ts'
import { exposureOf } from '@tandem/party/config/file-exposure.ts'
import { readPublicKeyring } from '@tandem/party/config/keyring.ts'
import type { KeyReference, SecretReference } from '@tandem/party/config/schema.ts'
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
    const findings = (await Promise.all(references.map(([place, reference]) => checkSecret(context, place, reference)))).flat()
    return findings.some(({ level }) => level === 'fail') ? findings : [...findings, ...(await keyringFindings(context))]
  },
}

/** Keys that are well formed may still be those of other chains. */
async function keyringFindings(context: DoctorContext): Promise<readonly Finding[]> {
  const [place, keys] =
    context.party === 'service'
      ? (['relay_key', context.config.relay_key] as const)
      : (['private_key', context.config.private_key] as const)
  try {
    await readPublicKeyring(keys, context)
    return []
  } catch (error) {
    return [fail(place, reasonOf(error), '`tandem keys create` makes a key; docs/operating.md says which keys a party has')]
  }
}

async function checkSecret(context: DoctorContext, place: string, reference: KeyReference): Promise<readonly Finding[]> {
  if ('public_key' in reference && isKeyOfEngines(context, place))
    return [ok(place, 'only the public key is here: engines have the private key')]
  if ('public_key' in reference)
    return [
      warn(place, 'only the public key is here: this configuration can watch, and run nothing', 'name the private key where it must sign'),
    ]
  const where = whereOf(reference)
  try {
    const value = await context.readSecret(reference)
    parsers[place]?.(value)
  } catch (error) {
    return [fail(place, reasonOf(error), adviceFor(reference, context.party))]
  }
  const header = headerIn(place)
  return [(await exposureFinding(context, place, reference)) ?? ok(place, `${header === null ? 'read' : `header ${header}`} from ${where}`)]
}

/** A configuration with `sealing` is that of a process with `--role api`. */
function isKeyOfEngines(context: DoctorContext, place: string): boolean {
  return context.party === 'service' && context.config.sealing !== undefined && /^(relay_key|earnings\.signing_key)(\.|$)/.test(place)
}

function whereOf(reference: SecretReference): string {
  if ('command' in reference) return `the program ${reference.command[0]}`
  if ('env' in reference) return `the environment variable ${reference.env}`
  return `the ${reference.passphrase === undefined ? '' : 'encrypted '}file ${reference.file}`
}

function adviceFor(reference: SecretReference, party: DoctorContext['party']): string {
  const user = `the user who runs the ${party}`
  if ('command' in reference) return `run it as ${user}: it must print the secret and nothing else`
  if ('file' in reference && reference.passphrase !== undefined)
    return 'correct the passphrase, or the file: `tandem keys encrypt` makes it'
  return `put it into ${whereOf(reference)}, readable by ${user}`
}

/** Returns the header whose value is at a place like `chains.ethereum.endpoints.rpc.headers.x-api-key`, or null. */
function headerIn(place: string): string | null {
  return /^chains\.[^.]+\.endpoints\..+\.headers\.(.+)$/.exec(place)?.[1] ?? null
}

/** An encrypted file may be read by anyone. */
async function exposureFinding(context: DoctorContext, place: string, reference: SecretReference): Promise<Finding | null> {
  if (!('file' in reference) || reference.passphrase !== undefined) return null
  const path = resolve(dirname(context.path), reference.file)
  const advice = `chmod 600 ${path}`
  const exposure = await exposureOf(path)
  if (exposure === 'everyone') return fail(place, `every user of this machine can open ${path}`, advice)
  return exposure === 'group' ? warn(place, `the group of ${path} can open it`, advice) : null
}

/** Places have the names of the file: `relay_key.ed25519`. */
function findReferences(value: unknown, place: readonly string[] = []): readonly (readonly [string, KeyReference])[] {
  if (typeof value !== 'object' || value === null) return []
  if (isReference(value)) return [[place.join('.'), value], ...passphraseOf(value, place)]
  return Object.entries(value).flatMap(([name, inner]) => findReferences(inner, [...place, name]))
}

function passphraseOf(value: KeyReference, place: readonly string[]): readonly (readonly [string, SecretReference])[] {
  return 'file' in value && value.passphrase !== undefined ? [[[...place, 'passphrase'].join('.'), value.passphrase]] : []
}

/** The shape is checked already, so one name tells. */
function isReference(value: object): value is KeyReference {
  const names = Object.keys(value)
  return (
    names.join() === 'public_key' || (names.length > 0 && names.every((name) => ['file', 'env', 'command', 'passphrase'].includes(name)))
  )
}
