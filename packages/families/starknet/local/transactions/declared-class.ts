// Reads Sierra classes that clients declare: their hash, and their form in nodes' answers.
import { createHash } from 'node:crypto'
import { hash } from 'starknet'
import { feltOf, shortString } from '../felt.ts'
import { InvalidField, readObject } from './fields.ts'

export type DeclaredClass = {
  readonly classHash: bigint
  /** The form is that of `starknet_getClass`. */
  readonly json: ClassFields
  readonly programLength: number
}

const VERSION = '0.1.0'

export class UnsupportedClassVersion extends Error {}

/**
 * Hashing a class takes seconds: there are thousands of felts. So the hashes of known classes are given, by the SHA-256 of their program,
 * entry points and ABI.
 */
export type KnownClassHashes = ReadonlyMap<string, bigint>

export function createClassReader(known: () => KnownClassHashes): (value: unknown) => DeclaredClass {
  let hashed: Map<string, bigint> | undefined
  return (value) => {
    const json = readClassFields(value)
    hashed ??= new Map(known())
    const key = classDigest(json)
    const classHash = hashed.get(key) ?? classHashOf(json)
    hashed.set(key, classHash)
    return { classHash, json, programLength: json.sierra_program.length }
  }
}

type EntryPoint = { readonly selector: string; readonly function_idx: number }

export type ClassFields = {
  readonly sierra_program: readonly string[]
  readonly contract_class_version: string
  readonly entry_points_by_type: Readonly<Record<'CONSTRUCTOR' | 'EXTERNAL' | 'L1_HANDLER', readonly EntryPoint[]>>
  readonly abi: string
}

/** The digest covers all that the class hash depends on. */
export function classDigest({ sierra_program, entry_points_by_type, abi }: ClassFields): string {
  return createHash('sha256')
    .update(JSON.stringify([sierra_program, entry_points_by_type, abi]))
    .digest('hex')
}

function classHashOf({ sierra_program: program, entry_points_by_type: entryPoints, abi }: ClassFields): bigint {
  const poseidon = (felts: readonly (string | bigint)[]) => BigInt(hash.computePoseidonHashOnElements([...felts]))
  const entryPointsHash = (list: readonly EntryPoint[]) =>
    poseidon(list.flatMap(({ selector, function_idx: index }) => [selector, BigInt(index)]))
  return poseidon([
    shortString(`CONTRACT_CLASS_V${VERSION}`),
    entryPointsHash(entryPoints.EXTERNAL),
    entryPointsHash(entryPoints.L1_HANDLER),
    entryPointsHash(entryPoints.CONSTRUCTOR),
    hash.starknetKeccak(abi),
    poseidon(program),
  ])
}

function readClassFields(value: unknown): ClassFields {
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
  return { sierra_program: program, contract_class_version: version, entry_points_by_type: readEntryPoints(entryPoints), abi }
}

function readEntryPoints(value: unknown): ClassFields['entry_points_by_type'] {
  const byType = readObject(value, 'entry_points_by_type')
  for (const type of ['CONSTRUCTOR', 'EXTERNAL', 'L1_HANDLER']) {
    const list = byType[type]
    if (!Array.isArray(list) || !list.every(isEntryPoint)) throw new InvalidField(type, 'a list of entry points')
  }
  return byType as ClassFields['entry_points_by_type']
}

function isEntryPoint(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { selector, function_idx: index } = value as Readonly<Record<string, unknown>>
  return feltOf(selector) !== null && Number.isSafeInteger(index)
}
