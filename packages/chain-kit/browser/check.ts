/** Comparisons that refuse by the name of the field. */
import { VerificationError } from './verification-error.ts'

/** Throws unless both are equal. Objects and arrays are compared leaf by leaf: the error names the leaf. */
export function verifySame(field: string, expected: unknown, got: unknown): void {
  if (!isTree(expected) || !isTree(got) || Array.isArray(expected) !== Array.isArray(got)) {
    if (expected !== got) throw new VerificationError(field, expected, got)
    return
  }
  const names = new Set([...Object.keys(expected), ...Object.keys(got)])
  for (const name of names) verifySame(`${field}.${name}`, expected[name], got[name])
}

/** Throws `VerificationError` unless `holds`. `expected` says in words what would have been right. */
export function verifyThat(holds: boolean, field: string, expected: string, got: unknown): asserts holds {
  if (!holds) throw new VerificationError(field, expected, got)
}

/** The value of a parser that throws: its refusal becomes one of the field. */
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
