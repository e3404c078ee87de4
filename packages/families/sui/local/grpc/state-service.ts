// Answers sui.rpc.v2.StateService: the objects and coins of an address.
import { GrpcTypes } from '@mysten/sui/grpc'
import { coinInfos } from '../chain/genesis.ts'
import type { SuiNode } from '../chain/node.ts'
import { MAX_U64, readCoin } from '../objects/coin.ts'
import type { SuiObject } from '../objects/object.ts'
import { canonicalType, isField } from '../objects/types.ts'
import { masked } from './field-mask.ts'
import { addressParam } from './ledger-service.ts'
import { objectMessage } from './object-message.ts'
import { page } from './page.ts'
import { GrpcError, invalidArgument } from './status.ts'

const OBJECT_MASK = ['object_id', 'version', 'object_type']
const FIELD_MASK = ['parent', 'field_id']

export function stateService({ store }: SuiNode) {
  const owned = (owner: string) => store.ownedBy(owner).filter((object) => object.owner.kind === 'address')

  function balances(owner: string): ReadonlyMap<string, bigint> {
    const sums = new Map<string, bigint>()
    for (const object of owned(owner)) {
      const coin = readCoin(object)
      if (coin !== null) sums.set(coin.coinType, (sums.get(coin.coinType) ?? 0n) + coin.balance)
    }
    return sums
  }

  return {
    ListOwnedObjects(request: GrpcTypes.ListOwnedObjectsRequest): GrpcTypes.ListOwnedObjectsResponse {
      const owner = addressParam('owner', request.owner)
      const isWanted = typeFilter(request.objectType)
      const sorted = owned(owner)
        .filter(isWanted)
        .toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
      const { items, nextPageToken } = page(sorted, placeOf, request)
      const mask = request.readMask?.paths ?? OBJECT_MASK
      return {
        objects: items.map((object) => masked(GrpcTypes.Object, objectMessage(object), mask)),
        ...(nextPageToken !== null && { nextPageToken }),
      }
    },
    GetBalance({ owner, coinType }: GrpcTypes.GetBalanceRequest): GrpcTypes.GetBalanceResponse {
      const type = typeParam('coin_type', coinType)
      return { balance: balanceMessage(type, balances(addressParam('owner', owner)).get(type) ?? 0n) }
    },
    ListBalances(request: GrpcTypes.ListBalancesRequest): GrpcTypes.ListBalancesResponse {
      const all = [...balances(addressParam('owner', request.owner))].sort()
      const { items, nextPageToken } = page(all, ([type]) => type, request)
      return { balances: items.map(([type, sum]) => balanceMessage(type, sum)), ...(nextPageToken !== null && { nextPageToken }) }
    },
    GetCoinInfo({ coinType }: GrpcTypes.GetCoinInfoRequest): GrpcTypes.GetCoinInfoResponse {
      const type = typeParam('coin_type', coinType)
      const info = coinInfos.get(type)
      if (info === undefined) throw new GrpcError('NOT_FOUND', `Coin type ${type} not found`)
      return { coinType: type, metadata: { ...info, description: '' } }
    },
    ListDynamicFields(request: GrpcTypes.ListDynamicFieldsRequest): GrpcTypes.ListDynamicFieldsResponse {
      const parent = addressParam('parent', request.parent)
      const fields = store
        .ownedBy(parent)
        .filter(({ owner, data }) => owner.kind === 'object' && data.kind === 'move' && isField(data.type))
      const { items, nextPageToken } = page(fields, ({ id }) => id, request)
      const mask = request.readMask?.paths ?? FIELD_MASK
      return {
        dynamicFields: items.map((field) => masked(GrpcTypes.DynamicField, fieldMessage(parent, field), mask)),
        ...(nextPageToken !== null && { nextPageToken }),
      }
    },
  }
}

function balanceMessage(coinType: string, balance: bigint): GrpcTypes.Balance {
  return { coinType, balance, coinBalance: balance, addressBalance: 0n }
}

/** The names of all fields here are `vector<u8>` of up to 127 bytes, whose length is one byte. */
function fieldMessage(parent: string, object: SuiObject): GrpcTypes.DynamicField {
  if (object.data.kind !== 'move') throw new Error('a package is not a field')
  const { type, contents } = object.data
  const nameEnd = 33 + (contents[32] ?? 0)
  const valueType = type.slice(type.indexOf(',') + 1, -1)
  return {
    kind: GrpcTypes.DynamicField_DynamicFieldKind.FIELD,
    parent,
    fieldId: object.id,
    fieldObject: objectMessage(object),
    name: { name: 'vector<u8>', value: contents.slice(32, nameEnd) },
    value: { name: valueType, value: contents.slice(nameEnd) },
    valueType,
  }
}

/** A type without type arguments stands for all of them. */
function typeFilter(text: string | undefined): (object: SuiObject) => boolean {
  if (text === undefined) return () => true
  const type = typeParam('object_type', text)
  return ({ data }) => data.kind === 'move' && (data.type === type || data.type.startsWith(`${type}<`))
}

function typeParam(name: string, text: string | undefined): string {
  try {
    return canonicalType(text ?? '')
  } catch (error) {
    throw invalidArgument(`invalid ${name}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Nodes list the largest coins first. */
function placeOf(object: SuiObject): string {
  const below = MAX_U64 - (readCoin(object)?.balance ?? 0n)
  return `${below.toString().padStart(MAX_U64.toString().length, '0')} ${object.id}`
}
