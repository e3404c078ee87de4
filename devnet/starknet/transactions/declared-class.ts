// Sierra classes that clients declare: their hash, and how nodes show them.
import { createHash } from 'node:crypto'
import { type CompiledSierra, hash } from 'starknet'
import { feltOf } from '../felt.ts'
import { InvalidField, readObject } from './fields.ts'

export type DeclaredClass = {
  readonly classHash: bigint
  /** As `starknet_getClass` shows it. */
  readonly json: Readonly<Record<string, unknown>>
  readonly programLength: number
}

const VERSION = '0.1.0'

/** The version of the class is not the one that the network takes. */
export class UnsupportedClassVersion extends Error {}

/**
 * Hashing a class takes seconds: there are thousands of felts. So the hashes of classes that were hashed before are given, by the SHA-256 of
 * their program, entry points and ABI.
 */
export type KnownClassHashes = ReadonlyMap<string, bigint>

export function createClassReader(known: KnownClassHashes): (value: unknown) => DeclaredClass {
  const hashed = new Map(known)
  return (value) => {
    const {
      sierra_program: program,
      contract_class_version: version,
      entry_points_by_type: entryPoints,
      abi,
    } = readObject(value, 'contract_class')
    if (typeof version !== 'string') throw new InvalidField('contract_class_version', 'a text')
    if (version !== VERSION) throw new UnsupportedClassVersion(version)
    if (!Array.isArray(program) || program.length === 0 || program.some((felt) => feltOf(felt) === null))
      throw new InvalidField('sierra_program', 'a list of felts')
    if (typeof abi !== 'string') throw new InvalidField('abi', 'a text')
    const json = { sierra_program: program, contract_class_version: version, entry_points_by_type: readEntryPoints(entryPoints), abi }
    const key = classDigest(json)
    const classHash = hashed.get(key) ?? BigInt(hash.computeSierraContractClassHash(json as unknown as CompiledSierra))
    hashed.set(key, classHash)
    return { classHash, json, programLength: program.length }
  }
}

/** SHA-256 of all that the class hash depends on. */
export function classDigest({ sierra_program, entry_points_by_type, abi }: Readonly<Record<string, unknown>>): string {
  return createHash('sha256')
    .update(JSON.stringify([sierra_program, entry_points_by_type, abi]))
    .digest('hex')
}

function readEntryPoints(value: unknown): Readonly<Record<string, unknown>> {
  const byType = readObject(value, 'entry_points_by_type')
  for (const type of ['CONSTRUCTOR', 'EXTERNAL', 'L1_HANDLER']) {
    const list = byType[type]
    if (!Array.isArray(list) || !list.every(isEntryPoint)) throw new InvalidField(type, 'a list of entry points')
  }
  return byType
}

function isEntryPoint(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { selector, function_idx: index } = value as Readonly<Record<string, unknown>>
  return feltOf(selector) !== null && Number.isSafeInteger(index)
}
