/** The comma-separated filters of lists and statistics become stored values. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { didYouMean } from '@tandem/protocol/nearest-name.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import { type Hex32, parseSecretHash } from '@tandem/protocol/secret.ts'
import { MAX_SECRET_HASHES } from '@tandem/protocol/secret-lookup.ts'
import { type OrderStatus, orderStatuses } from '@tandem/protocol/state.ts'
import { statusFilters } from '@tandem/protocol/wire/order-list.ts'
import type { ServiceContext } from '../context.ts'

const MAX_VALUES = 100

/** Returns null if there is no filter. */
export function parseList(name: string, text: string | undefined, maxValues = MAX_VALUES): readonly string[] | null {
  if (text === undefined) return null
  const values = [...new Set(text.split(','))]
  if (values.length > maxValues) throw new TandemError('bad_request', `${name}: expected at most ${maxValues} values, got ${values.length}`)
  return values
}

/** Returns null if every status is chosen. */
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
  throw new TandemError(
    'bad_request',
    `status: expected one of ${known}, got "${name.slice(0, 90)}"${didYouMean(name.slice(0, 90), Object.keys(statusFilters))}`,
  )
}

export function parseChains(registry: Registry, name: string, text: string | undefined): readonly ChainId[] | null {
  const values = parseList(name, text)?.map((value) => value.toLowerCase()) ?? null
  const known = registry.chains.map(({ id }) => id)
  const unknown = values?.find((value) => !known.includes(value))?.slice(0, 90)
  if (unknown !== undefined)
    throw new TandemError('bad_request', `${name}: expected a chain that GET /chains lists, got "${unknown}"${didYouMean(unknown, known)}`)
  return values
}

export function parseSecretHashes(name: string, text: string | undefined): readonly Hex32[] | null {
  return parseList(name, text, MAX_SECRET_HASHES)?.map(parseSecretHash) ?? null
}

type Clients = ServiceContext['clients']

/** Each value is converted to the notations in which the families store addresses, parties and swaps. */
export function parseAddresses(clients: Clients, name: string, text: string | undefined): readonly string[] | null {
  return parseForms([...clients.values()], name, text, (client, address) => client.text.comparable(address))
}

export function parseTransactions(clients: Clients, name: string, text: string | undefined): readonly string[] | null {
  // All chains of a family store hashes in the same form.
  const families = new Map([...clients.values()].map((client) => [client.chain.family, client]))
  return parseForms([...families.values()], name, text, (client, tx) => {
    try {
      return client.text.parseTransactionId(tx)
    } catch (error) {
      if (error instanceof TandemError) return null
      throw error
    }
  })
}

function parseForms(
  readers: readonly ChainClient[],
  name: string,
  text: string | undefined,
  read: (client: ChainClient, value: string) => string | null,
): readonly string[] | null {
  const forms = parseList(name, text)?.flatMap((value) => {
    const found = readers.map((client) => read(client, value)).filter((form) => form !== null)
    return found.length === 0 ? [value] : found
  })
  return forms === undefined ? null : [...new Set(forms)]
}
