// Keeps all live objects, with their earlier versions, and an index by owner.
import type { Owner, SuiObject } from './object.ts'

export type Changes = ReadonlyMap<string, SuiObject | null>

export interface ObjectReader {
  get(id: string): SuiObject | null
}

export interface ObjectStore extends ObjectReader {
  /** The version may be any that was ever written and not undone. */
  at(id: string, version: bigint): SuiObject | null
  ownedBy(address: string): readonly SuiObject[]
  apply(changes: Changes): Changes
  /** The versions that `apply` wrote are removed too. */
  undo(before: Changes): void
}

export function createObjectStore(): ObjectStore {
  const live = new Map<string, SuiObject>()
  const versions = new Map<string, SuiObject>()
  const byOwner = new Map<string, Set<string>>()

  const versionKey = (id: string, version: bigint) => `${id}@${version}`

  function put(id: string, object: SuiObject | null): void {
    const before = live.get(id)
    if (before !== undefined) removeOwned(before)
    if (object === null) live.delete(id)
    else {
      live.set(id, object)
      addOwned(object)
    }
  }

  function addOwned({ id, owner }: SuiObject): void {
    const address = ownerAddress(owner)
    if (address === null) return
    const owned = byOwner.get(address) ?? new Set()
    byOwner.set(address, owned.add(id))
  }

  function removeOwned({ id, owner }: SuiObject): void {
    const address = ownerAddress(owner)
    if (address !== null) byOwner.get(address)?.delete(id)
  }

  return {
    get: (id) => live.get(id) ?? null,
    at: (id, version) => versions.get(versionKey(id, version)) ?? null,
    ownedBy: (address) =>
      [...(byOwner.get(address) ?? [])].sort().flatMap((id) => {
        const object = live.get(id)
        return object === undefined ? [] : [object]
      }),
    apply(changes) {
      const before = new Map([...changes.keys()].map((id) => [id, live.get(id) ?? null]))
      for (const [id, object] of changes) {
        put(id, object)
        if (object !== null) versions.set(versionKey(id, object.version), object)
      }
      return before
    },
    undo(before) {
      for (const [id, object] of before) {
        const written = live.get(id)
        if (written !== undefined) versions.delete(versionKey(id, written.version))
        put(id, object)
      }
    },
  }
}

function ownerAddress(owner: Owner): string | null {
  return owner.kind === 'address' || owner.kind === 'object' ? owner.address : null
}
