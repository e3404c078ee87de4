/** Parses accounts, swap ids and hashes on HyperCore: those of EVM chains, without HyperCore's system addresses. */

import type { TextForms } from '@tandem/chain-kit/port/text-forms.ts'
import { textForms as evm } from '@tandem/evm/terms/text-forms.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { isSystemAddress } from './core.ts'

export const textForms: TextForms = { ...evm, parseAddress: parseAccount, parseIdentity: parseAccount }

function parseAccount(text: string): string {
  const address = evm.parseAddress(text)
  if (isSystemAddress(address))
    throw new TandemError('invalid_address', `"${text}" is a system address of HyperCore: money sent there belongs to nobody`)
  return address
}
