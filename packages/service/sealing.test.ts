/** Tests which configuration may have which key: the vault key or what is derived from it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKey } from '@tandem/keys/keyring.ts'
import { readKeyring, readPublicKeyring } from '@tandem/party/config/keyring.ts'
import { loadConfig } from '@tandem/party/config/load-config.ts'
import { ServiceConfig, SolverConfig } from '@tandem/party/config/schema.ts'
import { createSealer, deriveSealingKeys } from '@tandem/party/store/orders/sealed-values.ts'
import { VAULT_KEY } from '@tandem/party/store/store.fixture.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readSealingKeys, readVault } from './sealing.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tandem-sealing-'))
  await writeFile(join(folder, 'vault'), `${VAULT_KEY}\n`)
  await writeFile(join(folder, 'seal'), `${keys.sealKey}\n`)
})
afterAll(() => rm(folder, { recursive: true }))

const keys = deriveSealingKeys(VAULT_KEY)
const common = { environment: 'local', database_url: 'postgres://localhost/tandem', listen: { host: '127.0.0.1', port: 8080 }, chains: {} }
const service = { ...common, prices: {}, relay_key: { file: 'relay' }, solver_signing_key: { file: 'signing' }, solvers: [] }
const vault = { vault_key: { file: 'vault' } }
const sealing = { sealing: { public_key: keys.publicKey, seal_key: { file: 'seal' } } }

async function load(value: object) {
  const path = join(folder, 'service.json')
  await writeFile(path, JSON.stringify(value))
  return loadConfig(ServiceConfig, path, 'database')
}

describe('a configuration', () => {
  test('of an engine opens what that of an API seals', async () => {
    const [engine, api] = [await load({ ...service, ...vault }), await load({ ...service, ...sealing })]
    const [opener, sealer] = [await readVault(engine, 'a test'), createSealer(await readSealingKeys(api))]
    expect(opener.open('order', 'secret', sealer.seal('order', 'secret', 'value').sealed)).toBe('value')
    expect(sealer.authenticate('row')).toBe(opener.authenticate('row'))
  })

  test.each([
    ['neither key', service, '/vault_key is missing'],
    ['both keys', { ...service, ...vault, ...sealing }, '/sealing and /vault_key are both given'],
    ['no seal key', { ...service, sealing: { public_key: keys.publicKey } }, '/sealing/seal_key is missing'],
    ['the seal key itself', { ...service, sealing: { ...sealing.sealing, seal_key: keys.sealKey } }, '/sealing/seal_key must be {"file"'],
    [
      'the private key of claims beside sealing',
      { ...service, ...sealing, earnings: { signing_key: { file: 'claims' } } },
      /\/earnings\/signing_key names a private key.*`--role api`.*`tandem keys show --all`/,
    ],
    [
      'the private key of claims for one curve beside sealing',
      { ...service, ...sealing, earnings: { signing_key: { secp256k1: { env: 'CLAIMS' } } } },
      '/earnings/signing_key/secp256k1 names a private key',
    ],
    ['a short public key', { ...service, sealing: { ...sealing.sealing, public_key: 'ab' } }, '/sealing/public_key must be an X25519'],
  ])('with %s is refused', async (_, value, message) => {
    await expect(load(value)).rejects.toThrow(message)
    await expect(load(value)).rejects.not.toThrow(keys.sealKey)
  })

  test('of an API has the public key of claims, with which nothing can be signed', async () => {
    const key = createKey('secp256k1', '11'.repeat(32))
    const signing_key = { public_key: Buffer.from(key.publicKey).toString('hex') }
    const loaded = await load({ ...service, ...sealing, earnings: { signing_key } })
    expect((await readPublicKeyring(signing_key, loaded)).findByCurve('secp256k1')?.publicKey).toEqual(key.publicKey)
    const { earnings } = loaded.config
    if (earnings === undefined) throw new Error('no earnings')
    await expect(readKeyring(earnings.signing_key, loaded)).rejects.toThrow('/earnings/signing_key is only a public key')
  })

  test('of the other process is refused by each, which says what to do', async () => {
    await expect(readVault(await load({ ...service, ...sealing }), 'tandem refund')).rejects.toThrow(
      /tandem refund needs vault_key, .* use the configuration of the engine/,
    )
    await expect(readSealingKeys(await load({ ...service, ...vault }))).rejects.toThrow(
      /`--role api` must not have vault_key.*put sealing in its place.*`tandem keys sealing`/,
    )
  })

  test('of a solver has neither', async () => {
    const path = join(folder, 'solver.json')
    const solver = {
      ...common,
      prices: {},
      solver_id: 'one',
      private_key: { file: 'key' },
      signing_key: { file: 'key' },
      services: [],
      spread_bips: 0,
      fixed_fee_usd: '0',
      quote_seconds: 60,
    }
    await writeFile(path, JSON.stringify(solver))
    await expect(loadConfig(SolverConfig, path, 'database')).resolves.toMatchObject({ config: { solver_id: 'one' } })
  })
})
