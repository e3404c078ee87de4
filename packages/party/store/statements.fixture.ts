/** Collects the statements that this process sends to PostgreSQL while `work` runs. `sent` has those so far. */
import pg from 'pg'
import { vi } from 'vitest'

export async function statementsOf(work: (sent: () => readonly string[]) => Promise<unknown>): Promise<readonly string[]> {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  const sent = () => query.mock.calls.map(([statement]: readonly unknown[]) => textOf(statement))
  try {
    await work(sent)
    return sent()
  } finally {
    query.mockRestore()
  }
}

function textOf(statement: unknown): string {
  return typeof statement === 'object' && statement !== null && 'text' in statement ? String(statement.text) : String(statement)
}
