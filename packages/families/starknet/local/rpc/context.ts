import type { OpenBlock } from '../chain/ledger.ts'
import type { StarknetNode } from '../chain/node.ts'
import type { DeclaredClass } from '../transactions/declared-class.ts'
import type { Fields } from '../transactions/fields.ts'

export type Context = {
  readonly node: StarknetNode
  readonly specVersion: SpecVersion
  readonly readClass: (value: unknown) => DeclaredClass
  /** The block is the empty pre-confirmed one, when none is open. */
  readonly nextBlock: () => OpenBlock
}

export type SpecVersion = '0.9.0' | '0.10.0'

export type Method = { readonly params: readonly string[]; readonly answer: (params: Fields) => unknown }
export type Methods = Readonly<Record<string, Method>>
