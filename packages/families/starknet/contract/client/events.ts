// Decodes the contract's events from the keys and the data that nodes give.
import { type Felt, felt, selectorOf } from './felt.ts'
import { hexOfWords, type OrderTerms, u256Felts, wordFelts } from './order.ts'

/** The first key of an event is its name; the second is the order's id. */
export const eventKeys = {
  initiated: selectorOf('Initiated'),
  redeemed: selectorOf('Redeemed'),
  refunded: selectorOf('Refunded'),
} as const

export type OrderEvent =
  | { readonly kind: 'initiated'; readonly orderId: Felt; readonly terms: OrderTerms }
  | { readonly kind: 'redeemed'; readonly orderId: Felt; readonly secret: string }
  | { readonly kind: 'refunded'; readonly orderId: Felt }

/** The result is null for an event that the contract cannot have emitted: a foreign key, a wrong length, or a number out of its range. */
export function decodeEvent(keys: readonly string[], data: readonly string[]): OrderEvent | null {
  const [key, id] = keys.map(BigInt)
  if (keys.length !== 2 || key === undefined || id === undefined) return null
  const values = data.map(BigInt)
  const orderId = felt(id)
  switch (felt(key)) {
    case eventKeys.initiated: {
      const terms = decodeTerms(values)
      return terms && { kind: 'initiated', orderId, terms }
    }
    case eventKeys.redeemed: {
      const secret = hexOfWords(values)
      return secret === null ? null : { kind: 'redeemed', orderId, secret }
    }
    case eventKeys.refunded:
      return values.length === 0 ? { kind: 'refunded', orderId } : null
    default:
      return null
  }
}

function decodeTerms([initiator, redeemer, timelock, low, high, ...words]: readonly bigint[]): OrderTerms | null {
  const secretHash = hexOfWords(words)
  if (initiator === undefined || redeemer === undefined || secretHash === null) return null
  if (!isU128(timelock) || !isU128(low) || !isU128(high)) return null
  return { initiator: felt(initiator), redeemer: felt(redeemer), timelock, amount: (high << 128n) + low, secretHash }
}

function isU128(value: bigint | undefined): value is bigint {
  return value !== undefined && value >= 0n && value < 2n ** 128n
}

export function encodeEvent(event: OrderEvent): { readonly keys: readonly Felt[]; readonly data: readonly Felt[] } {
  const keys = [eventKeys[event.kind], event.orderId]
  switch (event.kind) {
    case 'initiated': {
      const { initiator, redeemer, timelock, amount, secretHash } = event.terms
      return { keys, data: [initiator, redeemer, felt(timelock), ...u256Felts(amount), ...wordFelts(secretHash)] }
    }
    case 'redeemed':
      return { keys, data: wordFelts(event.secret) }
    case 'refunded':
      return { keys, data: [] }
  }
}
