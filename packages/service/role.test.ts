/** A process starts only with the keys of its role. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ConfigFixture, writeServiceConfig } from '@tandem/cli/commands/command.fixture.ts'
import { createKey } from '@tandem/keys/keyring.ts'
import { loadConfig } from '@tandem/party/config/load-config.ts'
import { ServiceConfig } from '@tandem/party/config/schema.ts'
import { openDatabase } from '@tandem/party/store/database/database.ts'
import { claimDatabase } from '@tandem/party/store/database/owner.ts'
import { createVault, deriveSealingKeys } from '@tandem/party/store/orders/sealed-values.ts'
import { VAULT_KEY } from '@tandem/party/store/store.fixture.ts'
import { testLog } from '@tandem/runtime/test-log.fixture.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { startService } from './main.ts'
import type { Role } from './role.ts'

let database: TestDatabase
const keys = deriveSealingKeys(VAULT_KEY)
let fixture: ConfigFixture
beforeAll(async () => {
  database = await createTestDatabase()
  fixture = await writeServiceConfig(database.url)
  for (const [name, value] of Object.entries({ vault: VAULT_KEY, seal: keys.sealKey, relay: '11'.repeat(32), signing: '22'.repeat(32) }))
    await writeFile(join(fixture.folder, name), value, { mode: 0o600 })
})
afterAll(async () => {
  await fixture.remove()
  await database.drop()
})

async function start(role: Role, change: Partial<ServiceConfig>): Promise<string> {
  const { config, ...rest } = await loadConfig(ServiceConfig, fixture.config, 'database')
  const { vault_key: _, ...without } = config
  const running = await startService(
    { ...rest, config: { ...without, relay_key: { file: 'relay' }, ...change } },
    testLog(() => undefined),
    role,
  ).catch((error: unknown) => error)
  if (running instanceof Error) return running.message
  throw new Error(`a process with --role ${role} started`)
}

const vault = { vault_key: { file: 'vault' } }
const sealing = (publicKey: string) => ({ sealing: { public_key: publicKey, seal_key: { file: 'seal' } } })

test('the API refuses the vault key, and an engine what is only derived from it', async () => {
  expect(await start('api', vault)).toContain('a process with `--role api` must not have vault_key')
  for (const role of ['engine', 'both'] as const)
    expect(await start(role, sealing(keys.publicKey))).toContain('a process with an engine needs vault_key')
})

test('an engine refuses a key of claims that is only public', async () => {
  const publicKey = Buffer.from(createKey('secp256k1', '11'.repeat(32)).publicKey).toString('hex')
  for (const role of ['engine', 'both'] as const)
    expect(await start(role, { ...vault, earnings: { signing_key: { public_key: publicKey } } })).toContain(
      'is only a public key: what must sign needs the private key',
    )
})

test('the API refuses a database whose engines could not open what it seals', async () => {
  const db = await openDatabase(database.url)
  await claimDatabase(db, { party: 'service', sealer: createVault(VAULT_KEY), setting: 'vault_key' })
  await db.destroy()
  const other = deriveSealingKeys('43'.repeat(32))
  expect(await start('api', sealing(other.publicKey))).toContain('sealing is not the key that this database was made with')
})
