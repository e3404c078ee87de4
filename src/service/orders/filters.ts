/** Filters of lists and statistics: from text with commas to the values that are stored. */
import type { ChainId } from '../../protocol/chain.ts'
import { TandemError } from '../../protocol/error.ts'
import type { Registry } from '../../protocol/registry/registry.ts'
import { type OrderStatus, orderStatuses } from '../../protocol/state.ts'
import { statusFilters } from '../../protocol/wire/order-list.ts'

/** More than anyone has a reason to name, and few enough to be found quickly. */
const MAX_VALUES = 100

/** Null: not asked for, so any. */
export function parseList(name: string, text: string | undefined): readonly string[] | null {
  if (text === undefined) return null
  const values = [...new Set(text.split(','))]
  if (values.length > MAX_VALUES)
    throw new TandemError('bad_request', `${name}: expected at most ${MAX_VALUES} values, got ${values.length}`)
  return values
}

/** Null when every status is meant. */
export function parseStatuses(text: string | undefined): readonly OrderStatus[] | null {
  const names = parseList('status', text)
  if (names === null) return null
  const chosen = new Set(names.flatMap(statusesCalled))
  return chosen.size === orderStatuses.length ? null : [...chosen]
}

function statusesCalled(name: string): readonly OrderStatus[] {
  const statuses = Object.hasOwn(statusFilters, name) ? statusFilters[name] : undefined
  if (statuses !== undefined) return statuses
  const known = Object.keys(statusFilters).toSorted().join(', ')
  throw new TandemError('bad_request', `status: expected one of ${known}, got "${name.slice(0, 90)}"`)
}

export function parseChains(registry: Registry, name: string, text: string | undefined): readonly ChainId[] | null {
  const values = parseList(name, text)?.map((value) => value.toLowerCase()) ?? null
  const unknown = values?.find((value) => !registry.chains.some(({ id }) => id === value))
  if (unknown !== undefined)
    throw new TandemError('bad_request', `${name}: expected a chain that GET /chains lists, got "${unknown.slice(0, 90)}"`)
  return values
}

export function parseAddresses(name: string, text: string | undefined): readonly string[] | null {
  const addresses = parseList(name, text)?.map((address) => (isCaseless(address) ? address.toLowerCase() : address)) ?? null
  return addresses && [...new Set(addresses)]
}

/** Hex and bech32 (BIP173: upper case or lower case) are stored in lower case. In base58 the case of a letter is part of the address. */
function isCaseless(address: string): boolean {
  return /^(?:0x)?[0-9a-f]{40,}$/i.test(address) || address === address.toUpperCase()
}

/** Hex hashes are stored in lower case, of some chains with 0x in front and of some without. A block's number may follow a hash. */
export function parseTransactions(name: string, text: string | undefined): readonly string[] | null {
  return (
    parseList(name, text)?.flatMap((given) => {
      const tx = given.replace(/:[0-9]+$/, '')
      const digits = /^(?:0x)?([0-9a-f]+)$/i.exec(tx)?.[1]?.toLowerCase()
      return digits === undefined ? [tx] : [digits, `0x${digits}`]
    }) ?? null
  )
}
