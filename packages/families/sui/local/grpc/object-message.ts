// Shows objects as messages of gRPC.
import { GrpcTypes } from '@mysten/sui/grpc'
import { readCoin } from '../objects/coin.ts'
import { encodeObject, type Owner, type PackageData, type SuiObject } from '../objects/object.ts'

const { Owner_OwnerKind: OwnerKind } = GrpcTypes

export function objectMessage(object: SuiObject): GrpcTypes.Object {
  const { id, version, digest, owner, data, previousTransaction, storageRebate } = object
  const coin = readCoin(object)
  return {
    bcs: { name: 'Object', value: encodeObject(object) },
    objectId: id,
    version,
    digest,
    owner: ownerMessage(owner),
    objectType: typeName(object),
    ...(data.kind === 'move'
      ? { hasPublicTransfer: data.hasPublicTransfer, contents: { name: data.type, value: data.contents } }
      : { package: packageMessage(id, version, data) }),
    previousTransaction,
    storageRebate,
    ...(coin !== null && { balance: coin.balance }),
  }
}

export function typeName({ data }: SuiObject): string {
  return data.kind === 'move' ? data.type : 'package'
}

export function ownerMessage(owner: Owner): GrpcTypes.Owner {
  switch (owner.kind) {
    case 'address':
      return { kind: OwnerKind.ADDRESS, address: owner.address }
    case 'object':
      return { kind: OwnerKind.OBJECT, address: owner.address }
    case 'shared':
      return { kind: OwnerKind.SHARED, version: owner.initialVersion }
    case 'immutable':
      return { kind: OwnerKind.IMMUTABLE }
  }
}

export function packageMessage(id: string, version: bigint, { modules, typeOrigins, linkage }: PackageData): GrpcTypes.Package {
  return {
    storageId: id,
    originalId: id,
    version,
    modules: [...modules].map(([name, contents]) => ({ name, contents, datatypes: [], functions: [] })),
    typeOrigins: typeOrigins.map((origin) => ({ ...origin, packageId: id })),
    linkage: linkage.map((used) => ({ originalId: used, upgradedId: used, upgradedVersion: 1n })),
  }
}
