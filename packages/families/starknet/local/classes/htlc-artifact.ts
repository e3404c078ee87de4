// Gives the hash of the compiled HTLC, and its class in the form of nodes.
import { hash } from 'starknet'
import sierra from '../../contract/artifacts/htlc.sierra.json' with { type: 'json' }
import { htlcClass } from '../../contract/artifacts/htlc.ts'
import { type ClassFields, classDigest, type KnownClassHashes } from '../transactions/declared-class.ts'

export const htlcClassHash = BigInt(htlcClass.classHash)
export const htlcAbi: readonly unknown[] = sierra.abi

/** Clients declare the class in this form: the ABI is a text, formatted like that of Cairo's compiler. */
export function htlcClassFields(): ClassFields {
  const { sierra_program, contract_class_version, entry_points_by_type, abi } = sierra
  return { sierra_program, contract_class_version, entry_points_by_type, abi: hash.formatSpaces(JSON.stringify(abi)) }
}

export function knownClassHashes(): KnownClassHashes {
  return new Map([[classDigest(htlcClassFields()), htlcClassHash]])
}
