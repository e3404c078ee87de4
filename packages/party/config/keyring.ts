/** Reads a party's keys, or only their public halves: one secp256k1 key, or one key per curve, and keys of single chains. */
import { familyNamed } from '@tandem/families/index.ts'
import type { Curve, Key, PublicKey } from '@tandem/keys/key.ts'
import { createKey, createKeyring, curves, type Keyring, type PublicKeyring } from '@tandem/keys/keyring.ts'
import { parsePublicKey } from '@tandem/keys/public-key.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { Environment } from '@tandem/protocol/registry/environment.ts'
import type { KeyReference, KeyReferences } from './schema.ts'

export type NamedReference = {
  /** A curve, or a chain with a key of its own. */
  readonly owner: string
  /** Below the setting of the keys: `/ed25519`. */
  readonly place: string
  readonly chain: ChainId | null
  /** Null for a chain that is not in the environment. */
  readonly curve: Curve | null
  readonly reference: KeyReference
}

/** A loaded configuration is one. */
type Source = { readonly rows: Environment; readSecret(reference: KeyReference): Promise<string> }

export function keyReferences(references: KeyReferences, { chains }: Source['rows']): readonly NamedReference[] {
  if ('file' in references || 'env' in references || 'command' in references || 'public_key' in references)
    return [{ owner: 'secp256k1', place: '', chain: null, curve: 'secp256k1', reference: references }]
  const ofCurves = curves.flatMap((curve) => {
    const reference = references[curve]
    return reference === undefined ? [] : [{ owner: curve, place: `/${curve}`, chain: null, curve, reference }]
  })
  const ofChains = Object.entries('chains' in references ? (references.chains ?? {}) : {}).map(([id, reference]) => {
    const chain = chains.find((known) => known.id === id)
    const curve = chain === undefined ? null : familyNamed(chain.family).curve
    return { owner: id, place: `/chains/${id}`, chain: id, curve, reference }
  })
  return [...ofCurves, ...ofChains]
}

/** Throws where only a public key is given. */
export async function readKeyring(references: KeyReferences, { rows, readSecret }: Source): Promise<Keyring> {
  return keyringOf(
    await Promise.all(
      keyReferences(references, rows).map(async (named) => {
        const text = await readSecret(named.reference)
        return { ...named, text, key: keyOf(named, (curve) => createKey(curve, text)) }
      }),
    ),
  )
}

/** Addresses need no private key: it is read only where no public key is given. */
export async function readPublicKeyring(references: KeyReferences, source: Source): Promise<PublicKeyring> {
  return keyringOf(await readPublicKeys(references, source))
}

/** Keys that another process holds: `make` gives them their way to sign. */
export async function readAskedKeyring(references: KeyReferences, source: Source, make: (publicKey: PublicKey) => Key): Promise<Keyring> {
  const keys = await readPublicKeys(references, source)
  return keyringOf(keys.map((named) => ({ ...named, key: make(named.key) })))
}

export async function readPublicKeys(references: KeyReferences, { rows, readSecret }: Source): Promise<readonly NamedKey<PublicKey>[]> {
  return Promise.all(
    keyReferences(references, rows).map(async (named) => {
      const { reference } = named
      const text = 'public_key' in reference ? reference.public_key : await readSecret(reference)
      const parse = 'public_key' in reference ? parsePublicKey : publicHalf
      return { ...named, text, key: keyOf(named, (curve) => parse(curve, text)) }
    }),
  )
}

function publicHalf(curve: Curve, text: string): PublicKey {
  const { publicKey } = createKey(curve, text)
  return { curve, publicKey }
}

type NamedKey<K extends PublicKey> = NamedReference & { readonly text: string; readonly key: K }

function keyringOf<K extends PublicKey>(keys: readonly NamedKey<K>[]): PublicKeyring<K> {
  for (const { chain, owner, curve, text } of keys) {
    // Only the text tells a key that is listed for a chain of another curve: nearly every one is valid on all curves.
    const other = chain === null ? undefined : keys.find((one) => one.curve !== curve && sameKey(one.text, text))
    if (other !== undefined)
      throw new Error(
        `the key of ${owner} is also that of ${other.owner}, which signs on another curve: ${owner} needs a key of its own, on ${curve}`,
      )
  }
  return createKeyring(
    keys.flatMap(({ chain, key }) => (chain === null ? [key] : [])),
    new Map(keys.flatMap(({ chain, key }) => (chain === null ? [] : [[chain, key] as const]))),
  )
}

function keyOf<K>({ owner, curve }: NamedReference, create: (curve: Curve) => K): K {
  if (curve === null) throw new Error(`the key of ${owner}: there is no such chain`)
  try {
    return create(curve)
  } catch (error) {
    throw new Error(`the key of ${owner}: ${error instanceof Error ? error.message : 'is not valid'}`)
  }
}

const digitsOf = (text: string) => text.toLowerCase().replace(/^0x/, '')
const sameKey = (a: string, b: string) => digitsOf(a) === digitsOf(b)
