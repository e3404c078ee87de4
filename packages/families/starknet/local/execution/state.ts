// The state of the chain as one map from text keys to numbers. What is not set is zero, as in Starknet's storage.
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
  /** Writes the changes to the state below. */
  commit(below: State): void
}

/** Of the class that the contract is an instance of. Zero: nothing is deployed there. */
export const classKey = (address: bigint) => `class ${hex(address)}`
export const nonceKey = (address: bigint) => `nonce ${hex(address)}`
/** Not zero if the class was declared. */
export const declaredKey = (classHash: bigint) => `declared ${hex(classHash)}`
export const storageKey = (address: bigint, name: string) => `storage ${hex(address)} ${name}`

/** Keeps writes apart from the state below, so that they can be dropped. */
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
