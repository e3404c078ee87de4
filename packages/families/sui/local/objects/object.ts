// Describes an object: its owner, its contents as BCS, and the digest and the storage price that follow from them.
import { bcs, type TypeTag, TypeTagSerializer } from '@mysten/sui/bcs'
import { digestOf } from './digest.ts'
import { coinTypeOf, SUI_TYPE } from './types.ts'

export type Owner =
  | { readonly kind: 'address' | 'object'; readonly address: string }
  | { readonly kind: 'shared'; readonly initialVersion: bigint }
  | { readonly kind: 'immutable' }

export type MoveData = {
  readonly kind: 'move'
  readonly type: string
  readonly hasPublicTransfer: boolean
  readonly contents: Uint8Array
}

export type PackageData = {
  readonly kind: 'package'
  readonly modules: ReadonlyMap<string, Uint8Array>
  readonly typeOrigins: readonly { readonly moduleName: string; readonly datatypeName: string }[]
  readonly linkage: readonly string[]
}

/** A draft is an object that a transaction wrote, before it has a version. */
export type Draft = { readonly id: string; readonly owner: Owner; readonly data: MoveData | PackageData }

export type SuiObject = Draft & {
  readonly version: bigint
  readonly digest: string
  readonly previousTransaction: string
  readonly storageRebate: bigint
}

/** By the protocol, a byte costs 100 units of storage, and a unit costs 76 MIST. */
const MIST_PER_BYTE = 7_600n
/** The bytes are those of owner, previous transaction and storage rebate. */
const METADATA_BYTES = 80
/** The bytes are those of the version, and of whether anyone can transfer the object. */
const HEADER_BYTES = 9

export function finishObject(draft: Draft, version: bigint, previousTransaction: string): SuiObject {
  const storageRebate = storagePrice(draft)
  const bytes = encode(draft, version, previousTransaction, storageRebate)
  return { ...draft, version, previousTransaction, storageRebate, digest: digestOf('Object', bytes) }
}

export function encodeObject(object: SuiObject): Uint8Array {
  return encode(object, object.version, object.previousTransaction, object.storageRebate)
}

export function storagePrice({ data }: Draft): bigint {
  const bytes = data.kind === 'move' ? moveBytes(data) : packageBytes(data)
  return BigInt(METADATA_BYTES + bytes) * MIST_PER_BYTE
}

function moveBytes({ type, contents }: MoveData): number {
  return HEADER_BYTES + bcs.MoveObjectType.serialize(typeOf(type)).toBytes().length + contents.length
}

function packageBytes({ modules }: PackageData): number {
  return [...modules].reduce((sum, [name, bytes]) => sum + name.length + bytes.length, HEADER_BYTES)
}

function encode({ id, owner, data }: Draft, version: bigint, previousTransaction: string, storageRebate: bigint): Uint8Array {
  return bcs.Object.serialize({
    data:
      data.kind === 'move'
        ? { Move: { type: typeOf(data.type), hasPublicTransfer: data.hasPublicTransfer, version, contents: data.contents } }
        : {
            Package: {
              id,
              version,
              moduleMap: new Map(data.modules),
              typeOriginTable: data.typeOrigins.map((origin) => ({ ...origin, package: id })),
              linkageTable: new Map(data.linkage.map((upgradedId) => [upgradedId, { upgradedId, upgradedVersion: 1n }])),
            },
          },
    owner: bcsOwner(owner),
    previousTransaction,
    storageRebate,
  }).toBytes()
}

export function bcsOwner(owner: Owner): typeof bcs.Owner.$inferInput {
  switch (owner.kind) {
    case 'address':
      return { AddressOwner: owner.address }
    case 'object':
      return { ObjectOwner: owner.address }
    case 'shared':
      return { Shared: { initialSharedVersion: owner.initialVersion } }
    case 'immutable':
      return { Immutable: true }
  }
}

function typeOf(type: string): typeof bcs.MoveObjectType.$inferInput {
  const coinType = coinTypeOf(type)
  if (coinType === SUI_TYPE) return { GasCoin: true }
  if (coinType !== null) return { Coin: coinType }
  return { Other: structTagOf(type) }
}

export function structTagOf(type: string): typeof bcs.StructTag.$inferInput {
  const tag: TypeTag = TypeTagSerializer.parseFromStr(type, true)
  if (!('struct' in tag)) throw new Error(`${type} is not a struct`)
  return tag.struct as typeof bcs.StructTag.$inferInput
}
