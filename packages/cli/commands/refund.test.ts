// The refund has only the package that POST /orders returned, after the service has shut down.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startBitcoinRegtest } from '@tandem/bitcoin/local/index.ts'
import { testWallet } from '@tandem/bitcoin/server/script/bip322.fixture.ts'
import { networkOf } from '@tandem/bitcoin/terms/networks.ts'
import { connectChain } from '@tandem/families/index.ts'
import { localChains } from '@tandem/families/registry.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { useRealChains } from '@tandem/service/testing/real-chains.fixture.ts'
import { bob, btc, startTestService, wbtc } from '@tandem/service/testing/service.fixture.ts'
import { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommand, writeServiceConfig } from './command.fixture.ts'
import { type RefundOptions, readRefundPackage, refundCommand } from './refund.ts'
import { registerRefund } from './refund-options.ts'

type Made = {
  readonly order_id: string
  readonly to: string
  readonly refund_package: { readonly terms: { readonly timelock: string }; readonly private_key: string | null }
}

const regtest = networkOf('bitcoin:regtest')
const wallet = testWallet('wpkh', '11'.repeat(32), regtest)
/** This is the public key of the private key 2. */
const CLIENT_KEY = 'c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5'

const node = opened(startBitcoinRegtest)
let folder: string
let made: Made
let ownKey: Made
let byOperator: unknown

async function readByOperator(databaseUrl: string, orderId: string): Promise<unknown> {
  const { config, folder: at, remove } = await writeServiceConfig(databaseUrl)
  const settings = JSON.parse(await readFile(config, 'utf8'))
  await writeFile(join(at, 'vault-key'), '42'.repeat(32), { mode: 0o600 })
  const chains = { bitcoin_regtest: { endpoints: { rpc: node.rpcUrl } } }
  await writeFile(config, JSON.stringify({ ...settings, chains, vault_key: { file: 'vault-key' } }))
  try {
    await expect(readRefundPackage('0'.repeat(64), config)).rejects.toThrow('there is no order 000')
    return await readRefundPackage(orderId, config)
  } finally {
    await remove()
  }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tandem-refund-'))
  const service = await startTestService()
  const chains = await useRealChains(service, ({ id }) =>
    id === 'bitcoin_regtest' ? { rpc: [node.rpcUrl], esplora: [node.esploraUrl] } : null,
  )
  const post = async (owner: string) => {
    const body = { source: { asset: btc, owner, amount: '1000000' }, destination: { asset: wbtc, owner: bob, amount: '990000' } }
    const { body: reply } = await service.call('POST', '/v2/orders', { body })
    expect(reply).toMatchObject({ status: 'Ok' })
    return reply as { result: Made }
  }
  const [first, second] = [await post(wallet.address), await post(CLIENT_KEY)]
  made = first.result
  ownKey = second.result
  await writeFile(join(folder, 'answer.json'), JSON.stringify(first))
  await writeFile(join(folder, 'package.json'), JSON.stringify(made.refund_package))
  await writeFile(join(folder, 'own-key.json'), JSON.stringify({ refund_package: ownKey.refund_package }))
  await writeFile(join(folder, 'key'), `0x${'2'.padStart(64, '0')}\n`)
  await writeFile(join(folder, 'other-key'), '3'.padStart(64, '0'))
  await writeFile(join(folder, 'broken.json'), '{')
  await writeFile(join(folder, 'empty.json'), '{}')
  await writeFile(join(folder, 'evm.json'), JSON.stringify({ family: 'evm', chain: 'ethereum_localnet' }))
  byOperator = await readByOperator(service.databaseUrl, first.result.order_id)
  await service.close()
  await chains.close()
})
afterAll(async () => {
  await rm(folder, { recursive: true })
})

