/** Parses the types of coins, which identify a token on Sui. */
import { normalizeStructTag } from '@mysten/sui/utils'
import { TandemError } from '@tandem/protocol/error.ts'

/** The form is `0x…::module::NAME` with all 64 digits of the package. */
export type CoinType = string

export const SUI_TYPE: CoinType = normalizeStructTag('0x2::sui::SUI')

/** The canonical form makes equal types equal strings. Names are case-sensitive. Types with parameters are not listed anywhere. */
export function parseCoinType(text: string): CoinType {
  if (/^0x[0-9a-fA-F]{1,64}::\w+::\w+$/.test(text)) return normalizeStructTag(text)
  throw new TandemError('invalid_address', `"${text.slice(0, 150)}" is not the type of a coin on Sui: expected 0x…::module::NAME`)
}
