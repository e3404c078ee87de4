/** Parses accounts, swap ids and hashes on HyperCore: those of EVM chains, without HyperCore's system addresses. */
import { TandemError } from '../../protocol/error.ts'
import { textForms as evm } from '../evm/text-forms.ts'
import type { TextForms } from '../port/text-forms.ts'
import { isSystemAddress } from './core.ts'

export const textForms: TextForms = { ...evm, parseAddress: parseAccount, parseIdentity: parseAccount }

function parseAccount(text: string): string {
  const address = evm.parseAddress(text)
  if (isSystemAddress(address))
    throw new TandemError('invalid_address', `"${text}" is a system address of HyperCore: money sent there belongs to nobody`)
  return address
}
