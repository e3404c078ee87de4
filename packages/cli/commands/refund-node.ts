/** Reads the node that `tandem refund` is to ask, from its options. */
import type { Endpoints } from '@tandem/chain-kit/port/endpoints.ts'

export type NodeOptions = {
  /** The form is KIND=URL. */
  readonly node?: string
  /** This is short for a `node` of this kind. */
  readonly esplora?: string
}

/** The result is null if none is named. Errors must not quote the URL, because it may hold a password. */
export function endpointsIn({ node, esplora }: NodeOptions, kinds: readonly string[]): Endpoints | null {
  if (node !== undefined && esplora !== undefined) throw new Error('give one node: either --node or --esplora')
  const text = esplora === undefined ? node : `esplora=${esplora}`
  if (text === undefined) return null
  const [, kind = '', url = ''] = /^(\w+)=(.+)$/.exec(text) ?? []
  if (!kinds.includes(kind)) throw new Error(`a node of another kind cannot be used for this chain: give ${formsOf(kinds)}`)
  return { [kind]: [url] }
}

export function formsOf(kinds: readonly string[]): string {
  return kinds.map((kind) => `--node ${kind}=URL`).join(' or ')
}
