import { base58 } from '@scure/base'

export function base58Length(text: string): number | null {
  // No address or signature is longer, and decoding takes quadratic time.
  if (!/^[1-9A-HJ-NP-Za-km-z]{1,100}$/.test(text)) return null
  return base58.decode(text).length
}
