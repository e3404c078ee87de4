/** Reads a party's private keys: one secp256k1 key, or one key per curve, and keys of single chains. */
import { familyNamed } from '@tandem/families/index.ts'
import type { Curve, Key } from '@tandem/keys/key.ts'
import { createKey, createKeyring, curves, type Keyring } from '@tandem/keys/keyring.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { LoadedConfig } from './load-config.ts'
import type { KeyReferences, PartyConfig, SecretReference } from './schema.ts'

export type NamedReference = {
  /** A curve, or a chain with a key of its own. */
  readonly owner: string
  /** Below the setting of the keys: `/ed25519`. */
  readonly place: string
  readonly chain: ChainId | null
  /** Null for a chain that is not in the environment. */
  readonly curve: Curve | null
  readonly reference: SecretReference
}

type Source = Pick<LoadedConfig<PartyConfig>, 'rows' | 'readSecret'>

export function keyReferences(references: KeyReferences, { chains }: Source['rows']): readonly NamedReference[] {
  if ('file' in references || 'env' in references || 'command' in references)
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

export async function readKeyring(references: KeyReferences, { rows, readSecret }: Source): Promise<Keyring> {
  const read = keyReferences(references, rows).map(async (named) => {
    const text = await readSecret(named.reference)
    return { ...named, text, key: createOwnedKey(named, text) }
  })
  const keys = await Promise.all(read)
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

function createOwnedKey({ owner, curve }: NamedReference, text: string): Key {
  if (curve === null) throw new Error(`the key of ${owner}: there is no such chain`)
  try {
    return createKey(curve, text)
  } catch (error) {
    throw new Error(`the key of ${owner}: ${error instanceof Error ? error.message : 'is not valid'}`)
  }
}

const digitsOf = (text: string) => text.toLowerCase().replace(/^0x/, '')
const sameKey = (a: string, b: string) => digitsOf(a) === digitsOf(b)
