// Types the context that all methods share.
import type { XrplNode } from '../chain/node.ts'
import type { Fields } from '../ledger/metadata.ts'
import type { KeptLedgers } from './kept-ledgers.ts'

export type ApiVersion = 1 | 2

export type Context = { readonly node: XrplNode; readonly kept: KeptLedgers }

export type Method = (request: Fields, version: ApiVersion) => Fields
export type Methods = Readonly<Record<string, Method>>
