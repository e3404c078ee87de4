/** Simulates a process that is killed: from then on the process reads and writes nothing, and the database closes its connections. */

import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { sql } from 'kysely'
import { type Database, openDatabase } from '../store/database/database.ts'
import type { TestStore } from '../store/store.fixture.ts'

export type Mortal = {
  readonly db: Database
  clientsOf(clients: ReadonlyMap<ChainId, ChainClient>): ReadonlyMap<ChainId, ChainClient>
  kill(): Promise<void>
  /** Kills the process inside a hook of a simulated chain. The promise never settles. */
  dieHere(): Promise<never>
  readonly died: Promise<void>
}

let mortals = 0

export async function createMortal(store: TestStore): Promise<Mortal> {
  mortals += 1
  const name = `mortal ${mortals}`
  const url = new URL(store.url)
  url.searchParams.set('application_name', name)
  const db = await openDatabase(url.href)
  let isDead = false
  let note: () => void = () => undefined
  const died = new Promise<void>((resolve) => {
    note = resolve
  })

  async function kill(): Promise<void> {
    isDead = true
    // The call waits for queries that never end, so nobody awaits it.
    void db.destroy()
    await sql`
      select pg_terminate_backend(pid, 10000) from pg_stat_activity
      where datname = current_database() and application_name = ${name}`.execute(store.db)
    note()
  }

  const mortalClient = (client: ChainClient): ChainClient =>
    new Proxy(client, {
      get(target, member) {
        const value: unknown = Reflect.get(target, member)
        if (typeof value !== 'function') return value
        return (...args: readonly unknown[]) => (isDead ? never() : Reflect.apply(value, target, args))
      },
    })

  return {
    db,
    kill,
    async dieHere() {
      await kill()
      return never()
    },
    clientsOf: (clients) => new Map([...clients].map(([chain, client]) => [chain, mortalClient(client)])),
    died,
  }
}

function never(): Promise<never> {
  return new Promise<never>(() => undefined)
}
