/** One-shot commands write answers to standard output, for scripts, and notes and errors to standard error. */
import { databaseFault } from '@tandem/party/store/database/database-fault.ts'

export interface Terminal {
  answer(text: string): void
  note(text: string): void
  /** The last answer on the screen is replaced. The function is absent if there is no screen. */
  redraw?(text: string): void
}

/** These are control sequences of ECMA-48. The text before stays in the scrollback. */
const CURSOR_HOME = '\u001b[H'
const CLEAR_BELOW = '\u001b[J'

const terminal: Terminal = {
  answer: (text) => void process.stdout.write(`${text}\n`),
  note: (text) => void process.stderr.write(`${text}\n`),
  ...(process.stdout.isTTY && { redraw: (text: string) => void process.stdout.write(`${CURSOR_HOME}${CLEAR_BELOW}${text}\n`) }),
}

export async function runOnce(work: (terminal: Terminal) => Promise<void>): Promise<void> {
  try {
    await work(terminal)
  } catch (error) {
    terminal.note(`tandem: ${explainError(error)}`)
    process.exitCode = 1
  }
}

export function explainError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if ('code' in error && error.code === 'EADDRINUSE') {
    const port = 'port' in error ? `Port ${error.port}` : 'The port'
    return `${port} is taken. Stop the program that uses it, or choose another: --port 8081, or TANDEM_PORT=8081.`
  }
  if ('syscall' in error && error.syscall === 'connect') return explainConnect(error)
  const fault = 'severity' in error ? databaseFault(error) : null
  if (fault !== null) return `${fault} (${error.message}): see what \`tandem doctor\` says of it.`
  // The error of `fetch` says nothing; its cause does.
  if (error.message === 'fetch failed' && error.cause instanceof Error) return explainError(error.cause)
  // Node puts one error for each address it tried into an AggregateError without a message.
  if (error instanceof AggregateError && error.message === '') return error.errors.map(explainError).join('; ')
  return error.message
}

/** Commands connect to the servers that the configuration names. Those of the local stack exist only while `npm start` runs. */
function explainConnect(error: Error): string {
  const address = 'address' in error ? String(error.address) : ''
  const place = 'port' in error ? `${address}:${String(error.port)}` : address
  return `nothing answers at ${place} (${error.message}): the database or server that the configuration names is not running. Start it (the local one with npm start), or name another configuration with --config.`
}

export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')
  return rows.map((row) => line(row).trimEnd()).join('\n')
}
