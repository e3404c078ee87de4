import { createKey, createKeyring } from '@tandem/keys/keyring.ts'
import { openTestStore, type TestStore } from '@tandem/party/store/store.fixture.ts'
import { createLogger } from '@tandem/runtime/log.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { publishIdentity, readIdentity } from './relay-identity.ts'

let store: TestStore
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())

const log = createLogger({ name: 'test', level: 'silent' })

test('before the first engine there is none, and the error says what to start', async () => {
  await expect(readIdentity(store.db, log, 0)).rejects.toThrow('tandem start --role engine')
})

test('an API process knows the public keys of the engine, and no more; new ones replace them', async () => {
  for (const secret of ['11', '22']) {
    const keys = [createKey('secp256k1', secret.repeat(32)), createKey('ed25519', secret.repeat(32))]
    await publishIdentity(store.db, createKeyring(keys))
    const payer = await readIdentity(store.other, log)
    for (const { curve, publicKey } of keys) expect(payer.of(curve)).toEqual({ curve, publicKey })
    expect(() => payer.of('stark')).toThrow('no stark key')
  }
})
