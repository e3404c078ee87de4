// Derives the account of a key. Keys of the local stack are ed25519 seeds.
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519'
import { fromHex } from '@mysten/sui/utils'

/** `privateKey` is 32 bytes as hex, with or without 0x. */
export function keypairOf(privateKey: string): Ed25519Keypair {
  return Ed25519Keypair.fromSecretKey(fromHex(privateKey))
}
