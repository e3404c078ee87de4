// Keeps the state of the chain as one map from text keys to numbers. A key that is not set is zero, as in Starknet's storage.
import { hex } from '../felt.ts'

export interface StateReader {
  get(key: string): bigint
}

export interface State extends StateReader {
  set(key: string, value: bigint): void
}

export type Changes = ReadonlyMap<string, bigint>

export interface Overlay extends State {
  readonly changes: Changes
  commit(below: State): void
}

/** The class is zero if nothing is deployed there. */
export const classKey = (address: bigint) => `class ${hex(address)}`
export const nonceKey = (address: bigint) => `nonce ${hex(address)}`
export const declaredKey = (classHash: bigint) => `declared ${hex(classHash)}`
export const storageKey = (address: bigint, name: string) => `storage ${hex(address)} ${name}`

/** Writes are separate from the state below, so that they can be dropped. */
export function overlay(below: StateReader): Overlay {
  const changes = new Map<string, bigint>()
  return {
    changes,
    get: (key) => changes.get(key) ?? below.get(key),
    set(key, value) {
      changes.set(key, value)
    },
    commit(target) {
      for (const [key, value] of changes) target.set(key, value)
    },
  }
}
