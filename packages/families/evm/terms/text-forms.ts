/** Parses accounts and hashes on EVM chains. The canonical form is lower-case hex. */

import type { TextForms } from '@tandem/chain-kit/port/text-forms.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { parseAddress } from './address.ts'
import { basicForms } from './facts.ts'

export const textForms: TextForms = {
  ...basicForms,
  parseAddress,
  parseIdentity: parseAddress,
  parseTransactionId: (text) => `0x${parseHash(text, 'an EVM')}`,
}

/** 32 bytes, with or without 0x, in either case: 64 digits in lower case. */
export function parseHash(text: string, family: string): string {
  const digits = /^(?:0x)?([0-9a-f]{64})$/i.exec(text)?.[1]
  if (digits === undefined)
    throw new TandemError('bad_request', `"${text.slice(0, 90)}" is not the hash of ${family} transaction: expected 64 hex digits`)
  return digits.toLowerCase()
}
