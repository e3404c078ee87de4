/** The refusal to pay, or to reveal the secret: the service's answer is not what follows from the user's request. Nothing was signed or sent for it. */
export class VerificationError extends Error {
  /** The field of the service's answer: `source_swap.timelock`, `typed_data.message.amount`. */
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

const MOST_CHARACTERS = 300

function shown(value: unknown): string {
  const text =
    typeof value === 'string' ? value : (JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `${one}` : one)) ?? 'nothing')
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS)}…`
}
