// Reads the filters of getProgramAccounts and programSubscribe.
import type { EncodedAccount } from '@solana/kit'
import { readTokenAccount } from '../token-accounts.ts'
import { bytesOf, configOf, countOf, textOf } from './params.ts'
import { invalidParams } from './rpc-error.ts'

type Filter = (account: EncodedAccount) => boolean

const MAX_FILTERS = 4
const MAX_COMPARED_BYTES = 128

export function matchesFilters(filters: unknown): Filter {
  if (filters === undefined || filters === null) return () => true
  if (!Array.isArray(filters)) throw invalidParams('Invalid params: invalid type, expected a sequence of filters.')
  if (filters.length > MAX_FILTERS) throw invalidParams(`Too many filters provided; max ${MAX_FILTERS}`)
  const all = filters.map(filterOf)
  return (account) => all.every((matches) => matches(account))
}

function filterOf(filter: unknown): Filter {
  if (filter === 'tokenAccountState') return (account) => readTokenAccount(account) !== null
  const { dataSize, memcmp } = configOf(filter)
  if (dataSize !== undefined) {
    const size = countOf(dataSize)
    return ({ data }) => data.length === size
  }
  if (memcmp === undefined) throw invalidParams('Invalid params: unknown filter, expected `dataSize`, `memcmp` or `tokenAccountState`.')
  const { offset, bytes, encoding } = configOf(memcmp)
  const [start, expected] = [countOf(offset), Buffer.from(bytesOf(textOf(bytes), encoding))]
  if (expected.length > MAX_COMPARED_BYTES) throw invalidParams('Invalid param: encoded bytes too large')
  return ({ data }) =>
    Buffer.from(data)
      .subarray(start, start + expected.length)
      .equals(expected)
}