async function run(options: Partial<RefundOptions> & { readonly package: string }) {
  const inFolder = (name: string) => join(folder, name)
  const keyFile = options.keyFile === undefined ? {} : { keyFile: inFolder(options.keyFile) }
  return runCommand((terminal) => refundCommand({ ...options, package: inFolder(options.package), ...keyFile }, terminal))
}
const balance = async (address: string) => {
  const chain = localChains.find(({ id }) => id === 'bitcoin_regtest')
  if (chain === undefined) throw new Error('there is no local Bitcoin chain')
  const client = await connectChain(chain, { assets: [], endpoints: { esplora: [node.esploraUrl] } })
  return client.balance(btc, address)
}

describe('with a node', () => {
  test('before expiry the refund is signed and not sent; after expiry it is sent and mined', async () => {
    const timelock = Number(made.refund_package.terms.timelock)
    const options = { package: 'answer.json', node: `rpc=${node.rpcUrl}` }
    await expect(run(options)).rejects.toThrow(/there is no mined and unspent deposit/)
    const txid = await node.faucet(made.to, 700_000n)
    await expect(run(options)).rejects.toThrow(/there is no mined and unspent deposit/)
    node.mine(2)
    await expect(run({ ...options, broadcast: true })).rejects.toThrow(
      `too early to send the refund: the first deposit can be refunded after ${timelock - 2} more blocks`,
    )
    const early = await run(options)
    expect(early.notes).toMatch(`after ${timelock - 2} more blocks`)
    expect(early.notes).toMatch('Signed, not sent')

    node.mine(timelock - 3)
    expect((await run(options)).notes).toMatch('after 1 more block\n')
    node.mine(1)
    const late = await node.faucet(made.to, 100_000n)
    node.mine(1)
    const { answer } = await run({ package: 'answer.json', esplora: node.esploraUrl, broadcast: true, json: true })
    const told = JSON.parse(answer)
    expect(told).toMatchObject({ to: wallet.address, sent: true, timelock, timelock_unit: 'blocks', timelock_left: -1 })
    expect(told.deposits.map((id: string) => id.slice(0, 64))).toEqual([txid])
    expect(told.left_out.map(({ deposit }: { deposit: string }) => deposit.slice(0, 64))).toEqual([late])
    expect(BigInt(told.pays) + BigInt(told.fee)).toBe(700_000n)
    node.mine(1)
    expect(await balance(wallet.address)).toBe(BigInt(told.pays))
  })

  test('a client that keeps its key passes it in a file, and may choose the recipient', async () => {
    const txid = await node.faucet(ownKey.to, 300_000n)
    node.mine(Number(ownKey.refund_package.terms.timelock) + 1)
    expect(ownKey.refund_package.private_key).toBe(null)
    const to = testWallet('tr', '77'.repeat(32), regtest).address
    const options = { package: 'own-key.json', node: `esplora=${node.esploraUrl}`, to, feeRate: '3.5' }
    await expect(run(options)).rejects.toThrow(/has no private key/)
    await expect(run({ ...options, keyFile: 'other-key' })).rejects.toThrow(/does not belong to this refund package/)
    const { notes, answer } = await run({ ...options, keyFile: 'key', broadcast: true })
    expect(notes).toMatch(`to ${to}`)
    expect(notes).toMatch('valid  now')
    expect(notes).toMatch('It is sent:')
    expect(answer).toMatch(/^[0-9a-f]+$/)
    node.mine(1)
    expect(await balance(to)).toBeGreaterThan(298_000n)
    await expect(run({ ...options, keyFile: 'key', deposit: [`${txid}:0:300000`] })).rejects.toThrow(/does not find the unspent deposit/)
  })

  test('named deposits are checked against the node', async () => {
    const txid = await node.faucet(made.to, 50_000n)
    node.mine(1)
    const found = [0, 1].map((vout) =>
      run({ package: 'package.json', node: `rpc=${node.rpcUrl}`, deposit: [`${txid}:${vout}:50001`] }).catch(String),
    )
    expect((await Promise.all(found)).toSorted()).toEqual([
      expect.stringMatching(/is 50000, not 50001/),
      expect.stringMatching(/does not find the unspent deposit/),
    ])
  })
})

test("an operator gets the same package from the service's database", () => {
  expect(byOperator).toEqual(made.refund_package)
})

