/** A filter takes one value, or several with commas between them. */
import { Type } from 'typebox'

/** The values are printable ASCII without spaces; no value may be empty. */
export function ValueList(what: string) {
  return Type.Optional(
    Type.String({ maxLength: 8192, pattern: '^[!-+\\--~]+(,[!-+\\--~]+)*$', description: `${what}, or several with commas between them` }),
  )
}

/** What the filter `address` of lists and statistics compares. */
export const ADDRESSES =
  "an owner's address or key, the key of an order (`delegate`), its present refund address, or the address that a deposit goes to"
