// Runs the Solidity compiler as WebAssembly. For every call that may throw, the compiler asks its table for a function, which takes Node a
// quarter of all time. Here Node is asked once for each entry, until the entry is set again.
import solc from 'solc'

const known = Symbol('entries that Node was asked for')

interface Table {
  readonly length: number
  get(index: number): unknown
  set(index: number, value: unknown): void
  [known]?: unknown[]
}

/** The types of Node do not have it. */
const { prototype } = (globalThis as unknown as { readonly WebAssembly: { readonly Table: { readonly prototype: Table } } }).WebAssembly
  .Table
const { get, set } = prototype

prototype.get = function (index) {
  const entries = this[known] ?? remember(this)
  const entry = entries[index]
  if (entry !== undefined) return entry
  entries[index] = get.call(this, index)
  return entries[index]
}

prototype.set = function (index, value) {
  set.call(this, index, value)
  if (this[known] !== undefined) this[known][index] = undefined
}

function remember(table: Table): unknown[] {
  const entries = new Array<unknown>(table.length)
  table[known] = entries
  return entries
}

export default solc
