/** Collects the statements that this process sends to PostgreSQL while `work` runs. */
import pg from 'pg'
import { vi } from 'vitest'

export async function statementsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  try {
    await work()
    return query.mock.calls.map(([sent]: readonly unknown[]) => textOf(sent))
  } finally {
    query.mockRestore()
  }
}

function textOf(sent: unknown): string {
  return typeof sent === 'object' && sent !== null && 'text' in sent ? String(sent.text) : String(sent)
}
