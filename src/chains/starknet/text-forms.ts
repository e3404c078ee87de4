/** Parses accounts, swap ids and hashes on Starknet. */
import { TandemError } from '../../protocol/error.ts'
import type { TextForms } from '../port/text-forms.ts'
import { addressOfFelt, feltOf, parseAddress } from './address.ts'
import type { Felt } from './nodes/node.ts'

const FIELD_PRIME = 2n ** 251n + 17n * 2n ** 192n + 1n

export const textForms: TextForms = {
  parseAddress,
  parseIdentity: parseAddress,
  /** Recorded without leading zeros: nodes need not take others. */
  parseTransactionId(text) {
    const digits = /^(?:0x)?([0-9a-f]{1,64})$/i.exec(text)?.[1]
    const value = digits === undefined ? 0n : BigInt(`0x${digits}`)
    if (value === 0n || value >= FIELD_PRIME)
      throw new TandemError(
        'bad_request',
        `"${text.slice(0, 90)}" is not the hash of a Starknet transaction: expected an element of its field as 1 to 64 hex digits`,
      )
    return feltOf(`0x${value.toString(16)}`)
  },
  formatInitiation: (tx) => tx,
  comparable(text) {
    if (/^0x[0-9a-f]{1,64}$/i.test(text)) return addressOfFelt(text as Felt)
    // A swap id is the contract's order id, a hash, without 0x and leading zeros.
    return /^0*([0-9a-f]{48,63})$/i.exec(text)?.[1]?.toLowerCase() ?? null
  },
}
