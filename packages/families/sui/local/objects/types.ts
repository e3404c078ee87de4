// Writes Move types as text in one form: addresses have 64 digits.
import { normalizeStructTag, normalizeSuiAddress } from '@mysten/sui/utils'

export const FRAMEWORK = normalizeSuiAddress('0x2')
export const SUI_TYPE = normalizeStructTag('0x2::sui::SUI')
export const CLOCK_TYPE = normalizeStructTag('0x2::clock::Clock')
export const UPGRADE_CAP_TYPE = normalizeStructTag('0x2::package::UpgradeCap')

const COIN_PREFIX = `${FRAMEWORK}::coin::Coin<`
const FIELD_PREFIX = `${FRAMEWORK}::dynamic_field::Field<`

export function coinOf(coinType: string): string {
  return `${COIN_PREFIX}${coinType}>`
}

/** The result is null for other objects than coins. */
export function coinTypeOf(type: string): string | null {
  return type.startsWith(COIN_PREFIX) ? type.slice(COIN_PREFIX.length, -1) : null
}

export function fieldOf(nameType: string, valueType: string): string {
  return `${FIELD_PREFIX}${nameType},${valueType}>`
}

export function isField(type: string): boolean {
  return type.startsWith(FIELD_PREFIX)
}

const canonicalForms = new Map<string, string>()

export function canonicalType(text: string): string {
  const known = canonicalForms.get(text)
  if (known !== undefined) return known
  const canonical = text.includes('::') ? normalizeStructTag(text) : text
  // Types come from requests too, so the cache is bounded.
  if (canonicalForms.size < 1_000) canonicalForms.set(text, canonical)
  return canonical
}