test.each([{}, { package: 'a.json', order: 'ab'.repeat(32) }])('a package or an order is named, not both: %o', async (options) => {
  await expect(runCommand((terminal) => refundCommand(options, terminal))).rejects.toThrow(/either a refund package .* or an order/)
})

const DEPOSIT = `${'ab'.repeat(32)}:1:500000`

test('without a node: the named deposits are signed at the named fee rate', async () => {
  const { notes, answer } = await run({ package: 'package.json', deposit: [DEPOSIT, `${'AC'.repeat(32)}:0:400000`], feeRate: '5' })
  expect(notes).toMatch(`Refund of ${'ab'.repeat(32)}:1, ${'ac'.repeat(32)}:0`)
  expect(notes).toMatch(`valid  ${made.refund_package.terms.timelock} blocks after the block of its newest deposit`)
  expect(notes).toMatch(`to ${wallet.address}`)
  expect(answer).toMatch(/^02000000/)
  expect(`${notes}${answer}`).not.toContain(made.refund_package.private_key ?? '')
})

test.each<[string, Partial<RefundOptions> & { package: string }, RegExp]>([
  ['a missing file', { package: 'nothing.json' }, /ENOENT/],
  ['a file that is not JSON', { package: 'broken.json' }, /the file is not JSON/],
  ['a file that is something else', { package: 'empty.json' }, /not a refund package: expected the refund_package/],
  ['another family', { package: 'evm.json' }, /no refund packages for ethereum_localnet/],
  ['no deposits', { package: 'package.json', feeRate: '5' }, /without a node, name the deposits/],
  ['no fee rate', { package: 'package.json', deposit: [DEPOSIT] }, /without a node, give the fee rate/],
  [
    'a fee rate in words',
    { package: 'package.json', deposit: [DEPOSIT], feeRate: 'low' },
    /--fee-rate takes a number such as 5 or 2\.5, got "low"/,
  ],
  ["a fee rate below the network's", { package: 'package.json', deposit: [DEPOSIT], feeRate: '0.5' }, /fee rate must be from 1 to 1000/],
  ['an incomplete deposit', { package: 'package.json', deposit: ['ab:1'], feeRate: '5' }, /--deposit takes txid:vout:amount/],
  [
    'an address of another network',
    { package: 'package.json', deposit: [DEPOSIT], feeRate: '5', to: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' },
    /another network/,
  ],
  [
    'a broadcast without a node',
    { package: 'package.json', deposit: [DEPOSIT], feeRate: '5', broadcast: true },
    /--broadcast needs a node/,
  ],
  ['two nodes', { package: 'package.json', node: 'rpc=http://127.0.0.1:1', esplora: 'http://127.0.0.1:1' }, /either --node or --esplora/],
  ['a node without its kind', { package: 'package.json', node: 'http://user:hidden@127.0.0.1:1' }, /--node rpc=URL or --node esplora=URL/],
  [
    'a node of an unknown kind',
    { package: 'package.json', node: 'grpc=http://user:hidden@127.0.0.1:1' },
    /--node rpc=URL or --node esplora=URL/,
  ],
  [
    'a node that does not answer',
    { package: 'package.json', node: 'rpc=http://user:hidden@127.0.0.1:1' },
    /127\.0\.0\.1:1|did not answer|ECONNREFUSED/,
  ],
])('refuses %s, and shows no password', async (_name, options, words) => {
  const error: unknown = await run(options).then(
    () => null,
    (thrown: unknown) => thrown,
  )
  expect(String(error)).toMatch(words)
  expect(String(error)).not.toContain('hidden')
})

test('options: several deposits, and a description', () => {
  const program = new Command()
  registerRefund(program)
  const [command] = program.commands
  command?.parseOptions(['--package', 'a.json', '--deposit', 'x', 'y', '--fee-rate', '2.5', '--broadcast'])
  expect(command?.opts()).toEqual({ package: 'a.json', deposit: ['x', 'y'], feeRate: '2.5', broadcast: true })
  expect(command?.helpInformation()).toMatch(/without\s+the\s+service/)
})
