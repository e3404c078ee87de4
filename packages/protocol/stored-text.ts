/** A database cannot store some texts: PostgreSQL refuses the character NUL, in text and in JSON. */
import { TandemError } from './error.ts'

/** Returns the path of a text with NUL in it, or null. Values are parsed JSON, queries and paths, which have no cycles. */
function pathToNul(value: unknown): readonly string[] | null {
  if (typeof value === 'string') return value.includes('\0') ? [] : null
  if (typeof value !== 'object' || value === null) return null
  for (const [name, part] of Object.entries(value)) {
    if (name.includes('\0')) return [name.replaceAll('\0', '?')]
    const path = pathToNul(part)
    if (path !== null) return [name, ...path]
  }
  return null
}

/** Throws `bad_request` if a text of these parts of a request cannot be stored, or searched for. */
export function assertStorable(parts: readonly unknown[]): void {
  for (const part of parts) {
    const path = pathToNul(part)
    if (path !== null)
      throw new TandemError('bad_request', `${path.join('.').slice(0, 90) || 'the request'}: a text must not contain NUL (U+0000)`)
  }
}
