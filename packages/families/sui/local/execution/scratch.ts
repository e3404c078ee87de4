// Keeps the changes of a running transaction so far, over the objects of the store.
import { bcs } from '@mysten/sui/bcs'
import { deriveDynamicFieldID } from '@mysten/sui/utils'
import { newObjectId } from '../objects/digest.ts'
import type { Draft, MoveData, Owner } from '../objects/object.ts'
import type { ObjectReader } from '../objects/store.ts'
import { fieldOf } from '../objects/types.ts'

export type EmittedEvent = {
  readonly packageId: string
  readonly module: string
  readonly sender: string
  readonly type: string
  readonly contents: Uint8Array
}

export type Field = { readonly valueType: string; readonly value: Uint8Array }

export interface Scratch {
  readonly events: readonly EmittedEvent[]
  /** An object is null if it was deleted. */
  readonly drafts: ReadonlyMap<string, Draft | null>
  read(id: string): Draft | null
  write(draft: Draft): void
  remove(id: string): void
  freshId(): string
  emit(event: EmittedEvent): void
  field(parent: string, name: Uint8Array): Field | null
  setField(parent: string, name: Uint8Array, field: Field): void
}

/** All names of dynamic fields here are bytes. */
const NAME_TYPE = 'vector<u8>'

export function createScratch(objects: ObjectReader, transactionDigest: string): Scratch {
  const drafts = new Map<string, Draft | null>()
  const events: EmittedEvent[] = []
  let created = 0

  function read(id: string): Draft | null {
    const draft = drafts.get(id)
    return draft === undefined ? objects.get(id) : draft
  }

  return {
    events,
    drafts,
    read,
    write(draft) {
      drafts.set(draft.id, draft)
    },
    remove(id) {
      if (objects.get(id) === null) drafts.delete(id)
      else drafts.set(id, null)
    },
    freshId() {
      created += 1
      return newObjectId(transactionDigest, created - 1)
    },
    emit(event) {
      events.push(event)
    },
    field(parent, name) {
      const data = read(fieldId(parent, name))?.data
      if (data?.kind !== 'move') return null
      const nameBytes = bcs.byteVector().serialize(name).toBytes()
      const prefix = fieldOf(NAME_TYPE, '').slice(0, -1)
      return { valueType: data.type.slice(prefix.length, -1), value: data.contents.slice(32 + nameBytes.length) }
    },
    setField(parent, name, { valueType, value }) {
      const id = fieldId(parent, name)
      const contents = concat(bcs.Address.serialize(id).toBytes(), bcs.byteVector().serialize(name).toBytes(), value)
      const data: MoveData = { kind: 'move', type: fieldOf(NAME_TYPE, valueType), hasPublicTransfer: false, contents }
      const owner: Owner = { kind: 'object', address: parent }
      drafts.set(id, { id, owner, data })
    },
  }
}

function fieldId(parent: string, name: Uint8Array): string {
  return deriveDynamicFieldID(parent, NAME_TYPE, bcs.byteVector().serialize(name).toBytes())
}

function concat(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts))
}
