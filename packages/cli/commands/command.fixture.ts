/** Tests of commands use this configuration file of a service or a solver, and a terminal that records its output. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Terminal } from './terminal.ts'

export type ConfigFixture = { readonly folder: string; readonly config: string; remove(): Promise<void> }

/** The service has no chains. The URL of its database is in a file, like a secret. */
export async function writeServiceConfig(databaseUrl: string): Promise<ConfigFixture> {
  return writeConfig(databaseUrl, { vault_key: noSecret, relay_key: noSecret, solver_signing_key: signing, solvers: [] })
}

export async function writeSolverConfig(databaseUrl: string): Promise<ConfigFixture> {
  const pricing = { spread_bips: 0, fixed_fee_usd: '0', quote_seconds: 60 }
  return writeConfig(databaseUrl, { solver_id: 'a solver', private_key: noSecret, signing_key: signing, services: [], ...pricing })
}

const noSecret = { env: 'TANDEM_TEST_NONE' }
/** No such file is written. */
const signing = { file: 'signing' }

async function writeConfig(databaseUrl: string, party: object): Promise<ConfigFixture> {
  const folder = await mkdtemp(join(tmpdir(), 'tandem-command-'))
  const config = join(folder, 'party.json')
  const common = {
    environment: 'local',
    database_url: { file: 'database-url' },
    listen: { host: '127.0.0.1', port: 0 },
    chains: {},
    prices: {},
  }
  await writeFile(join(folder, 'database-url'), `${databaseUrl}\n`, { mode: 0o600 })
  await writeFile(config, JSON.stringify({ ...common, ...party }))
  return { folder, config, remove: () => rm(folder, { recursive: true }) }
}

export async function runCommand(command: (terminal: Terminal) => Promise<void>): Promise<{ answer: string; notes: string }> {
  const [answers, notes]: [string[], string[]] = [[], []]
  await command({ answer: (text) => void answers.push(text), note: (text) => void notes.push(text) })
  return { answer: answers.join('\n'), notes: notes.join('\n') }
}
