/** Reads a party's private keys: one secp256k1 key, or one key per curve. */
import type { Curve } from '@tandem/keys/key.ts'
import { createKey, createKeyring, curves, type Keyring } from '@tandem/keys/keyring.ts'
import type { KeyReferences, SecretReference } from './schema.ts'

export function keyReferences(references: KeyReferences): Partial<Record<Curve, SecretReference>> {
  return 'file' in references || 'env' in references || 'command' in references ? { secp256k1: references } : references
}

export async function readKeyring(
  references: KeyReferences,
  readSecret: (reference: SecretReference) => Promise<string>,
): Promise<Keyring> {
  const named = keyReferences(references)
  const keys = await Promise.all(
    curves.map(async (curve) => {
      const reference = named[curve]
      return reference === undefined ? [] : [createKey(curve, await readSecret(reference))]
    }),
  )
  return createKeyring(keys.flat())
}
