// Resolves address lookup tables: accounts that a version 0 transaction names by table and index.
import { type Address, type EncodedAccount, getAddressDecoder } from '@solana/kit'
import type { LoadedAddresses, WireMessage } from './wire-transaction.ts'

const PROGRAM = 'AddressLookupTab1e1111111111111111111111111'
const HEADER_SIZE = 56
const ADDRESS_SIZE = 32
const addressOf = getAddressDecoder()

type Lookup = {
  readonly lookupTableAddress: Address
  readonly writableIndexes: readonly number[]
  readonly readonlyIndexes: readonly number[]
}

/** The result is the name of an error if a table or an index in it does not exist. */
export function loadAddresses(message: WireMessage, account: (address: Address) => EncodedAccount | null): LoadedAddresses | string {
  const lookups: readonly Lookup[] = ('addressTableLookups' in message ? message.addressTableLookups : undefined) ?? []
  const [writable, readonly]: [Address[], Address[]] = [[], []]
  for (const { lookupTableAddress, writableIndexes, readonlyIndexes } of lookups) {
    const table = account(lookupTableAddress)
    if (table === null) return 'AddressLookupTableNotFound'
    if (table.programAddress !== PROGRAM) return 'InvalidAddressLookupTableOwner'
    const addresses = addressesIn(table)
    const [forWriting, forReading] = [pick(addresses, writableIndexes), pick(addresses, readonlyIndexes)]
    if (forWriting === null || forReading === null) return 'InvalidAddressLookupTableIndex'
    writable.push(...forWriting)
    readonly.push(...forReading)
  }
  return { writable, readonly }
}

function addressesIn({ data }: EncodedAccount): readonly Address[] {
  const count = Math.max(0, Math.floor((data.length - HEADER_SIZE) / ADDRESS_SIZE))
  return Array.from({ length: count }, (_, index) => addressOf.decode(data, HEADER_SIZE + index * ADDRESS_SIZE))
}

function pick(addresses: readonly Address[], indexes: readonly number[]): readonly Address[] | null {
  const found = indexes.flatMap((index) => addresses[index] ?? [])
  return found.length === indexes.length ? found : null
}
