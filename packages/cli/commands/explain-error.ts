import { databaseFault } from '@tandem/party/store/database/database-fault.ts'

/** An error as one line that says what to do. */
export function explainError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if ('code' in error && error.code === 'EADDRINUSE') {
    const port = 'port' in error ? `Port ${error.port}` : 'The port'
    return `${port} is taken. Stop the program that uses it, or choose another: --port 8081, or TANDEM_PORT=8081.`
  }
  if ('syscall' in error && error.syscall === 'connect') return explainConnect(error)
  const fault = 'severity' in error ? databaseFault(error) : null
  if (fault !== null) return `${fault} (${error.message}): see what \`tandem doctor\` says of it.`
  // What `fetch` reports says nothing; its cause does.
  if (error.message === 'fetch failed' && error.cause instanceof Error) return explainError(error.cause)
  // Node puts one error for each address it tried into an AggregateError without a message.
  if (error instanceof AggregateError && error.message === '') return error.errors.map(explainError).join('; ')
  return error.message
}

/** Commands connect to what the configuration names: in the local stack it exists only while `npm start` runs. */
function explainConnect(error: Error): string {
  const address = 'address' in error ? String(error.address) : ''
  const place = 'port' in error ? `${address}:${String(error.port)}` : address
  return `nothing answers at ${place} (${error.message}): the database or server that the configuration names is not running. Start it (the local one with npm start), or name another configuration with --config.`
}
