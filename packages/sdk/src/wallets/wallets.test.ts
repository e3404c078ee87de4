/** Tests which wallets are found, and what each does before it sends. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { discoverWallets } from '@tandem/evm/browser/eip6963.ts'
import { eip1193Wallet, ethersWallet, viemWallet } from '@tandem/evm/browser/wallet.ts'
import { expect, test } from 'vitest'
import { discoverAllWallets, type FoundWallet } from './discover.ts'
import * as wallets from './index.ts'

const ICON = 'data:image/svg+xml,x'

test('wallets of every standard are found, before and after, once each; an icon from elsewhere is left out', () => {
  const page = Object.assign(new EventTarget(), {
    starknet_some: { name: 'Some', icon: 'https://elsewhere.example/x.png', request: async () => [] },
    starknet_data: { settings: true },
    tronLink: { request: async () => ({}), tronWeb: false },
    unisat: { requestAccounts: async () => ['bc1'], sendBitcoin: async () => 'tx' },
  })
  const found: FoundWallet[] = []
  const early = {
    name: 'Early',
    icon: ICON,
    accounts: [],
    features: { 'solana:signAndSendTransaction': {}, 'sui:signAndExecuteTransaction': {} },
  }
  page.addEventListener('wallet-standard:app-ready', (event) =>
    (event as CustomEvent<{ register(...wallets: unknown[]): void }>).detail.register(early),
  )
  const stop = discoverAllWallets((wallet) => found.push(wallet), page)
  const late = { ...early, name: 'Late', features: { 'solana:signAndSendTransaction': {} } }
  const register = (api: { register(wallet: unknown): void }) => api.register(late)
  const detail = { info: { uuid: '1', rdns: 'org.example', name: 'Evm', icon: ICON }, provider: { request: async () => [] } }
  for (const _ of [1, 2]) {
    page.dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: register }))
    page.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  }
  stop()
  page.dispatchEvent(
    new CustomEvent('eip6963:announceProvider', { detail: { ...detail, info: { ...detail.info, uuid: '2', rdns: 'other' } } }),
  )
  expect(found.map(({ id }) => id)).toEqual([
    'solana:Early',
    'sui:Early',
    'starknet_some',
    'tronLink',
    'unisat',
    'solana:Late',
    'org.example',
  ])
  expect(found.map(({ icon }) => icon)).toEqual([ICON, ICON, '', '', '', ICON, ICON])
})

/** docs/sdk.md names every wallet, and its samples compile against the SDK and the libraries of wallets. */
const root = join(import.meta.dirname, '../../../..')

async function sectionOf(name: string): Promise<string> {
  const text = await readFile(join(root, 'docs/sdk.md'), 'utf8')
  return text.split(/^## /m).find((part) => part.startsWith(`${name}\n`)) ?? ''
}

/** The names in the first column of its tables. */
const rowsOf = (section: string) => [...section.matchAll(/^\| `([A-Za-z0-9]+)/gm)].map(([, name = '']) => name)
const samplesOf = (section: string) => [...section.matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) => code)

test('every wallet is in the tables, every type in the text, and each in a sample', async () => {
  const section = await sectionOf('Wallets')
  expect(rowsOf(section).toSorted()).toEqual(Object.keys(wallets).toSorted())
  const [code = ''] = samplesOf(section)
  for (const name of Object.keys(wallets)) expect(code, name).toMatch(new RegExp(`\\b${name}\\b`))
  const exported = await readFile(join(import.meta.dirname, 'index.ts'), 'utf8')
  const types = [...exported.matchAll(/\btype (?:\{ )?([A-Z][A-Za-z0-9]+)/g)].map(([, name = '']) => name)
  expect(types.length).toBeGreaterThan(5)
  for (const name of types) expect(section, name).toContain(`\`${name}\``)
})

