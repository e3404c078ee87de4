// `tandem deploy` runs against a real EVM here: its transactions, its list, and the errors before it sends anything.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEvmChain } from '@tandem/evm/local/evm-chain.ts'
import { deployLocalContracts, type LocalContracts } from '@tandem/evm/local/local-contracts.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { Command } from 'commander'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommand } from './command.fixture.ts'
import { type DeployOptions, deployCommand } from './deploy.ts'
import { registerDeploy } from './deploy-options.ts'

const key = generatePrivateKey()
const wbtc = 'ethereum_localnet:wbtc'
const eth = 'ethereum_localnet:eth'
const chain = opened(() => startEvmChain({ chainId: 31337, keys: [key] }))
let contracts: LocalContracts
let folder: string
const inFolder = (name: string) => join(folder, name)

beforeAll(async () => {
  contracts = await deployLocalContracts(chain, key)
  folder = await mkdtemp(join(tmpdir(), 'tandem-deploy-'))
  await writeFile(inFolder('key'), `${key.slice(2)}\n`)
  await writeFile(inFolder('no-key'), 'zz\n')
  await writeFile(inFolder('tokens.json'), JSON.stringify({ [wbtc]: { htlc: null, token: contracts.tokens.wbtc } }))
})
afterAll(async () => {
  await rm(folder, { recursive: true })
})

async function run(options: Partial<DeployOptions>) {
  const usual = { chain: 'ethereum_localnet', rpc: [chain.rpcUrl], ...(options.keyEnv === undefined && { keyFile: inFolder('key') }) }
  return runCommand((terminal) => deployCommand({ ...usual, ...options }, terminal))
}
const nonce = () => chain.request({ method: 'eth_getTransactionCount', params: [privateKeyToAddress(key), 'pending'] })
const listed = async (name: string) =>
  JSON.parse(await readFile(inFolder(name), 'utf8')) as Record<string, { htlc: string; code_hash?: string }>

describe('a deployed HTLC', () => {
  test('is listed, sorted, with its token if the registry has none; another run finds it and sends nothing', async () => {
    const out = inFolder('tokens.json')
    const before = await nonce()
    const planned = JSON.parse((await run({ out, json: true, dryRun: true })).answer)
    expect(planned).toMatchObject({
      dry_run: true,
      environment: 'local',
      file: out,
      htlcs: [
        { asset: eth, status: 'planned', tx: null, token: null },
        { asset: wbtc, status: 'planned', tx: null, token: contracts.tokens.wbtc.toLowerCase() },
      ],
      without_token: ['ethereum_localnet:usdc'],
    })
    expect(await nonce()).toBe(before)
    expect(Object.keys(await listed('tokens.json'))).toEqual([wbtc])

    await expect(run({ out })).rejects.toThrow('lacks the CREATE2 deployer')
    const { answer, notes } = await run({ out, bringDeployer: true })
    const [coin, token] = planned.htlcs
    expect(answer.split('\n')).toEqual([
      expect.stringMatching(new RegExp(`^${eth}  ${coin.htlc}  deployed in 0x[0-9a-f]{64}$`)),
      expect.stringMatching(new RegExp(`^${wbtc}  ${token.htlc}  deployed in 0x[0-9a-f]{64}$`)),
    ])
    expect(notes).toContain('left out, as the address of the token is not known: ethereum_localnet:usdc.')
    expect(notes).toContain(`${eth}: verified`)
    const text = await readFile(out, 'utf8')
    expect(text).toBe(
      `${JSON.stringify(
        {
          [eth]: { htlc: coin.htlc, code_hash: coin.code_hash },
          [wbtc]: { htlc: token.htlc, token: token.token, code_hash: token.code_hash },
        },
        null,
        2,
      )}\n`,
    )

    const spent = await nonce()
    expect((await run({ out })).answer).toMatch(/^\S+eth {2}0x\w+ {2}listed before\n\S+wbtc {2}0x\w+ {2}listed before$/)
    // This list lacks the HTLC, so it is found by its address.
    expect((await run({ out: inFolder('other.json'), asset: ['ETH'] })).answer).toMatch(/deployed before$/)
    expect(await listed('other.json')).toEqual({ [eth]: { htlc: coin.htlc, code_hash: coin.code_hash } })
    expect(await readFile(out, 'utf8')).toBe(text)
    expect(await nonce()).toBe(spent)
  })

  test('replaces another contract in the list only with --replace', async () => {
    const out = inFolder('old.json')
    await writeFile(out, JSON.stringify({ [eth]: { htlc: contracts.tokens.usdc } }))
    await expect(run({ out, asset: [eth] })).rejects.toThrow(/is not that of our HTLC.*--replace deploys the HTLC of this version/s)
    expect((await listed('old.json'))[eth]?.htlc).toBe(contracts.tokens.usdc)
    await run({ out, asset: [eth], replace: true })
    expect((await listed('old.json'))[eth]?.htlc).toBe((await listed('tokens.json'))[eth]?.htlc)
  })

  test('uses the nodes and tokens of a configuration', async () => {
    const config = inFolder('solver.json')
    const token = contracts.tokens.usdc
    const secret = { env: 'TANDEM_TEST_NONE' }
    const solver = {
      environment: 'local',
      database_url: 'postgres://127.0.0.1:1/none',
      listen: { host: '127.0.0.1', port: 0 },
      chains: { ethereum_localnet: { endpoints: { rpc: chain.rpcUrl } } },
      deployments: { 'ethereum_localnet:usdc': { htlc: null, token } },
      prices: {},
      solver_id: 's',
      private_key: secret,
      signing_key: secret,
      services: [],
      spread_bips: 0,
      fixed_fee_usd: '0',
      quote_seconds: 60,
    }
    await writeFile(config, JSON.stringify(solver))
    const options = { chain: 'ethereum_localnet', config, asset: ['usdc'], keyEnv: 'TANDEM_TEST_DEPLOY_KEY', json: true }
    process.env.TANDEM_TEST_DEPLOY_KEY = key
    const deploy = (more: Partial<DeployOptions> = {}) => runCommand((terminal) => deployCommand({ ...options, ...more }, terminal))
    const { answer } = await deploy().finally(() => delete process.env.TANDEM_TEST_DEPLOY_KEY)
    expect(JSON.parse(answer)).toMatchObject({ file: null, htlcs: [{ status: 'deployed', token: token.toLowerCase() }] })
    await expect(deploy({ chain: 'base' })).rejects.toThrow('there is no chain "base" in local')
    await expect(deploy({ chain: 'arbitrum_localnet' })).rejects.toThrow(/solver\.json has no nodes of arbitrum_localnet.*--rpc/)
  })
})

