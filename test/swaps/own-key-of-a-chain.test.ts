/** Tests a solver whose inventory on one chain has a key of its own, and what can be watched with its public keys. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { bytesToHex } from '@noble/hashes/utils.js'
import { showKeyCommand } from '@tandem/cli/commands/keys.ts'
import { statusCommand } from '@tandem/cli/commands/solver-status.ts'
import type { Terminal } from '@tandem/cli/commands/terminal.ts'
import { diagnose } from '@tandem/cli/doctor/diagnose.ts'
import { createKey, randomPrivateKey } from '@tandem/keys/keyring.ts'
import { loadConfig } from '@tandem/party/config/load-config.ts'
import { SolverConfig } from '@tandem/party/config/schema.ts'
import { createLogger } from '@tandem/runtime/log.ts'
import { startSolver } from '@tandem/solver/main.ts'
import { expect, test } from 'vitest'
import { createApiClient } from '../../demo/client/api-client.ts'
import { tellStory } from './story.ts'

const story = await tellStory('bitcoin_regtest', 'ethereum_localnet')
const [btc, wbtc] = ['bitcoin_regtest:btc', 'ethereum_localnet:wbtc'] as const
const { solverFile } = story.stack.configs
const AMOUNT = 1_000_000n

/** This client asks once: that of the story waits while a service says when to try again. */
const impatient = createApiClient({ baseUrl: story.info.base_url, appId: story.info.app_id })

/** The solver's account of an asset, and what it holds, as the doctor says. */
async function holding(asset: string) {
  const { findings } = await diagnose(solverFile)
  const { text = '' } = findings.find(({ check, about }) => check === 'inventory' && about === asset) ?? {}
  const [, address = '', balance = ''] = /^(\S+) holds (\d+)/.exec(text) ?? []
  return { address, balance: BigInt(balance) }
}

const run = async (command: (terminal: Terminal) => Promise<unknown>): Promise<string> => {
  const answers: string[] = []
  await command({ note: () => undefined, answer: (text) => void answers.push(text) })
  return answers.join('\n')
}
const status = async (config: string) => JSON.parse(await run((terminal) => statusCommand({ config, json: true }, terminal)))

/** A copy of the configuration with public keys, in a folder without any key. */
async function watchesWithoutKeys(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tandem-watch-'))
  const config = join(folder, 'solver.json')
  const shown = await run((terminal) => showKeyCommand({ config: solverFile, all: true }, terminal))
  const keys = JSON.parse(shown)
  expect(Object.keys(keys.private_key)).toEqual(['secp256k1', 'chains'])
  await writeFile(config, JSON.stringify({ ...JSON.parse(await readFile(solverFile, 'utf8')), ...keys }))
  try {
    const [watched, ofSolver] = [await status(config), await status(solverFile)]
    expect(watched.inventory).toEqual(ofSolver.inventory)
    expect(watched.fees.map(({ address }: { address: string }) => address)).toEqual(
      ofSolver.fees.map(({ address }: { address: string }) => address),
    )
    const { findings } = await diagnose(config)
    expect(findings.filter(({ level }) => level === 'fail')).toEqual([])
    expect(findings.filter(({ level }) => level === 'warn').map(({ about }) => about)).toEqual([
      'private_key.secp256k1',
      'private_key.chains.bitcoin_regtest',
      'signing_key',
    ])
    expect(findings.find(({ about, check }) => check === 'inventory' && about === btc)?.text).toContain((await holding(btc)).address)
    expect(await run((terminal) => showKeyCommand({ config, all: true }, terminal))).toBe(shown)
    await expect(startSolver(await loadConfig(SolverConfig, config), createLogger({ name: 'watch', level: 'silent' }))).rejects.toThrow(
      '/private_key/secp256k1 is only a public key: what must sign needs the private key',
    )
  } finally {
    await rm(folder, { recursive: true })
  }
}

test('swaps in both directions move the money of that key only, and the other chain keeps its own', async () => {
  const shared = { btc: await holding(btc), wbtc: await holding(wbtc) }
  const text = randomPrivateKey('secp256k1')
  const own = bytesToHex(createKey('secp256k1', text).publicKey.subarray(1))
  await writeFile(join(dirname(solverFile), 'keys', 'solver-bitcoin'), text, { mode: 0o600 })
  await story.restart('solver', (config) => {
    config.private_key.chains = { bitcoin_regtest: { file: 'keys/solver-bitcoin' } }
  })
  const empty = await holding(btc)
  expect(empty.balance).toBe(0n)
  expect(empty.address).not.toBe(shared.btc.address)
  expect(await holding(wbtc)).toEqual(shared.wbtc)
  await expect(impatient.quote({ from: wbtc, to: btc, from_amount: AMOUNT.toString() })).rejects.toThrow(/cannot pay .* only 0/)
  await story.stack.network.fund(btc, empty.address, 10n * AMOUNT)
  await story.stack.network.confirmFunding()
  await story.eventually('the solver holds bitcoin', async () => (await holding(btc)).balance > 0n)

  const user = await story.order(btc, wbtc, AMOUNT)
  await story.bitcoin().pay(user.to ?? '', AMOUNT)
  const inbound = await story.untilStatus(user.order_id, 'counterparty_redeemed')
  expect(inbound.source_swap.redeemer).toBe(own)
  await story.eventually('the solver has the deposit', async () => (await holding(btc)).balance > 10n * AMOUNT)

  const { token, htlc } = story.contractsOf(wbtc)
  await story.evm('ethereum_localnet').approve(token, htlc, AMOUNT)
  const order = await story.order(wbtc, btc, AMOUNT)
  const before = (await holding(btc)).balance
  await story.evm('ethereum_localnet').fund(order)
  const outbound = await story.untilStatus(order.order_id, 'counterparty_redeemed')
  expect(outbound.source_swap.redeemer).toBe(shared.wbtc.address.toLowerCase())
  expect((await holding(btc)).balance).toBeLessThan(before)

  await watchesWithoutKeys()
  await story.restart('solver', (config) => {
    delete config.private_key.chains
  })
  expect(await holding(btc)).toEqual(shared.btc)
})
