/** These comparisons throw errors that name the field. */
import { VerificationError } from './verification-error.ts'

/** Objects and arrays are compared leaf by leaf, so that the error names the leaf. */
export function verifySame(field: string, expected: unknown, got: unknown): void {
  if (!isTree(expected) || !isTree(got) || Array.isArray(expected) !== Array.isArray(got)) {
    if (expected !== got) throw new VerificationError(field, expected, got)
    return
  }
  const names = new Set([...Object.keys(expected), ...Object.keys(got)])
  for (const name of names) verifySame(`${field}.${name}`, expected[name], got[name])
}

export function verifyThat(holds: boolean, field: string, expected: string, got: unknown): asserts holds {
  if (!holds) throw new VerificationError(field, expected, got)
}

export function verifyParsed<T>(field: string, expected: string, text: string, parse: (text: string) => T): T {
  try {
    return parse(text)
  } catch {
    throw new VerificationError(field, expected, text)
  }
}

function isTree(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
