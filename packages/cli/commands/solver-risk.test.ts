/** Tests the commands that halt and resume a solver. */
import { sharedStore } from '@tandem/party/store/shared-store.fixture.ts'
import { putHalt, readHalts, removeHalts } from '@tandem/party/store/solver/halts.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConfigFixture, runCommand, writeSolverConfig } from './command.fixture.ts'
import { haltCommand, resumeCommand } from './solver-risk.ts'

const store = sharedStore()
let fixture: ConfigFixture
beforeAll(async () => {
  fixture = await writeSolverConfig(store.url)
})
afterAll(async () => {
  await fixture.remove()
})

const halt = (what?: string, options = {}) => runCommand((terminal) => haltCommand(what, { config: fixture.config, ...options }, terminal))
const resume = (what?: string) => runCommand((terminal) => resumeCommand(what, { config: fixture.config }, terminal))

test('halts everything, a chain or a pair, and resumes them one by one', async () => {
  expect((await halt()).notes).toMatch(/^everything is halted: .* Redeems and refunds go on\.$/)
  await halt('ethereum_localnet', { reason: 'maintenance', minutes: '5' })
  await halt('ethereum_localnet:ETH -> bitcoin_regtest:btc')
  expect(await readHalts(store.db)).toMatchObject([
    { scope: '*', cause: 'operator', reason: 'halted by the operator', until: null },
    { scope: 'ethereum_localnet', reason: 'maintenance', until: expect.any(BigInt) },
    { scope: 'ethereum_localnet:eth->bitcoin_regtest:btc' },
  ])
  expect((await resume()).notes).toBe(
    'everything is resumed, within seconds. Still halted: ethereum_localnet, ethereum_localnet:eth->bitcoin_regtest:btc.',
  )
  await resume('ethereum_localnet')
  expect((await resume('ethereum_localnet:eth->bitcoin_regtest:btc')).notes).toBe(
    'ethereum_localnet:eth->bitcoin_regtest:btc is resumed, within seconds.',
  )
  expect(await readHalts(store.db)).toEqual([])
})

test('says what still holds and when it ends, instead of resuming for two seconds', async () => {
  const stuck = { scope: 'ethereum_localnet', cause: 'stuck head', reason: 'its newest block is 900 s old' }
  await putHalt(store.db, stuck)
  const why = 'stuck head: its newest block is 900 s old; this ends by itself when a new block of the chain is read'
  await expect(resume('ethereum_localnet')).rejects.toThrow(`ethereum_localnet stays halted while this holds: ${why}`)
  await halt('ethereum_localnet')
  expect((await resume('ethereum_localnet')).notes).toBe(`ethereum_localnet is not halted any more by operator, but still by ${why}.`)
  expect(await readHalts(store.db)).toMatchObject([stuck])
  await removeHalts(store.db, 'ethereum_localnet')
  await putHalt(store.db, { scope: 'ethereum_localnet', cause: 'deep reorg', reason: 'a reorg', seconds: 600 })
  expect((await resume('ethereum_localnet')).notes).toBe('ethereum_localnet is resumed, within seconds.')
})

test('refuses what does not exist', async () => {
  await expect(halt('ethereum')).rejects.toThrow('chain "ethereum" is not in the registry')
  await expect(halt('ethereum_localnet:eth->ethereum_localnet:doge')).rejects.toThrow('there is no ethereum_localnet:doge')
  await expect(halt('*', { minutes: '1.5' })).rejects.toThrow('--minutes takes a whole number from 1 to 999999, got "1.5"')
  await expect(resume()).rejects.toThrow('everything is not halted')
})
