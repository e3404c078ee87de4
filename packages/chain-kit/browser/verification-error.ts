/** The service's answer does not follow from the user's request, so the SDK neither pays nor reveals the secret. Nothing was signed or sent for it. */
export class VerificationError extends Error {
  readonly field: string
  readonly expected: string
  readonly got: string

  constructor(field: string, expected: unknown, got: unknown) {
    const [wanted, found] = [shown(expected), shown(got)]
    super(`${field}: expected ${wanted}, got ${found}`)
    this.name = 'VerificationError'
    this.field = field
    this.expected = wanted
    this.got = found
  }
}

const MAX_CHARACTERS = 300

function shown(value: unknown): string {
  const text =
    typeof value === 'string' ? value : (JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `${one}` : one)) ?? 'nothing')
  return text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS)}…`
}