test('what a configuration adds is deployed and listed in no file that others read; a token with other decimals is refused', async () => {
  const other = await startEvmChain({ chainId: 31_900, keys: [key] })
  try {
    const { tokens } = await deployLocalContracts(other, key)
    const published = new URL('../../families/deployments/testnet.json', import.meta.url)
    const before = await readFile(published, 'utf8')
    const config = inFolder('added.json')
    const secret = { env: 'TANDEM_TEST_NONE' }
    const icon = { text: 'OWN', color: '#336699' }
    const asset = { token: tokens.usdc, name: 'Own Dollar', symbol: 'OWND', min: '1000000', max: '1000000000', icon }
    const write = (decimals: number) =>
      writeFile(
        config,
        JSON.stringify({
          environment: 'testnet',
          database_url: 'postgres://127.0.0.1:1/none',
          listen: { host: '127.0.0.1', port: 0 },
          chains: { own: { endpoints: { rpc: other.rpcUrl } } },
          registry: {
            chains: {
              own: {
                family: 'evm',
                kind: 'fast',
                reference: 'evm:31900',
                name: 'Own',
                coin: 'OWN',
                icon,
                block_ms: 1000,
                confirmations: 1,
              },
            },
            assets: { 'own:ownd': { ...asset, decimals } },
          },
          prices: {},
          solver_id: 's',
          private_key: secret,
          signing_key: secret,
          services: [],
          spread_bips: 0,
          fixed_fee_usd: '0',
          quote_seconds: 60,
        }),
      )
    const deploy = (more: Partial<DeployOptions> = {}) => {
      const options = { chain: 'own', config, keyFile: inFolder('key'), bringDeployer: true, ...more }
      return runCommand((terminal) => deployCommand(options, terminal))
    }
    await write(7)
    await expect(deploy()).rejects.toThrow(/is not the token of own:ownd: expected 7 decimals/)
    await write(6)
    const { answer, notes } = await deploy()
    const [htlc] = /0x[0-9a-fA-F]{40}/.exec(answer) ?? []
    expect(notes).toContain(`name it in deployments of each configuration: "own:ownd": { "htlc": "${htlc}" }`)
    expect(await readFile(published, 'utf8')).toBe(before)
    await deploy({ out: inFolder('own.json') })
    expect(await listed('own.json')).toMatchObject({ 'own:ownd': { htlc } })
  } finally {
    await other.close()
  }
})

test.each<[string, Partial<DeployOptions>, string | RegExp]>([
  ['an unknown chain', { chain: 'ethereum_lokalnet' }, 'do you mean "ethereum_localnet"?'],
  ['a chain without contracts', { chain: 'bitcoin_regtest' }, 'bitcoin_regtest needs no contracts'],
  ['an unknown asset', { asset: ['wbtd'] }, 'there is no asset "ethereum_localnet:wbtd"; do you mean "ethereum_localnet:wbtc"?'],
  [
    'an asset without a token address',
    { asset: ['usdc'] },
    /the address of the token is not known: ethereum_localnet:usdc. A configuration can name it/,
  ],
  ['two keys', { keyEnv: 'X', keyFile: 'key' }, 'say which key pays'],
  ['an empty key', { keyEnv: 'TANDEM_TEST_NONE' }, 'the environment variable TANDEM_TEST_NONE holds no key'],
  ['a node of another chain', { chain: 'arbitrum_localnet' }, 'the node serves evm:31337, expected evm:31338'],
])('%s is refused before anything is sent', async (_, options, words) => {
  const before = await nonce()
  await expect(run(options)).rejects.toThrow(words)
  expect(await nonce()).toBe(before)
})

test('a malformed key is not shown', async () => {
  await expect(run({ keyFile: inFolder('no-key') })).rejects.toThrow(/^(?!.*zz).*32 bytes as hex/)
})

test('the help has an example and says what the key can do', () => {
  const written: string[] = []
  const program = new Command('tandem').configureOutput({ writeOut: (text) => void written.push(text) })
  registerDeploy(program)
  program.commands[0]?.outputHelp()
  const help = written.join('')
  for (const words of ['--dry-run', '--key-file', '--out', 'has no power over the contract', 'tandem deploy --chain'])
    expect(help).toContain(words)
})
