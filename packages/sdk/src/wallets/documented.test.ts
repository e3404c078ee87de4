/** docs/sdk.md names every wallet, and its samples compile against the SDK and the libraries of wallets. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import * as wallets from './index.ts'

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