/** What the samples take from their page. */
const SURROUNDINGS = `
import { getWallets } from '@wallet-standard/app'
import { ethers } from 'ethers'
import { Account } from 'starknet'
import { TronWeb } from 'tronweb'
import { createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { Client, Wallet } from 'xrpl'
import { ${Object.keys(wallets).join(', ')} } from '@tandem/sdk'
declare const key: \`0x\${string}\`, rpcUrl: string, esploraUrl: string, seed: string
declare const window: { starknet: { request(call: { type: string; params?: unknown }): Promise<unknown> }; tronLink: { request(args: { method: string }): Promise<unknown>; tronWeb: TronWeb | false } }
declare const unisat: { sendBitcoin(to: string, satoshis: number): Promise<string>; signPsbt(psbt: string): Promise<string> }
declare const extension: { signAndSubmit(transaction: object): Promise<{ hash: string }> }
`

test('the samples compile', async () => {
  const samples = samplesOf(await sectionOf('Wallets'))
  expect(samples).toHaveLength(1)
  await mkdir(join(root, '.tandem'), { recursive: true })
  const folder = await mkdtemp(join(root, '.tandem', 'wallets-'))
  try {
    await writeFile(join(folder, 'sample.ts'), `${SURROUNDINGS}\n${samples.join('\n')}\nexport {}\n`)
    const options = {
      noUnusedLocals: false,
      incremental: false,
      lib: ['es2024', 'dom'],
      paths: { '@tandem/sdk': [join(root, 'packages/sdk/src/index.ts')] },
    }
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions: options, include: ['*.ts'] }),
    )
    const compiler = join(root, 'node_modules/typescript-7/bin/tsc')
    const output = await promisify(execFile)(process.execPath, [compiler, '-p', folder]).then(
      () => '',
      (error: { readonly stdout: string }) => error.stdout,
    )
    expect(output).toBe('')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('EIP-6963: each announced wallet is found once, before and after it is asked for', () => {
  const page = new EventTarget()
  const provider = { request: async () => null }
  const announce = (uuid: string) =>
    page.dispatchEvent(
      Object.assign(new Event('eip6963:announceProvider'), { detail: { info: { uuid, name: uuid, icon: '', rdns: '' }, provider } }),
    )
  page.addEventListener('eip6963:requestProvider', () => announce('early'))
  const found: string[] = []
  const stop = discoverWallets(({ info }) => found.push(info.name), page)
  announce('late')
  announce('late')
  stop()
  announce('after')
  expect(found).toEqual(['early', 'late'])
})

test('EIP-1193: the wallet is moved to the chain of the order before it sends, and a revert is an error', async () => {
  const asked: string[] = []
  let status: string | null = null
  const provider = {
    async request({ method, params }: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown> {
      asked.push(`${method} ${JSON.stringify(params ?? [])}`)
      if (method === 'eth_chainId') return '0x1'
      if (method === 'eth_requestAccounts') return ['0xaa']
      if (method === 'eth_sendTransaction') return '0xhash'
      if (method === 'eth_getTransactionReceipt') return { status }
      return null
    },
  }
  const wallet = eip1193Wallet(provider)
  const sent = await wallet.send(31337, { from: '0xaa', to: '0xbb', data: '0x12', value: 255n })
  expect(asked).toEqual([
    'eth_chainId []',
    'wallet_switchEthereumChain [{"chainId":"0x7a69"}]',
    'eth_sendTransaction [{"from":"0xaa","to":"0xbb","data":"0x12","value":"0xff"}]',
  ])
  status = '0x0'
  await expect(sent.mined()).rejects.toThrow('reverted')
  status = '0x1'
  await sent.mined()
})

test('viem and ethers: an account that is not that of the order sends nothing', async () => {
  const sent: unknown[] = []
  const sendTransaction = async (transaction: unknown) => sent.push(transaction)
  const viem = { account: { address: '0xAA' }, sendTransaction, signTypedData: sendTransaction, request: async () => '0x1' }
  const provider = { getNetwork: async () => ({ chainId: 1n }) }
  const ethers = { getAddress: async () => '0xAA', sendTransaction, signTypedData: sendTransaction, provider }
  for (const wallet of [viemWallet(viem as never), ethersWallet(ethers as never)]) {
    await expect(wallet.send(1, { from: '0xbb', to: '0xcc', data: '0x', value: 0n })).rejects.toThrow('expected 0xbb')
    expect(sent).toHaveLength(0)
    await wallet.send(1, { from: '0xaa', to: '0xcc', data: '0x', value: 0n })
    expect(sent.splice(0)).toHaveLength(1)
  }
})
