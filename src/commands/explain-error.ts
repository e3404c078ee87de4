/** An error as one line that says what to do. */
export function explainError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if ('code' in error && error.code === 'EADDRINUSE') {
    const port = 'port' in error ? `Port ${error.port}` : 'The port'
    return `${port} is taken. Stop the program that uses it, or choose another: --port 8081, or TANDEM_PORT=8081.`
  }
  // Node puts one error for each address it tried into an AggregateError without a message.
  if (error instanceof AggregateError && error.message === '') return error.errors.map(explainError).join('; ')
  return error.message
}
