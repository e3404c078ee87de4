/** Recognizes errors which mean that the database cannot be used at the moment, and words them without details of the server. */

/** The prefixes are of SQLSTATE, appendix A of PostgreSQL's manual. */
const STATES: readonly (readonly [prefix: string, words: string])[] = [
  ['25006', 'the database is read-only'],
  ['53100', 'the disk of the database is full'],
  ['53200', 'the database is out of memory'],
  ['53300', 'the database has too many connections'],
  ['08', 'the database does not answer'],
  ['57P', 'the database is shutting down or starting'],
]

const SYSTEM = new Set(['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EPIPE', 'ENOTFOUND', 'EAI_AGAIN'])

/** The driver's error when a connection ends during a query has no code, only this text. */
const ENDED = /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect)/

/** Use this only for errors of queries, because a chain's node may refuse a connection too. */
export function databaseFault(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  if (error instanceof AggregateError && error.errors.length > 0) return databaseFault(error.errors[0])
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const known = 'severity' in error ? STATES.find(([prefix]) => code.startsWith(prefix)) : undefined
  if (known !== undefined) return known[1]
  return ('syscall' in error && SYSTEM.has(code)) || ENDED.test(error.message) ? 'the database does not answer' : null
}
