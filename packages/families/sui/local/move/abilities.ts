// Lists the types whose objects anyone may transfer: those with the ability `store`.
import { bcs } from '@mysten/sui/bcs'
import type { Draft } from '../objects/object.ts'
import { coinTypeOf, UPGRADE_CAP_TYPE } from '../objects/types.ts'
import type { MoveValue } from './function.ts'

export function transferable(type: string): boolean {
  return coinTypeOf(type) !== null || type === UPGRADE_CAP_TYPE
}

export function transferTo({ type, bytes }: MoveValue, address: string): Draft {
  const id = bcs.Address.parse(bytes.slice(0, 32))
  return { id, owner: { kind: 'address', address }, data: { kind: 'move', type, hasPublicTransfer: transferable(type), contents: bytes } }
}
