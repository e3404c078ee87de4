/** Tests a chain and tokens that an operator added by configuration: deployed with `tandem deploy`, swapped in both directions, and refused where they differ. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { deployCommand } from '@tandem/cli/commands/deploy.ts'
import { diagnose } from '@tandem/cli/doctor/diagnose.ts'
import { evmLocal } from '@tandem/evm/local/local.ts'
import { environmentWith, localChains } from '@tandem/families/registry.ts'
import { createLocalKeys } from '@tandem/local/local-keys.ts'
import type { AddedAsset } from '@tandem/protocol/registry/addable.ts'
import type { AssetRecord } from '@tandem/protocol/wire/asset.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { solanaLocal } from '@tandem/solana/local/local.ts'
import { createLocalSender } from '@tandem/solana/local/local-sender.ts'
import { createLocalSigner } from '@tandem/solana/local/local-signer.ts'
import { createMint, mintTokens } from '@tandem/solana/local/local-tokens.ts'
import { afterAll, expect, test } from 'vitest'
import { pricesExample, registryExample } from '../../docs/registry-example.ts'
import { openStory, type Story } from './story.ts'
import { evmWalletOf, tandemOf } from './swap-by-sdk.ts'

const DOLLAR = 'own_localnet:ownd'
const GOLD = 'solana_localnet:gold'
const CHAINS = ['own_localnet', 'solana_localnet']

const keys = createLocalKeys()
const bytesOf = (hex: string) => Buffer.from(hex.trim().replace(/^0x/, ''), 'hex')
let folder: string
let registry: ReturnType<typeof registryExample>
let mintGold: (owner: string, amount: bigint) => Promise<void>

const story = opened(openOwnStory)
afterAll(() => rm(folder, { recursive: true, force: true }))

async function openOwnStory(): Promise<Story> {
  folder = await mkdtemp(join(tmpdir(), 'tandem-own-'))
  const [own] = environmentWith(
    'local',
    registryExample({ dollar: `0x${'12'.repeat(20)}`, gold: 'So11111111111111111111111111111111111111112' }),
  ).added.chains
  const solana = localChains.find(({ id }) => id === 'solana_localnet')
  if (own === undefined || solana === undefined) throw new Error('a chain of the story is missing')
  const evmChain = await evmLocal.start(own, { faucetKey: keys.faucet.secp256k1, mining: 'instant' })
  const solanaChain = await solanaLocal.start(solana, { faucetKey: keys.faucet.ed25519, mining: 'instant' })
  const { node } = solanaChain.control
  const sender = createLocalSender(node, createLocalSigner(bytesOf(keys.faucet.ed25519)))
  const gold = await createMint(node, sender, 5)
  mintGold = async (owner, amount) => sender.confirm(await mintTokens(sender, gold, owner as typeof gold, amount))
  // The local chain has a dollar, of which the registry knows nothing there.
  const dollar = evmChain.deployments['own_localnet:usdc']?.token ?? ''
  registry = registryExample({ dollar, gold })
  return openStory({ chains: CHAINS, registry, runningChains: { own_localnet: evmChain, solana_localnet: solanaChain } })
}

/** Resolves to the contracts that the command printed and listed. */
async function deploy(chain: string, key: string, assets: readonly string[]): Promise<Record<string, { htlc: string }>> {
  const out = join(folder, `${chain}.json`)
  const keyFile = join(folder, 'deployer')
  await writeFile(keyFile, key, { mode: 0o600 })
  const terminal = { answer: () => undefined, note: () => undefined }
  const config = story.stack.configs.serviceFile
  await deployCommand({ chain, config, keyFile, out, asset: assets, bringDeployer: true }, terminal)
  const listed = JSON.parse(await readFile(out, 'utf8')) as Record<string, { htlc: string }>
  return Object.fromEntries(Object.entries(listed).map(([id, { htlc }]) => [id, { htlc }]))
}

let deployments: Record<string, { htlc: string }>

test('they are listed and inactive until `tandem deploy` has deployed them', async () => {
  const before = (await listed()).filter(({ id }) => id in registry.assets)
  expect(before.map(({ id, decimals, is_active }) => [id, decimals, is_active])).toEqual([
    ['own_localnet:own', 18, false],
    [DOLLAR, 6, false],
    [GOLD, 5, false],
  ])
  deployments = {
    ...(await deploy('own_localnet', keys.faucet.secp256k1, ['own', 'ownd'])),
    ...(await deploy('solana_localnet', keys.faucet.ed25519, ['gold'])),
  }
  expect(Object.keys(deployments)).toEqual(['own_localnet:own', DOLLAR, GOLD])
  const solverKey = await readFile(join(dirname(story.stack.configs.solverFile), 'keys', 'solver-ed25519'), 'utf8')
  await mintGold(createLocalSigner(bytesOf(solverKey)).address, 1_000_000_000n)
  for (const party of ['solver', 'service'] as const)
    await story.restart(party, (config) => {
      Object.assign(config.deployments, deployments)
      Object.assign(config.prices, pricesExample)
    })
  const after = (await listed()).filter(({ id }) => id in registry.assets)
  expect(after.map(({ is_active }) => is_active)).toEqual([true, true, true])
  for (const { icon } of after) expect(await (await fetch(icon)).text()).toContain('<svg')
  const chains = (await (await fetch(`${story.info.base_url}/chains`, headers())).json()) as { result: { chain: string }[] }
  expect(chains.result.find(({ chain }) => chain === 'own_localnet')).toMatchObject({
    id: 'evm:31777',
    display: 'Own Localnet',
    explorer_tx_url: 'https://explorer.example/tx/{tx}',
    confirmation_target: 2,
    is_active: true,
  })
})

