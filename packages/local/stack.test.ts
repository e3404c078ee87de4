/** Tests local stacks with only a part of the chains or parties. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger } from '@tandem/runtime/log.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLocalClient } from '../../demo/client/local-client.ts'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { type LocalStack, type LocalStackOptions, startLocalStack } from './stack.ts'

let folder: string
let databases: readonly [TestDatabase, TestDatabase]
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tandem-stack-'))
  databases = [await createTestDatabase(), await createTestDatabase()]
})
afterEach(async () => {
  await Promise.all(databases.map((database) => database.drop()))
  await rm(folder, { recursive: true, force: true })
})

async function withStack(options: Partial<LocalStackOptions>, check: (stack: LocalStack) => Promise<void>): Promise<void> {
  const [service, solver] = databases
  const stack = await startLocalStack({
    folder,
    port: 0,
    log: createLogger({ name: 'stack', level: 'silent' }),
    databases: { serviceUrl: service.url, solverUrls: [solver.url], close: async () => undefined },
    ...options,
  })
  try {
    await check(stack)
  } finally {
    await stack.stop()
  }
}

async function post(url: string, body: unknown) {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: answer.status, body: await answer.json() }
}

test('chains without parties: the switch refuses, because the solver is a separate process', async () => {
  await withStack({ startParties: false, chains: ['bitcoin'] }, async ({ info, solver }) => {
    expect(await post(info.solver_switch_url, { running: true })).toMatchObject({
      status: 409,
      body: { status: 'Error', error: expect.stringContaining('a separate process') },
    })
    expect(solver.current()).toBeNull()
  })
})

test('with some chains only: service, solver, faucet and local.json know these and no others', async () => {
  await withStack({ chains: ['litecoin', 'arbitrum'] }, async ({ info, configs }) => {
    const ids = ['litecoin_regtest', 'arbitrum_localnet']
    expect(Object.keys(info.chains)).toEqual(ids)
    expect(JSON.parse(await readFile(join(folder, 'local.json'), 'utf8'))).toEqual(info)
    expect(new Set(info.wallets.flatMap(({ chains }) => chains))).toEqual(new Set(ids))
    for (const file of [configs.serviceFile, configs.solverFile]) {
      const { chains, deployments, prices, private_key: key, relay_key = key } = JSON.parse(await readFile(file, 'utf8'))
      // The families sign with one curve, so there is one key.
      expect(Object.keys(relay_key)).toEqual(['secp256k1'])
      expect(Object.keys(chains)).toEqual(ids)
      for (const asset of Object.keys({ ...deployments, ...prices })) expect(ids).toContain(asset.split(':')[0])
    }

    const client = createLocalClient(info)
    const [from, to] = ['litecoin_regtest:ltc', 'arbitrum_localnet:usdc']
    const wallet = await client.walletFor(to)
    const before = await wallet.balance(to)
    expect(await post(info.faucet_url, { asset: to, address: wallet.address, amount: '5' })).toMatchObject({ status: 200 })
    expect(await wallet.balance(to)).toBe(before + 5n)
    expect(await post(info.faucet_url, { asset: 'bitcoin_regtest:btc', address: 'x', amount: '5' })).toMatchObject({
      status: 400,
      body: { error: 'the faucet has no "bitcoin_regtest:btc"' },
    })
    expect(await client.api.quote({ from, to, from_amount: '500000000' })).toMatchObject({ solver_id: 'local-solver' })
    const elsewhere = client.api.quote({ from, to: 'ethereum_localnet:usdc', from_amount: '500000000' })
    await expect(elsewhere).rejects.toMatchObject({ code: 'unsupported_pair' })
  })
})
