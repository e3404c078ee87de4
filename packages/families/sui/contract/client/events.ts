// Decodes the module's events from their type and their BCS bytes.
import { bcs } from '@mysten/sui/bcs'
import { normalizeSuiAddress } from '@mysten/sui/utils'
import { bytesToHex } from '@noble/hashes/utils.js'
import { moduleName } from './calls.ts'
import { bytes32, type OrderTerms } from './order.ts'

const bytes = bcs.byteVector()

const layouts = {
  RegistryCreated: bcs.struct('RegistryCreated', { registry: bcs.Address }),
  Initiated: bcs.struct('Initiated', {
    registry: bcs.Address,
    order_id: bytes,
    initiator: bcs.Address,
    redeemer: bcs.Address,
    secret_hash: bytes,
    amount: bcs.U64,
    timelock: bcs.U64,
    initiated_at: bcs.U64,
  }),
  Redeemed: bcs.struct('Redeemed', { registry: bcs.Address, order_id: bytes, secret: bytes }),
  Refunded: bcs.struct('Refunded', { registry: bcs.Address, order_id: bytes }),
}

export type EventName = keyof typeof layouts

export const eventNames = Object.keys(layouts) as EventName[]

/** Order ids and secrets are 64 hex digits. */
export type HtlcEvent =
  | { readonly kind: 'registry created'; readonly registry: string }
  | {
      readonly kind: 'initiated'
      readonly registry: string
      readonly orderId: string
      readonly terms: OrderTerms
      /** The time is in milliseconds by the chain's clock, and the timelock counts from it. */
      readonly initiatedAt: bigint
    }
  | { readonly kind: 'redeemed'; readonly registry: string; readonly orderId: string; readonly secret: string }
  | { readonly kind: 'refunded'; readonly registry: string; readonly orderId: string }

export function eventType(packageId: string, name: EventName): string {
  return `${normalizeSuiAddress(packageId)}::${moduleName}::${name}`
}

/** The result is null for an event that this package's module cannot have emitted: another type, or bytes that are not its fields. */
export function decodeEvent(packageId: string, type: string, contents: Uint8Array): HtlcEvent | null {
  const [address = '', module, name, ...more] = type.split('::')
  if (more.length > 0 || module !== moduleName || normalizeSuiAddress(address) !== normalizeSuiAddress(packageId)) return null
  const read = readers.get(name ?? '')
  if (read === undefined) return null
  try {
    const event = read(contents)
    return bytesToHex(encodeEvent(event).contents) === bytesToHex(contents) ? event : null
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) return null
    throw error
  }
}

const readers: ReadonlyMap<string, (contents: Uint8Array) => HtlcEvent> = new Map(
  Object.entries({
    RegistryCreated: (contents) => ({ kind: 'registry created', registry: layouts.RegistryCreated.parse(contents).registry }),
    Initiated: (contents) => {
      const { registry, order_id, initiator, redeemer, secret_hash, amount, timelock, initiated_at } = layouts.Initiated.parse(contents)
      const secretHash = bytesToHex(secret_hash)
      const terms = { initiator, redeemer, timelock: BigInt(timelock), amount: BigInt(amount), secretHash }
      return { kind: 'initiated', registry, orderId: bytesToHex(order_id), terms, initiatedAt: BigInt(initiated_at) }
    },
    Redeemed: (contents) => {
      const { registry, order_id, secret } = layouts.Redeemed.parse(contents)
      return { kind: 'redeemed', registry, orderId: bytesToHex(order_id), secret: bytesToHex(secret) }
    },
    Refunded: (contents) => {
      const { registry, order_id } = layouts.Refunded.parse(contents)
      return { kind: 'refunded', registry, orderId: bytesToHex(order_id) }
    },
  } satisfies Record<EventName, (contents: Uint8Array) => HtlcEvent>),
)

export function encodeEvent(event: HtlcEvent): { readonly name: EventName; readonly contents: Uint8Array } {
  switch (event.kind) {
    case 'registry created':
      return { name: 'RegistryCreated', contents: layouts.RegistryCreated.serialize(event).toBytes() }
    case 'initiated': {
      const { initiator, redeemer, amount, timelock, secretHash } = event.terms
      const order = { registry: event.registry, order_id: bytes32(event.orderId), initiator, redeemer, secret_hash: bytes32(secretHash) }
      const numbers = { amount, timelock, initiated_at: event.initiatedAt }
      return { name: 'Initiated', contents: layouts.Initiated.serialize({ ...order, ...numbers }).toBytes() }
    }
    case 'redeemed': {
      const { registry, orderId, secret } = event
      const fields = { registry, order_id: bytes32(orderId), secret: bytes32(secret) }
      return { name: 'Redeemed', contents: layouts.Redeemed.serialize(fields).toBytes() }
    }
    case 'refunded':
      return {
        name: 'Refunded',
        contents: layouts.Refunded.serialize({ registry: event.registry, order_id: bytes32(event.orderId) }).toBytes(),
      }
  }
}
