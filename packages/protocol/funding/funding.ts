/** The ways to fund a swap, one file each. This list makes the union, the schema of POST /orders and the wire form. */
import { type Static, Type } from 'typebox'
import { calls } from './calls.ts'
import { deposit } from './deposit.ts'
import { escrow } from './escrow.ts'
import { feltCalls } from './felt-calls.ts'
import { programmableTransaction } from './programmable-transaction.ts'
import { versionedTransaction } from './versioned-transaction.ts'
import type { ToldOnce } from './way.ts'

const ways = { deposit, calls, feltCalls, versionedTransaction, programmableTransaction, escrow }

type Ways = typeof ways
type Kind = keyof Ways
type Instructions = { [K in Kind]: Parameters<Ways[K]['toWire']>[0] }

/** The instructions for the user, as the chain family returns them. */
export type Funding<K extends Kind = Kind> = { [P in K]: { readonly kind: P } & Instructions[P] }[K]

/** The result of POST /orders for one way of funding. */
export type FundingResult<K extends Kind> = Static<Ways[K]['result']>

export type CreateOrderResult = FundingResult<Kind>
export const CreateOrderResult = Type.Unsafe<CreateOrderResult>(Type.Union(Object.values(ways).map(({ result }) => result)))

const writers: { readonly [K in Kind]: { toWire(funding: Funding<K>, orderId: string, once: ToldOnce | null): CreateOrderResult } } = ways

/** `once` is null for every answer but the first. */
export function fundingToWire<K extends Kind>(orderId: string, once: ToldOnce | null, funding: Funding<K>): CreateOrderResult {
  return writers[funding.kind].toWire(funding, orderId, once)
}