test('the doctor shows and checks them', async () => {
  for (const file of [story.stack.configs.serviceFile, story.stack.configs.solverFile]) {
    const { findings } = await diagnose(file)
    const of = (name: string) => findings.filter(({ check }) => check === name)
    expect(of('registry')).toMatchObject([
      { level: 'ok', about: 'own_localnet', text: expect.stringContaining('evm:31777; 2 confirmations') },
      { level: 'ok', about: 'own_localnet:own' },
      { level: 'ok', about: DOLLAR, text: expect.stringContaining('6 decimals; 1 to 1000 OWND a swap') },
      { level: 'ok', about: GOLD },
    ])
    expect(of('contracts')).toContainEqual(
      expect.objectContaining({ level: 'ok', about: DOLLAR, text: expect.stringContaining('with 6 decimals') }),
    )
  }
})

test('an app that pins them swaps the token of the unknown chain for the other token, with a secret of its own', async () => {
  const pinned = { registry: { environment: 'local', ...registry } } as const
  const wallet = evmWalletOf(story, 'own_localnet')
  const request = { from: DOLLAR, to: GOLD, fromAmount: 30_000_000n, minToAmount: 900_000n, recipient: story.ownerOf(GOLD) }
  await expect(tandemOf(story, deployments).quote(request)).rejects.toThrow(`does not know the asset "${DOLLAR}"`)
  const tandem = tandemOf(story, deployments, pinned)
  const kinds: string[] = []
  const before = await dollars()
  for await (const { kind } of tandem.swap(request, wallet)) kinds.push(kind)
  expect(kinds).toContain('received')
  expect(await gold()).toBeGreaterThanOrEqual(900_000n)
  expect(before - (await dollars())).toBe(30_000_000n)
})

test('the other direction, by the API alone', async () => {
  const created = await story.order(GOLD, DOLLAR, 500_000n)
  const [before, goldBefore] = [await dollars(), await gold()]
  await (await story.walletFor(GOLD)).fund(created)
  await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect((await dollars()) - before).toBeGreaterThan(14_000_000n)
  expect(goldBefore - (await gold())).toBe(500_000n)
})

test('a party whose decimals are not those of the chain does not start', async () => {
  const wrong = (config: { registry: { assets: Record<string, AddedAsset> } }, decimals: number) =>
    Object.assign(config.registry.assets[DOLLAR] ?? {}, { decimals })
  for (const party of ['solver', 'service'] as const) {
    await expect(story.restart(party, (config) => wrong(config as never, 7))).rejects.toThrow(
      /own_localnet: .*is not the token of own_localnet:ownd: expected 7 decimals/,
    )
    await story.restart(party, (config) => wrong(config as never, 6))
  }
})

test('a solver that lists them otherwise refuses before money moves, and the doctor of the service says so', async () => {
  const timelocks = (config: { registry: { chains: Record<string, object> } }, given: object) =>
    Object.assign(config.registry.chains.own_localnet ?? {}, given)
  await story.restart('solver', (config) => timelocks(config as never, { timelocks: { source: '1300', destination: '180' } }))
  await expect(story.order(DOLLAR, GOLD, 30_000_000n)).rejects.toThrow('service and solver list own_localnet:ownd with different')
  const { findings } = await diagnose(story.stack.configs.serviceFile)
  expect(findings.filter(({ level, check }) => level === 'fail' && check === 'solvers').map(({ about }) => about)).toEqual([
    'local-solver own_localnet:own',
    `local-solver ${DOLLAR}`,
  ])
  await story.restart('solver', (config) => timelocks(config as never, { timelocks: { source: '1200', destination: '180' } }))
  await expect(story.order(DOLLAR, GOLD, 30_000_000n)).resolves.toMatchObject({ order_id: expect.stringMatching(/^[0-9a-f]{64}$/) })
})

const headers = () => ({ headers: { 'service-app-id': story.info.app_id } })

async function listed(): Promise<readonly AssetRecord[]> {
  const answer = (await (await fetch(`${story.info.base_url}/assets`, headers())).json()) as { result: AssetRecord[] }
  return answer.result.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

/** The user's wallets: `local.json` does not name the tokens. */
function gold(): Promise<bigint> {
  const chain = story.info.chains.solana_localnet
  const key = story.info.wallets.find(({ chains }) => chains.includes('solana_localnet'))?.private_key ?? ''
  if (chain === undefined) throw new Error('solana_localnet does not run')
  return solanaLocal.openWallet({ ...chain, assets: { [GOLD]: { token: registry.assets[GOLD].token } } }, key).balance(GOLD)
}

const dollars = () => story.evm('own_localnet').balanceOf(story.ownerOf(DOLLAR), registry.assets[DOLLAR].token)
