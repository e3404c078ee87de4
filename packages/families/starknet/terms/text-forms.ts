/** Parses accounts, swap ids and hashes on Starknet. */

import type { TextForms } from '@tandem/chain-kit/port/text-forms.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { feltOf, parseAddress } from './address.ts'
import { basicForms } from './facts.ts'

const FIELD_PRIME = 2n ** 251n + 17n * 2n ** 192n + 1n

export const textForms: TextForms = {
  ...basicForms,
  parseAddress,
  parseIdentity: parseAddress,
  /** Recorded without leading zeros: nodes need not take others. */
  parseTransactionId(text) {
    // A part of a hash is refused: without 0x all digits must be there.
    const [, short, whole] = /^(?:0x([0-9a-f]{1,64})|([0-9a-f]{64}))$/i.exec(text) ?? []
    const digits = short ?? whole
    const value = digits === undefined ? 0n : BigInt(`0x${digits}`)
    if (value === 0n || value >= FIELD_PRIME)
      throw new TandemError(
        'bad_request',
        `"${text.slice(0, 90)}" is not the hash of a Starknet transaction: expected an element of its field as 0x and 1 to 64 hex digits`,
      )
    return feltOf(`0x${value.toString(16)}`)
  },
}
